/*
 * Casts, copies, and operators that are identities in inference.
 */
#include "lower/compose/compose.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"

/** aten::to, type_as, ...: only the output's dtype matters; device and layout mean nothing here. */
void htp_lower_cast(htp_lowering *l)
{
    htp_bind(l, 0, htp_arg_tensor_as(l, "self", htp_output_dtype(l, 0)));
}

/** The first argument, whatever its name: aten::contiguous, clone, detach, ... */
void htp_lower_identity(htp_lowering *l)
{
    htp_bind(l, 0, htp_value_tensor(l, l->node->inputs[0]));
}

/** aten::dropout and its kin, which are active only in training. */
void htp_lower_dropout(htp_lowering *l)
{
    if (htp_arg_bool_or(l, "train", true) && htp_arg_float(l, "p") != 0) {
        htp_lower_fail_training(l);
    }
    /* The in-place form calls it "self". */
    htp_bind(l, 0, htp_value_tensor(l, l->node->inputs[0]));
    if (l->node->output_count == 2) { /* aten::native_dropout: the mask of kept elements */
        htp_tensor_id kept = htp_emit_scalar_int(l, HTP_DTYPE_BOOL, 1);
        htp_tensor_id shape = htp_emit_shape(l, htp_arg_tensor(l, "input"),
                                             htp_arg_rank(l, "input"), htp_arg_dims(l, "input"));
        htp_bind(l, 1, htp_emit_binary(l, "Expand", kept, shape));
    }
}

/** @p value in the dtype and the shape of the argument self. */
static void bind_like_self(htp_lowering *l, htp_tensor_id value)
{
    htp_dtype dtype = htp_arg_dtype(l, "self");
    htp_tensor_id shape = htp_emit_shape(l, htp_arg_tensor(l, "self"), htp_arg_rank(l, "self"),
                                         htp_arg_dims(l, "self"));
    htp_bind(l, 0, htp_typed_expand(l, dtype, value, shape));
}

/** aten::copy: src, broadcast to the shape of self. The row's parameter is src's name. */
void htp_lower_copy(htp_lowering *l)
{
    const char *name = l->row->op;
    htp_tensor_id source = htp_arg_tensor_as(l, name, htp_arg_dtype(l, "self"));
    uint32_t rank = htp_arg_rank(l, "self");
    bool same_shape = htp_arg_rank(l, name) == rank &&
                      htp_dims_are_static(htp_arg_dims(l, "self"), rank) &&
                      htp_dims_are_static(htp_arg_dims(l, name), rank);
    for (uint32_t i = 0; i < rank && same_shape; i++) {
        same_shape = htp_arg_dims(l, "self")[i].size == htp_arg_dims(l, name)[i].size;
    }
    if (same_shape) {
        htp_bind(l, 0, source);
    } else {
        bind_like_self(l, source);
    }
}

/** aten::fill */
void htp_lower_fill(htp_lowering *l)
{
    bind_like_self(l, htp_arg_tensor_as(l, "value", htp_arg_dtype(l, "self")));
}

/** aten::zero */
void htp_lower_zero(htp_lowering *l)
{
    bind_like_self(l, htp_emit_scalar_int(l, htp_arg_dtype(l, "self"), 0));
}
