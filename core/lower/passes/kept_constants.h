/*
 * Finds what a finished model still computes of constants alone.
 */
#ifndef HTP_LOWER_KEPT_CONSTANTS_H
#define HTP_LOWER_KEPT_CONSTANTS_H

#include "lower/emit/means.h"
#include "onnx/builder/builder.h"

/**
 * Adds to @p kept the live nodes that read initializers alone, unless their trace node is there
 * already. Exempt are outputs of the model, and the Transpose of a weight that other nodes read as
 * it is stored: htp_weights_lay_out() lists those. Linear in the nodes.
 */
void htp_lower_find_kept(htp_builder *model, htp_kept_arithmetic *kept);

#endif
