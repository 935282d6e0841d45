/*
 * A file with functions as the flat model that it means: a view of it in which the nodes of
 * functions stand in the places of their calls. Whatever is asked of models is asked of that view,
 * so that answers are those for the flat file.
 *
 * Nodes that are no calls are those of the file; weights are never copied. What stands in the place
 * of a call is made in memory: nodes under names of their own, with tags that name the instance
 * that the call is of (see onnx/inliner/inline_texts.h).
 *
 * Names: a node of a call is called as the call, and its own name behind a slash; where that is
 * taken, it is numbered as htp_name_unique() does, its own number left out. The further calls of
 * one module are numbered ("#2"), which is left out, too. A value NODE_output_I is called as its
 * node; inputs of bodies keep their names. Numbers count in the order of nodes, each before those
 * of its bodies; names of the model's own nodes and values are reserved.
 *
 * A Constant of a function, but for those in bodies, becomes an initializer, once for all calls;
 * equal ones of one name, which begins with a slash, are one in all functions.
 *
 * A function stays an operator where it cannot be inlined as it is: it imports another version of a
 * set of operators than the model, or takes bodies as attributes. Functions that the model does not
 * call are left out.
 */
#ifndef HTP_ONNX_INLINE_H
#define HTP_ONNX_INLINE_H

#include "onnx/reader/view.h"

/**
 * Makes the flat view of @p file in its arena. Time and memory are linear in what comes out, which
 * is bounded by what the file holds: see onnx/inliner/inline_plan.h.
 * @param flat  to be closed in any case, before @p file, which must stay as it is for so long.
 * @param file  opened, without flaws.
 * @return HTP_CODE_BAD_INPUT as htp_inline_plan_make(), and as htp_view_open().
 */
HTP_MUST_USE htp_status htp_view_inline(htp_view *flat, const htp_view *file);

#endif
