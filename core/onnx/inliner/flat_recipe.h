/*
 * Writes a flat view (onnx/inliner/inline.h) as a file.
 */
#ifndef HTP_ONNX_FLAT_RECIPE_H
#define HTP_ONNX_FLAT_RECIPE_H

#include "onnx/rewriter/rewrite.h"

/**
 * The recipe of a flat view's file: the model's own fields, in order, with the nodes, initializers,
 * types and imports of the view. For a view without inlining, the file itself.
 * @param options  receives the recipe and its tensors.
 * @param edits  receives the edits that reorder types in bodies; NULL: no reordering.
 * @return HTP_CODE_BAD_INPUT if the flat model still calls a function.
 */
HTP_MUST_USE htp_status htp_flat_recipe_make(htp_arena *arena, const htp_view *view,
                                             htp_rewrite_options *options, htp_edit_list *edits);

/** Adds a constant of a function to a graph, as an initializer. */
void htp_flat_recipe_add_lifted(htp_arena *arena, htp_recipe *graph, const htp_view_lifted *lifted);

#endif
