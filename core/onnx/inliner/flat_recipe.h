/*
 * A flat view (onnx/inliner/inline.h) as a file.
 */
#ifndef HTP_ONNX_FLAT_RECIPE_H
#define HTP_ONNX_FLAT_RECIPE_H

#include "onnx/rewriter/rewrite.h"

/**
 * What the file of a flat view is made of: the model's own fields, in their order, with the nodes,
 * initializers, types and imports of the view. Of a view of a file as it is, the file.
 * @param options  gets the recipe and the tensors that are in it.
 * @param edits    gets those that put the types of values in bodies in order; NULL: they stay.
 * @return HTP_CODE_BAD_INPUT where a function is left that the flat model still calls.
 */
HTP_MUST_USE htp_status htp_flat_recipe_make(htp_arena *arena, const htp_view *view,
                                             htp_rewrite_options *options, htp_edit_list *edits);

#endif
