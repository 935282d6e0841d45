/*
 * Retagging: the modules of a model's nodes for the nodes of what another tool made of it.
 *
 * Optimisers, quantisers, simplifiers and converters keep tags of nodes that they keep, mostly, and
 * know none for those that they make. A node of the changed model belongs, by the first of these
 * that tells,
 * - to the module whose tag it still has;
 * - where the node of its name does, or the one that makes what it makes under that name;
 * - where the node or the maker of the tensor does whose name its own name, or that of what it
 *   makes, begins with: "/encoder/MatMul_quant";
 * - where its counterpart by structure does, of a file that keeps few names
 * (query/compare/correspond.h);
 * - to the one module that reads a weight that it reads;
 * - where it stands on the way from a tensor to its readers, or makes sizes for them, to these: to
 *   the first, and it lists all of them; where it does more than that, to the module that follows
 * its sources, or to the deepest one that is around what it reads and feeds.
 *
 * A name without a scope ("Reshape_12") may have been given by counting: such names count as long
 * as most of them stand for the same operators in both files.
 */
#ifndef HTP_QUERY_RETAG_H
#define HTP_QUERY_RETAG_H

#include "base/numbers.h"
#include "query/tree/tree.h"

/** What a node's module was found by. */
typedef enum htp_retag_evidence {
    HTP_RETAG_BY_NOTHING, /* it is the root */
    HTP_RETAG_BY_ATTRIBUTE,
    HTP_RETAG_BY_NAME,
    HTP_RETAG_BY_TENSOR,
    HTP_RETAG_BY_PART_NAME,
    HTP_RETAG_BY_STRUCTURE,
    HTP_RETAG_BY_WEIGHT,
    HTP_RETAG_BY_READERS,
    HTP_RETAG_BY_SURROUNDINGS,
    HTP_RETAG_EVIDENCES,
} htp_retag_evidence;

/** A model and its tree. */
typedef struct htp_retag_side {
    htp_view *view;
    const htp_tree *tree;
} htp_retag_side;

/** Where a node of the changed model belongs. */
typedef struct htp_retag_place {
    uint32_t node;       /* of the tagged model, that it stands for; HTP_NONE: for none */
    uint32_t module;     /* of the tagged model */
    htp_view_range more; /* of `more`: further modules that it serves */
    htp_retag_evidence evidence;
} htp_retag_place;

typedef struct htp_retagging {
    htp_retag_side changed, like;
    htp_retag_place *places; /* by node of the changed model */
    htp_numbers more;
    uint32_t *held; /* by tensor of the changed model: the initializer of the tagged one whose
                     * numbers it holds, perhaps of another dtype; HTP_NONE */
    uint64_t counts[HTP_RETAG_EVIDENCES];
    bool is_same; /* all nodes still have their tags */
} htp_retagging;

/** Whether an initializer has the dims of one of the tagged model. */
bool htp_retag_has_dims(const htp_retagging *retagging, uint32_t tensor, uint32_t was);

/** The name of an evidence: "attribute". */
const char *htp_retag_evidence_name(htp_retag_evidence evidence);

/**
 * Finds the modules of all nodes of @p changed. Linear in both models.
 * @return HTP_CODE_BAD_INPUT where @p like tells of no modules, or both have nothing in common.
 */
HTP_MUST_USE htp_status htp_retag_find(htp_arena *arena, const htp_retag_side *changed,
                                       const htp_retag_side *like, htp_retagging *retagging);

#endif
