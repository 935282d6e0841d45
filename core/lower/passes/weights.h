/*
 * Weights as readers want them: a pass over a model that is lowered and not yet pruned.
 *
 * What only lays a weight out anew, or casts it, becomes an initializer of its own, whose elements
 * are taken from the weight when the model is written. A weight that is read as it is stored and
 * otherwise, too, would be there twice: it is tied, and its nodes stay.
 */
#ifndef HTP_LOWER_WEIGHTS_H
#define HTP_LOWER_WEIGHTS_H

#include "onnx/builder/builder.h"

/** A weight that stays as it is, and a product of matrices that therefore reads it through a node.
 */
typedef struct htp_tied_weight {
    const char *name; /* of the initializer */
    uint32_t scope;   /* of the product */
    uint64_t bytes;
} htp_tied_weight;

typedef HTP_VECTOR(htp_tied_weight) htp_tied_weights;

/**
 * Lays weights out anew. Between htp_lower_graph() and htp_builder_remove_unused(), which removes
 * what is not needed any more.
 * @param unties  a weight that is read in several layouts is written in each of them
 * @param tied    receives those of which products read that stay, in the order of these
 */
void htp_weights_lay_out(htp_builder *model, bool unties, htp_tied_weights *tied);

#endif
