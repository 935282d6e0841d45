/*
 * A fingerprint: the contents of a model without its names.
 *
 * Every node has labels, which are digests of the node by itself, and links to its operands.
 * Constants are part of their readers' labels: initializers, Constant nodes, and either passed on
 * by Identity. These nodes are not in the fingerprint. An attribute with its default value counts
 * as absent, and the operands of Add have no order. Names of values and nodes, tags, doc strings
 * and metadata are left out; op types, domains and names of attributes count.
 */
#ifndef HTP_QUERY_FINGERPRINT_H
#define HTP_QUERY_FINGERPRINT_H

#include "query/compare/digest.h"

/** What a label covers. */
typedef enum htp_label {
    HTP_LABEL_WHOLE,    /* the operator, its attributes, and the numbers of its constants */
    HTP_LABEL_FORM,     /* the types and dims of its constants in place of the numbers */
    HTP_LABEL_OPERATOR, /* the operator alone */
    HTP_LABEL_COUNT,
} htp_label;

/** An operand that is not constant. */
typedef struct htp_link {
    uint32_t from;   /* node; HTP_NONE: an input of the model, or of a function */
    htp_digest what; /* slot of the operand, and result of the source, or the input */
} htp_link;

/** Numbers of inputs, outputs and functions: equal ones of two models are paired. */
typedef struct htp_pairing {
    const uint64_t *inputs; /* of graph 0, by position */
    const uint64_t *outputs;
    const uint64_t *functions; /* by function */
} htp_pairing;

typedef struct htp_fingerprint {
    const htp_view *view;
    uint64_t seed;
    uint32_t count;                            /* nodes of the view */
    uint32_t units;                            /* how many of them are in the fingerprint */
    const htp_content *tensors;                /* by tensor */
    const htp_content *constants;              /* by node, if is_constant */
    const bool *is_constant;                   /* by node: it makes a constant, so it is left out */
    const htp_digest *labels[HTP_LABEL_COUNT]; /* by node */
    const htp_digest *attributes;              /* by node: their part of the label */
    const htp_digest *given;                   /* by node: of its constants */
    const uint32_t *first_link;                /* by node, and one more */
    HTP_VECTOR(htp_link) links;
    HTP_VECTOR(htp_link) outputs; /* of the model, then of functions */
    uint32_t model_outputs;       /* how many are the model's */
} htp_fingerprint;

/** Whether a link comes from an earlier node: nodes of functions follow those of the model. */
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

/** Whether an attribute of ONNX's own operator has the default value of version @p opset. Private
 * to core/query. */
bool htp_fingerprint_is_default(const htp_view *view, int64_t opset, const htp_view_node *node,
                                const htp_view_attribute *attribute);

/** The digest of an attribute's value and name. Private to core/query. */
htp_digest htp_fingerprint_attribute(htp_arena *arena, const htp_view *view, uint64_t seed,
                                     const htp_content *contents,
                                     const htp_view_attribute *attribute);

/** The value of a Constant node. @return false if the node is another one, or the kind is unknown.
 * Private to core/query. */
bool htp_fingerprint_constant(htp_arena *arena, const htp_view *view, uint64_t seed,
                              const htp_content *contents, uint32_t node, htp_content *content);

/** The digest of a name's text. */
htp_digest htp_fingerprint_name(const htp_view *view, uint64_t seed, htp_view_name name);

#endif
