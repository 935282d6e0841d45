/*
 * Lays out weights for their readers: a pass over a model that is lowered and not yet pruned.
 *
 * A rearranged or cast weight becomes an initializer, whose elements are taken from the weight
 * while the model is written. A weight that is also read as stored would be written twice: it is
 * tied, and its nodes stay, unless all its layouts together have no more than 1 MiB and none is its
 * transpose.
 */
#ifndef HTP_LOWER_WEIGHTS_H
#define HTP_LOWER_WEIGHTS_H

#include "onnx/builder/builder.h"

/** A weight that stays, and a matrix product that therefore reads it through a node. */
typedef struct htp_tied_weight {
    const char *name; /* the initializer's */
    uint32_t scope;   /* the product's */
    uint64_t bytes;
} htp_tied_weight;

typedef HTP_VECTOR(htp_tied_weight) htp_tied_weights;

/**
 * Lays out weights. Called between htp_lower_graph() and htp_builder_remove_unused(), which removes
 * the dead nodes.
 * @param unties  write every layout of a weight, so that none is tied
 * @param tied  receives the tied weights, in the order of products
 */
void htp_weights_lay_out(htp_builder *model, bool unties, htp_tied_weights *tied);

#endif
