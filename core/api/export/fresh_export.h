/*
 * A model that can be exported as a reference for tags: exported anew, and followed on a second
 * path that tells which module ran each node (source/call_oracle/call_oracle.h). Private to
 * core/api.
 */
#ifndef HTP_API_FRESH_EXPORT_H
#define HTP_API_FRESH_EXPORT_H

#include "api/session/session.h"
#include "onnx/reader/view.h"
#include "quality/truth.h"
#include "query/tree/tree.h"

/** All zeroes: nothing is open. Lives in a frame that no jump skips. */
typedef struct htp_fresh_export {
    htp_view view;           /* of what an export of the model writes, with all tags */
    htp_tree tree;           /* of the view */
    htp_truth truth;         /* by its nodes */
    const uint32_t *modules; /* by node, of the tree: where the truth lies for who goes from there
                                to the nearest tag above: the innermost module, or the owner where
                                that is elsewhere. HTP_NONE: not known */
    const char *kind;        /* of the file: its reader's key */
    htp_session work;        /* while it is made */
    int fd;                  /* the same */
    bool has_fd;
} htp_fresh_export;

/**
 * Exports @p model_path, linear in the program, and finds which module ran each node. Nothing is
 * written to a disk: the structure goes to memory, and the weights are read from the archive where
 * somebody asks for them. Nodes that serve no operator, as those that make a second output of one
 * tensor, are not known; neither is what runs where calls are made on objects that the program
 * decides.
 * @param arena    the view, the tree and the truth live there; its recovery point is set
 * @param options  inputs, method, opset, libraries and so on as for htp_export(); where tags are
 *                 written is of no account. NULL: all defaults
 * @param fresh    all zeroes; to be closed in any case, also after the arena ran out of memory
 * @return what htp_export() returns, HTP_CODE_UNSUPPORTED also for programs that are too large with
 *         all calls inlined
 */
HTP_MUST_USE htp_status htp_fresh_export_make(htp_fresh_export *fresh, htp_arena *arena,
                                              const char *model_path, const htp_options *options);

/** Closes what is open. */
void htp_fresh_export_close(htp_fresh_export *fresh);

#endif
