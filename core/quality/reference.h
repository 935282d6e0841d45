/*
 * A reference: which modules ran the nodes, by another source with a tree of its own.
 */
#ifndef HTP_QUALITY_REFERENCE_H
#define HTP_QUALITY_REFERENCE_H

#include "quality/subject.h"
#include "quality/truth.h"

typedef struct htp_reference {
    const char *file;
    const char *kind;       /* "torchscript", "torch.export", "sidecar", "model" */
    const htp_tree *tree;   /* of the modules below */
    const htp_slice *paths; /* by module of the tree; see htp_subject_list_paths() */
    bool has_paths;
    const uint32_t *modules; /* by measured node: the innermost module that ran it; HTP_NONE:
                                unknown */
    uint64_t matched;        /* nodes whose module is known */
    uint64_t unmatched;      /* the other nodes */
} htp_reference;

/** The innermost module that ran a node of a tree; the module of its tag, if that is not an
 * ancestor of it. HTP_NONE: the node has no tag. */
uint32_t htp_reference_find_ran(const htp_tree *tree, uint32_t node);

#endif
