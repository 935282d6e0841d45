/*
 * The sidecar: the modules of a model as a JSON document beside it, for programs that do not read
 * ONNX. docs/hierarchy.schema.json describes it.
 *
 *     {"version": 1,
 *      "export": {tool, versions, operator sets, inputs, outputs, ...},
 *      "modules": [a record for each module, see onnx/metadata/module_tree.h],
 *      "operations": {node or initializer: {...}},
 *      "tensors": {tensor: {producer, consumers, ...}},
 *      "dag": {full tag: {"nodes": [...], "edges": [[from, to], ...]}},
 *      "quality": {metrics, see report/quality/quality.h}}
 *
 * null stands for unknown. Each record is a line. Nodes, initializers and tensors are keyed by
 * name, or by NAME#NUMBER if the name is empty or taken. A module's dag has all nodes that ran in
 * it or in a module below it.
 *
 * The document is streamed, since it grows with the number of nodes times the depth of the modules.
 */
#ifndef HTP_REPORT_SIDECAR_H
#define HTP_REPORT_SIDECAR_H

#include "base/json/json.h"
#include "query/tree/tree.h"

/** The version of the document. */
#define HTP_SIDECAR_VERSION 1

/** Facts about an export that its file does not have, so a sidecar made from a file lacks them. */
typedef struct htp_sidecar_run {
    const char *libtorch;
    const double *seconds; /* by htp_stage */
} htp_sidecar_run;

/** A sidecar that can be written. */
typedef struct htp_sidecar htp_sidecar;

/** Collects everything to be written, in @p arena: lists of numbers, and generated names. */
htp_sidecar *htp_sidecar_new(htp_arena *arena, const htp_view *view, const htp_tree *tree);

/**
 * Writes the document to @p json. A second call writes the same and allocates nothing.
 * @param run      may be NULL.
 * @param quality  the object of metrics, as JSON; NULL: none
 */
void htp_sidecar_write(htp_sidecar *sidecar, const htp_sidecar_run *run, const char *quality,
                       htp_json *json);

/** Receives a record. Records of lists have no key. */
typedef void (*htp_sidecar_take)(void *user, const char *part, const char *key, const char *json,
                                 size_t length);

/** Passes the records of all parts to a function, one by one. */
void htp_sidecar_list(htp_sidecar *sidecar, htp_sidecar_take take, void *user);

#endif
