/*
 * Findings of a model: its structure, and its records of modules.
 *
 * Checked in all graphs, bodies and functions: duplicate names of values or nodes; values without a
 * producer, or read too early; operators of domains that are not imported; the checks of
 * query/validate/validate_onnx.h. With our tags (see onnx/metadata/annotate.h), also:
 * - every node has a tag, the same in all places; its list of tags begins with it;
 * - a tag is relative only in functions, below that of the call; an absolute one only in a function
 *   whose calls are all of one module;
 * - tags and full tags belong to modules among the records (htp.module_tree);
 * - a tag is that of the innermost tagged module in the node's chain (`namespace`);
 * - nodes of one scope, which their names begin with, have one tag;
 * - records form a tree: full tags and paths are unique, tags extend those above them and spell
 *   their class, and counts of nodes are right;
 * - initializers name the modules of all nodes that read them, and no others but their owners.
 *
 * Structure is checked in the file, tags in the inlined model. For a model that another program
 * changed, one finding replaces all others about modules. If it was retagged (query/retag/retag.h),
 * nodes are not counted, and names of the other program are ignored. A part of a model
 * (query/partition/part.h) keeps the records of the whole: it may have fewer nodes than counted,
 * and initializers may name modules that it lacks.
 */
#ifndef HTP_QUERY_VALIDATE_H
#define HTP_QUERY_VALIDATE_H

#include "query/tree/tree.h"

/** The subject of a finding: at most one of these is not HTP_NONE. */
typedef struct htp_finding_subject {
    uint32_t node;
    uint32_t module; /* of the tree, by its record */
    uint32_t tensor;
} htp_finding_subject;

/** Findings as sentences, in the order of the file. */
typedef struct htp_findings {
    htp_arena *arena;
    HTP_VECTOR(const char *) list;
    HTP_VECTOR(htp_finding_subject) subjects; /* by finding */
    htp_finding_subject about;                /* of the next finding */
} htp_findings;

/** Sets the subject of the next findings; all HTP_NONE: none. */
static inline void htp_findings_turn_to(htp_findings *findings, uint32_t node, uint32_t module,
                                        uint32_t tensor)
{
    findings->about = (htp_finding_subject){node, module, tensor};
}

/** Adds a finding. */
void htp_finding_add(htp_findings *findings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Whether a model was retagged, or modules of it were replaced: records count the nodes of the
 * model before. */
bool htp_validate_is_told(const htp_view *view);

/**
 * Whether another program changed a model with records, which was not retagged since
 * (query/retag/retag.h); htp_validate_changed() adds the finding that replaces all others about
 * modules.
 */
bool htp_validate_is_changed(const htp_view *view, const htp_tree *tree);
void htp_validate_changed(const htp_view *view, const htp_tree *tree, htp_findings *findings);

/** Checks a view and its tree.
 * @param file  the view of the file itself; equals @p view if it has no functions */
void htp_validate(const htp_view *file, const htp_view *view, const htp_tree *tree,
                  htp_findings *findings);

/** The parts: structure; tags of nodes; records and initializers. Private to core/query. */
void htp_validate_structure(const htp_view *view, htp_findings *findings);
void htp_validate_functions(const htp_view *file, htp_findings *findings);
void htp_validate_nodes(const htp_view *view, const htp_tree *tree, htp_findings *findings);
void htp_validate_records(const htp_view *view, const htp_tree *tree, htp_findings *findings);
void htp_validate_weights(const htp_view *view, const htp_tree *tree, htp_findings *findings);

#endif
