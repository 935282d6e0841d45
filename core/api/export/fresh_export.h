/*
 * A model that is exported anew, in memory: as a reference for tags, whose modules an independent
 * analysis finds (source/call_oracle/call_oracle.h), and as the description of a program that runs.
 * Private to core/api.
 */
#ifndef HTP_API_FRESH_EXPORT_H
#define HTP_API_FRESH_EXPORT_H

#include "api/session/session.h"
#include "onnx/reader/view.h"
#include "quality/truth.h"
#include "query/tree/tree.h"

/** All zeroes: nothing is open. Lives in a frame that no jump skips. */
typedef struct htp_fresh_export {
    htp_view view;           /* of the export's structure, with all tags */
    htp_tree tree;           /* of the view */
    htp_truth truth;         /* by its nodes */
    const uint32_t *modules; /* by node: the innermost module that ran it, in the tree; its owner,
                                if the nearest tagged module above the innermost is another one.
                                HTP_NONE: unknown */
    const char *kind;        /* of the file: its reader's key */
    htp_builder *model;      /* that was written, while the work is open */
    htp_session work;        /* open while the export is made */
    int fd;                  /* of the memory file, likewise; if has_fd */
    bool has_fd;
} htp_fresh_export;

/**
 * Exports @p model_path and finds the module of each node. Linear in the program. Nothing is
 * written to disk: the structure stays in memory, and weights are read from the archive on demand.
 * Nodes without an operator, such as copies of a tensor for a second output, are unknown; so are
 * nodes in calls on objects that depend on data.
 * @param arena    the view, the tree and the truth live there; its recovery point is set
 * @param options  inputs, method, opset, libraries and so on as for htp_export(); where tags are
 *                 written does not matter. NULL: all defaults
 * @param fresh    all zeroes; to be closed in any case, also after the arena ran out of memory
 * @return as htp_export(); HTP_CODE_UNSUPPORTED also for programs that are too large with all calls
 *         inlined
 */
HTP_MUST_USE htp_status htp_fresh_export_make(htp_fresh_export *fresh, htp_arena *arena,
                                              const char *model_path, const htp_options *options);

/** As htp_fresh_export_make(), with nodes that serve several modules, and without the truth. */
HTP_MUST_USE htp_status htp_fresh_export_make_model(htp_fresh_export *fresh, htp_arena *arena,
                                                    const char *model_path,
                                                    const htp_options *options);

/**
 * As htp_fresh_export_make_model(). The work stays open until htp_fresh_export_close(): its graph,
 * runner and weights. The model notes which tensors hold recorded values (htp_builder.recorded).
 * Its arena's recovery point is that of a frame that has returned: set it before memory is taken
 * there.
 */
HTP_MUST_USE htp_status htp_fresh_export_open(htp_fresh_export *fresh, htp_arena *arena,
                                              const char *model_path, const htp_options *options);

/** Releases everything. */
void htp_fresh_export_close(htp_fresh_export *fresh);

#endif
