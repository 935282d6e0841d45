/*
 * Makes a flat view of a file, in which functions are inlined. All queries use that view, so their
 * answers equal those for a flat file.
 *
 * Nodes outside functions stay in the file; weights are never copied. Inlined nodes are made in
 * memory, with names of their own, and with tags of the call's instance (see
 * onnx/inliner/inline_texts.h).
 *
 * Names: an inlined node is CALL/NODE. If that is taken, the number at its end is replaced as in
 * htp_name_unique(). The number of a repeated call ("#2") is dropped, too. A value NODE_output_I
 * follows its node's name; inputs of bodies keep their names. Numbers count in the order of nodes,
 * each before those of its bodies; names of the model's own nodes and values are reserved.
 *
 * A Constant of a function, except in bodies, becomes one initializer for all calls. Equal
 * constants with a common name that begins with a slash are shared by all functions.
 *
 * A function stays an operator if it imports another version of a domain than the model, or takes
 * bodies as attributes. Functions without calls are left out.
 */
#ifndef HTP_ONNX_INLINE_H
#define HTP_ONNX_INLINE_H

#include "onnx/reader/view.h"

/**
 * Makes the flat view of @p file in its arena. Time and memory are linear in the result, whose size
 * onnx/inliner/inline_plan.h bounds.
 * @param flat  to be closed in any case, and before @p file, which must not change until then.
 * @param file  opened, without flaws.
 * @return HTP_CODE_BAD_INPUT as htp_inline_plan_make(), and as htp_view_open().
 */
HTP_MUST_USE htp_status htp_view_inline(htp_view *flat, const htp_view *file);

#endif
