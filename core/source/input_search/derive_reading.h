/*
 * Shared parts of the rules for operands. Private to derive_operands.c and derive_rules.c.
 */
#ifndef HTP_SOURCE_DERIVE_READING_H
#define HTP_SOURCE_DERIVE_READING_H

#include "source/input_search/derive.h"

#include <string.h>

/* The node that raised, and the facts about it. */
struct reading {
    const htp_trace *trace;
    const htp_trace_node *node;
    htp_refusal *refusal;
    uint32_t lane;
    htp_fact *pairs;   /* receives all pairs, equal ones included; or NULL */
    uint32_t compared; /* pairs of numbers so far */
};

static inline void add_fact(struct reading *r, htp_fact fact)
{
    htp_refusal *refusal = r->refusal;
    fact.id = r->compared++;
    if (r->pairs && fact.id < HTP_PAIR_LIMIT) {
        r->pairs[fact.id] = fact;
    }
    bool differs = !fact.is_one && (fact.is_least ? fact.have < fact.want : fact.have != fact.want);
    if (differs && fact.want > 0 && refusal->fact_count < HTP_FACT_LIMIT) {
        refusal->facts[refusal->fact_count++] = fact;
    }
}

static inline void add_sizes(struct reading *r, int64_t have, int64_t want)
{
    add_fact(r, (htp_fact){.have = have, .want = want});
}

/* Sizes that need not agree if the first one is 1, or, with @p both, if either is. */
static inline void add_broadcast(struct reading *r, int64_t have, int64_t want, bool both)
{
    add_fact(r, (htp_fact){.have = have, .want = want, .is_one = have == 1 || (both && want == 1)});
}

static inline void add_guess(struct reading *r, int64_t have, int64_t want)
{
    add_fact(r, (htp_fact){.have = have, .want = want, .is_guess = true});
}

static inline void add_least(struct reading *r, int64_t have, int64_t want)
{
    add_fact(r, (htp_fact){.have = have, .want = want, .is_least = true});
}

/* A least size below which the operator raises in any case. */
static inline void add_sure_least(struct reading *r, int64_t have, int64_t want)
{
    add_fact(r, (htp_fact){.have = have, .want = want, .is_least = true, .is_sure = true});
}

static inline void add_ranks(struct reading *r, int64_t have, int64_t want)
{
    add_fact(r, (htp_fact){.have = have, .want = want, .is_rank = true});
}

static inline const htp_trace_value *operand(const struct reading *r, const char *name)
{
    for (uint32_t i = 0; i < r->node->input_count; i++) {
        if (strcmp(r->node->input_names[i], name) == 0) {
            return &r->trace->values[r->node->inputs[i]];
        }
    }
    return NULL;
}

static inline const htp_trace_value *tensor(const struct reading *r, const char *name)
{
    const htp_trace_value *value = operand(r, name);
    return value && value->kind == HTP_TRACE_TENSOR ? value : NULL;
}

static inline const htp_trace_value *element(const struct reading *r, const htp_trace_value *list,
                                             uint32_t index)
{
    return &r->trace->values[list->elements[index]];
}

/* Reads a number among the operands; false if it is not one, or data-dependent. */
static inline bool number(const struct reading *r, const char *name, int64_t *result)
{
    const htp_trace_value *value = operand(r, name);
    bool is_known = value && value->kind == HTP_TRACE_INT && value->has_lanes;
    *result = is_known ? value->i[r->lane] : *result;
    return is_known;
}

/* Number @p index of a list that may be shorter: the default of most such lists is 1. */
static inline int64_t number_of(const struct reading *r, const char *name, uint32_t index)
{
    const htp_trace_value *list = operand(r, name);
    if (!list || list->kind != HTP_TRACE_LIST || list->element_count == 0) {
        return 1;
    }
    const htp_trace_value *value =
        element(r, list, index < list->element_count ? index : list->element_count - 1);
    return value->kind == HTP_TRACE_INT ? value->i[r->lane] : 1;
}

/* Dim @p index, which may be negative; 1 if there is none. */
static inline int64_t dim(const struct reading *r, const htp_trace_value *value, int64_t index)
{
    int64_t at = index < 0 ? index + value->rank : index;
    return at >= 0 && at < value->rank ? value->dims[r->lane][at] : 1;
}

static inline int64_t count_elements(const struct reading *r, const htp_trace_value *value)
{
    int64_t count = 1;
    for (uint32_t d = 0; d < value->rank; d++) {
        if (__builtin_mul_overflow(count, value->dims[r->lane][d], &count)) {
            return 0;
        }
    }
    return count;
}

/* ---- rules of derive_rules.c ---- */

/** Recurrent layers: features of the input, and sizes of states. */
void htp_read_recurrent(struct reading *r);

/** One step of a recurrent layer. */
void htp_read_cell(struct reading *r);

/** Indices must be whole numbers. */
void htp_read_ids(struct reading *r);

/** A permutation has as many dims as the tensor. */
void htp_read_permutation(struct reading *r);

/** A grid has one coordinate for each dim of the image. */
void htp_read_grid(struct reading *r);

/** Classes of a loss: the sizes of the scores without those of the classes. */
void htp_read_target(struct reading *r);

/** Queries, keys, values, and a mask that broadcasts with their scores. */
void htp_read_attention(struct reading *r);

/** Tensors inserted at indices along a dim: one part per index, with the sizes of the existing
 * parts. */
void htp_read_indexed(struct reading *r);

/** Points of two sets have equally many coordinates. */
void htp_read_distance(struct reading *r);

/** Attention whose operands have the features of its weights, and a mask that is not broadcast. */
void htp_read_native_attention(struct reading *r);

/** A whole encoder layer: likewise. */
void htp_read_encoder_layer(struct reading *r);

/** Packed sequences: a length for each. */
void htp_read_packing(struct reading *r);

/** The target of a loss, which has the sizes of the prediction. */
void htp_read_alike(struct reading *r);

/** Dims of one letter have one size. */
void htp_read_einsum(struct reading *r);

#endif
