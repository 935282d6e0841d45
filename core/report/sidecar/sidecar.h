/*
 * The sidecar: what a model says of its modules, in one JSON document beside it, for whoever does
 * not read ONNX. docs/hierarchy.schema.json describes it.
 *
 *     {"version": 1,
 *      "export": {tool, versions, operator sets, inputs, outputs, ...},
 *      "modules": [a record for each module, see onnx/metadata/module_tree.h],
 *      "operations": {node or initializer: {...}},
 *      "tensors": {tensor: {producer, consumers, ...}},
 *      "dag": {full tag: {"nodes": [...], "edges": [[from, to], ...]}},
 *      "quality": {what was measured, see report/quality/quality.h}}
 *
 * null stands for what the file does not tell. Records stand on a line each. Nodes, initializers
 * and tensors go by their names; one that has none, or one that is taken, by NAME#NUMBER. A
 * module's dag is that of all nodes that ran in it or in a module below it.
 *
 * The document is written piece by piece: it is never whole in memory, as it grows with the depth
 * of the modules times the number of nodes.
 */
#ifndef HTP_REPORT_SIDECAR_H
#define HTP_REPORT_SIDECAR_H

#include "base/json/json.h"
#include "query/tree/tree.h"

/** The version of the document. */
#define HTP_SIDECAR_VERSION 1

/** What an export knows beside the file; a document made of a file alone goes without. */
typedef struct htp_sidecar_run {
    const char *libtorch;
    const double *seconds; /* by htp_stage */
} htp_sidecar_run;

/** A sidecar that can be written. */
typedef struct htp_sidecar htp_sidecar;

/** Finds all that is to be written, in @p arena: lists of numbers, and names that are made. */
htp_sidecar *htp_sidecar_new(htp_arena *arena, const htp_view *view, const htp_tree *tree);

/**
 * Writes the document to @p json, which hands it on. Two writings are equal; the second one
 * allocates nothing.
 * @param run      may be NULL.
 * @param quality  the object with what was measured, as JSON; NULL: nothing was
 */
void htp_sidecar_write(htp_sidecar *sidecar, const htp_sidecar_run *run, const char *quality,
                       htp_json *json);

/** Takes a record that was written. Records of lists have no key. */
typedef void (*htp_sidecar_take)(void *user, const char *part, const char *key, const char *json,
                                 size_t length);

/** Hands on the records of all parts, each whole, one after the other. */
void htp_sidecar_list(htp_sidecar *sidecar, htp_sidecar_take take, void *user);

#endif
