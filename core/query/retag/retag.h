/*
 * Retagging: restores the modules of a model that another tool changed, from the original.
 *
 * Optimisers, quantisers, simplifiers and converters mostly keep the tags of old nodes, and give
 * none to new ones. The first of these that is found gives a node of the changed model its module:
 * - the tag that it still has;
 * - the node of the same name, or the one that makes a tensor of the same name;
 * - the node, or the maker of the tensor, whose name is a prefix of its own name or of its
 *   output's: "/encoder/MatMul_quant";
 * - its counterpart by structure, if the file keeps few names (query/compare/correspond.h);
 * - the only module that reads its weight;
 * - for a node between a tensor and its readers, or one that computes sizes for them: the module of
 *   the first reader, with all readers listed;
 * - for any other: the module that reads its sources in the original, or the deepest one around its
 *   sources and readers.
 *
 * A name without a scope ("Reshape_12") may be just a count. Such names are used if most of them
 * belong to the same operators in both files.
 */
#ifndef HTP_QUERY_RETAG_H
#define HTP_QUERY_RETAG_H

#include "base/numbers.h"
#include "query/tree/tree.h"

/** The rule that found a node's module. */
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
    uint32_t node;       /* the node of the tagged model that it stands for; HTP_NONE: none */
    uint32_t module;     /* of the tagged model */
    htp_view_range more; /* range of `more`: further modules that it serves */
    htp_retag_evidence evidence;
} htp_retag_place;

typedef struct htp_retagging {
    htp_retag_side changed, like;
    htp_retag_place *places; /* by node of the changed model */
    htp_numbers more;
    uint32_t *held; /* by tensor of the changed model: the initializer of the tagged one with the
                     * same elements, perhaps of another dtype; HTP_NONE */
    uint64_t counts[HTP_RETAG_EVIDENCES];
    bool is_same; /* all nodes still have their tags */
} htp_retagging;

/** Whether an initializer has the dims of one of the tagged model. */
bool htp_retag_has_dims(const htp_retagging *retagging, uint32_t tensor, uint32_t was);

/** The name of an evidence: "attribute". */
const char *htp_retag_evidence_name(htp_retag_evidence evidence);

/**
 * Finds the modules of all nodes of @p changed. Linear in both models.
 * @return HTP_CODE_BAD_INPUT if @p like has no modules, or the models share nothing.
 */
HTP_MUST_USE htp_status htp_retag_find(htp_arena *arena, const htp_retag_side *changed,
                                       const htp_retag_side *like, htp_retagging *retagging);

#endif
