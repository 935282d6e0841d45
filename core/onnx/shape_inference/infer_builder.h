/*
 * Builders made from files, for type inference (onnx/shape_inference/infer.h) alone.
 */
#ifndef HTP_ONNX_INFER_BUILDER_H
#define HTP_ONNX_INFER_BUILDER_H

#include "onnx/builder/builder.h"
#include "onnx/reader/value_type.h"
#include "onnx/shape_inference/infer_axes.h"

/** A builder whose tensors are the values of a view, with the same numbers. */
typedef struct htp_view_builder {
    htp_builder *builder;        /* NULL: nothing can be inferred */
    const htp_value_type *types; /* by value: as declared by the file, or as the axes have them */
    const uint32_t *graphs;      /* by graph of the view: its number in the builder; 0: none */
} htp_view_builder;

/**
 * Makes the builder of a view's main graph and its bodies, for htp_builder_infer_types() alone: it
 * has no names, inputs or outputs. Tensors have their declared types, HTP_DTYPE_OTHER for
 * unsupported ones. Names of dims count for inputs of the main graph alone: in bodies one name may
 * mean several sizes, and some exporters reuse names for node outputs. Only nodes whose attributes
 * have the expected kinds are added. Contents are those of small initializers and Constants in the
 * file, unless they are inputs, too.
 *
 * @param believes_nodes  false: declared types of node outputs are omitted, to be compared with
 *                        inferred ones.
 * @param axes            formulas or sizes for the dims, see htp_view_axes_put(); NULL: names of
 *                        dims are sizes of their own.
 * There is no builder for a file with flaws or an unsupported opset.
 */
htp_view_builder htp_view_builder_make(htp_arena *arena, const htp_view *view, bool believes_nodes,
                                       const htp_view_axes *axes);

#endif
