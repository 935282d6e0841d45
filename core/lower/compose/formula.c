#include "lower/compose/formula.h"

#include "lower/compose/compose.h"
#include "lower/emit/ort_dtypes.h"

htp_formula htp_formula_of_steps(htp_lowering *l, htp_dtype dtype)
{
    return (htp_formula){l, htp_composite_dtype(dtype), dtype};
}

htp_formula htp_formula_of_kernel(htp_lowering *l, htp_dtype dtype)
{
    dtype = htp_composite_dtype(dtype);
    return (htp_formula){l, dtype, dtype};
}

/** Whether an operator's result is exact in the operands' dtype. */
static bool is_exact(const char *op)
{
    static const char *const exact[] = {"Abs",  "Ceil",      "Floor",     "Max",   "Min",  "Neg",
                                        "Relu", "ReduceMax", "ReduceMin", "Round", "Sign", "Where"};
    return htp_text_is_one_of(op, exact, sizeof(exact) / sizeof(exact[0]));
}

htp_tensor_id htp_step_round(const htp_formula *f, htp_tensor_id x)
{
    x = htp_emit_cast(f->l, x, f->dtype, f->rounded);
    return htp_emit_cast(f->l, x, f->rounded, f->dtype);
}

htp_tensor_id htp_step_end(const htp_formula *f, const char *op, htp_tensor_id x)
{
    return is_exact(op) ? x : htp_step_round(f, x);
}

htp_tensor_id htp_step_arg(const htp_formula *f, const char *name)
{
    return htp_arg_tensor_as(f->l, name, f->dtype);
}

htp_tensor_id htp_step_number(const htp_formula *f, double value)
{
    return htp_emit_scalar(f->l, f->dtype, value);
}

htp_tensor_id htp_step_binary(const htp_formula *f, const char *op, htp_tensor_id a,
                              htp_tensor_id b)
{
    return htp_step_end(f, op, htp_typed_binary(f->l, op, f->dtype, a, b));
}

htp_tensor_id htp_step_scalar(const htp_formula *f, const char *op, htp_tensor_id a, double b)
{
    return htp_step_end(f, op, htp_typed_scalar(f->l, op, f->dtype, a, b));
}

htp_tensor_id htp_step_from(const htp_formula *f, double a, const char *op, htp_tensor_id x)
{
    return htp_step_binary(f, op, htp_step_number(f, a), x);
}

htp_tensor_id htp_step_polynomial(const htp_formula *f, htp_tensor_id x, const double *c,
                                  size_t count)
{
    htp_tensor_id sum = htp_step_number(f, c[count - 1]);
    for (size_t i = count - 1; i-- > 0;) {
        sum = htp_step_scalar(f, "Add", htp_step_binary(f, "Mul", sum, x), c[i]);
    }
    return sum;
}

htp_tensor_id htp_step_compare(const htp_formula *f, const char *op, htp_tensor_id a,
                               htp_tensor_id b)
{
    return htp_typed_predicate(f->l, op, f->dtype, a, b);
}

htp_tensor_id htp_step_compare_scalar(const htp_formula *f, const char *op, htp_tensor_id a,
                                      double b)
{
    return htp_typed_predicate_scalar(f->l, op, f->dtype, a, b);
}

htp_tensor_id htp_step_is_nan(const htp_formula *f, htp_tensor_id x)
{
    return htp_typed_predicate(f->l, "IsNaN", f->dtype, x, HTP_NONE);
}

htp_tensor_id htp_step_where(const htp_formula *f, htp_tensor_id condition, htp_tensor_id a,
                             htp_tensor_id b)
{
    return htp_typed_where(f->l, f->dtype, condition, a, b);
}

htp_tensor_id htp_step_where_number(const htp_formula *f, htp_tensor_id condition, double a,
                                    htp_tensor_id b)
{
    return htp_step_where(f, condition, htp_step_number(f, a), b);
}

htp_tensor_id htp_step_reduce(const htp_formula *f, const char *op, htp_tensor_id x,
                              const int64_t *axes, size_t axis_count, bool keepdims)
{
    return htp_step_end(f, op, htp_typed_reduce(f->l, op, f->dtype, x, axes, axis_count, keepdims));
}

void htp_formula_bind(const htp_formula *f, size_t index, htp_tensor_id x)
{
    htp_bind_cast(f->l, index, x, f->dtype);
}
