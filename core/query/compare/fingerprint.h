/*
 * A fingerprint: the contents of a model without its names.
 *
 * Every node has labels, digests of the node by itself, and links to its operands. Constants are
 * part of their readers' labels: initializers, Constant nodes, and either passed on by Identity.
 * Such nodes are not in the fingerprint. An attribute with its default value counts as absent, and
 * the operands of Add have no order. Only names of operators count (op types, domains, attributes).
 * Tags, doc strings and metadata are left out.
 */
#ifndef HTP_QUERY_FINGERPRINT_H
#define HTP_QUERY_FINGERPRINT_H

#include "query/compare/digest.h"

/** How much a label tells. */
typedef enum htp_label {
    HTP_LABEL_WHOLE,    /* the operator, its attributes, and the numbers of its constants */
    HTP_LABEL_FORM,     /* the types and dims of its constants in place of the numbers */
    HTP_LABEL_OPERATOR, /* the operator alone */
    HTP_LABEL_COUNT,
} htp_label;

/** An operand that is no constant. */
typedef struct htp_link {
    uint32_t from;   /* node; HTP_NONE: an input of the model, or of a function */
    htp_digest what; /* as which operand, and which result of the source; or which input */
} htp_link;

/** Which inputs, outputs and functions of two models are one: those have the same number. */
typedef struct htp_pairing {
    const uint64_t *inputs; /* of graph 0, by position */
    const uint64_t *outputs;
    const uint64_t *functions; /* by function */
} htp_pairing;

typedef struct htp_fingerprint {
    const htp_view *view;
    uint64_t seed;
    uint32_t count;                            /* of nodes */
    uint32_t units;                            /* of these that are parts of the fingerprint */
    const htp_content *tensors;                /* by tensor */
    const htp_content *constants;              /* by node, where is_constant */
    const bool *is_constant;                   /* by node: it is no part, but makes a constant */
    const htp_digest *labels[HTP_LABEL_COUNT]; /* by node */
    const htp_digest *attributes;              /* by node: their part of the label */
    const htp_digest *given;                   /* by node: that of its constants */
    const uint32_t *first_link;                /* by node, and one more */
    HTP_VECTOR(htp_link) links;
    HTP_VECTOR(htp_link) outputs; /* of graphs that no node has: the model's and functions' */
    uint32_t model_outputs;       /* the first of these, one for each of graph 0 */
} htp_fingerprint;

/** The target of a reversed link: nodes of graphs follow the nodes of the model. */
static inline bool htp_link_is_forward(const htp_link *link, uint32_t node)
{
    return link->from != HTP_NONE && link->from < node;
}

/**
 * Makes a fingerprint in @p arena. Linear in the structure of the model.
 * @param contents  of all tensors; see htp_contents_read()
 */
void htp_fingerprint_make(htp_arena *arena, const htp_view *view, uint64_t seed,
                          const htp_content *contents, const htp_pairing *pairing,
                          htp_fingerprint *fingerprint);

/** Whether an attribute has its default value: the operator is ONNX's own, and this is the default
 * in version @p opset. Private to core/query. */
bool htp_fingerprint_is_default(const htp_view *view, int64_t opset, const htp_view_node *node,
                                const htp_view_attribute *attribute);

/** The digest of an attribute's value and name. Private to core/query. */
htp_digest htp_fingerprint_attribute(htp_arena *arena, const htp_view *view, uint64_t seed,
                                     const htp_content *contents,
                                     const htp_view_attribute *attribute);

/** The value of a Constant node. @return false if it is none, or of an unknown kind. Private to
 * core/query. */
bool htp_fingerprint_constant(htp_arena *arena, const htp_view *view, uint64_t seed,
                              const htp_content *contents, uint32_t node, htp_content *content);

/** The digest of a name's text. */
htp_digest htp_fingerprint_name(const htp_view *view, uint64_t seed, htp_view_name name);

#endif
