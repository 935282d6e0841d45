/*
 * Builders for type inference alone: what onnx/shape_inference/infer.h works with, made of what a
 * file says.
 */
#ifndef HTP_ONNX_INFER_DRAFT_H
#define HTP_ONNX_INFER_DRAFT_H

#include "onnx/builder/builder.h"
#include "onnx/reader/value_type.h"

/** A builder, whose tensors are the values of a view under the same numbers. */
typedef struct htp_view_draft {
    htp_builder *builder;        /* NULL: nothing can be inferred */
    const htp_value_type *types; /* by value: as the file declares them */
} htp_view_draft;

/**
 * Makes the builder of a view's own graph and of the bodies in it, for htp_builder_infer_types()
 * and for nothing else: there are no names, inputs and outputs. Tensors have the types that the
 * file declares, HTP_DTYPE_OTHER for those that no dtype is; names of dims count for inputs of the
 * graph itself alone: in bodies they are those of several sizes, and some exporters give one name
 * to several dims of what nodes make. Nodes are those whose attributes have the kinds that the
 * rules read. Contents are known of small initializers and Constants that lie in the file, unless
 * they are inputs, too.
 *
 * @param believes_nodes  false: what is declared of values that nodes make is left out, so that it
 *                        can be held against what is inferred.
 * There is none of a file with flaws, and of an opset whose operators the rules do not know.
 */
htp_view_draft htp_view_draft_make(htp_arena *arena, const htp_view *view, bool believes_nodes);

#endif
