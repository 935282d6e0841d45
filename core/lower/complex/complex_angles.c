/*
 * Angles of complex numbers, and of pairs of real ones. Those of a Fourier transform may depend on
 * its rounding.
 */
#include "lower/compose/complex.h"

#include "lower/emit/promote.h"
#include "lower/emit/rows.h"
#include "lower/emit/table.h"
#include "lower/pointwise/special.h"

/** Whether a row's lowering only moves elements or takes parts, without arithmetic. */
static bool moves_elements(const htp_operator *row)
{
    static const htp_lower_fn movers[] = {htp_lower_one_part,        htp_lower_view_as_real,
                                          htp_lower_view_as_complex, htp_lower_complex,
                                          htp_lower_complex_cast,    htp_lower_conj,
                                          htp_lower_complex_as};
    bool found = row && row->lower == htp_lower_parts && !row->op;
    for (size_t i = 0; row && i < sizeof(movers) / sizeof(movers[0]) && !found; i++) {
        found = row->lower == movers[i];
    }
    return found;
}

static bool is_transform(const htp_operator *row)
{
    return row && (row->lower == htp_lower_transform || row->lower == htp_lower_raw_transform ||
                   row->lower == htp_lower_stft);
}

/** Whether an argument is a Fourier transform, or elements or parts of one. Where the exact value
 * is zero, or real and negative, its angle depends on how the transform rounds. Frames of a signal
 * with reflected padding are such a case. */
static bool is_made_by_transform(htp_lowering *l, const char *name)
{
    htp_value_id id = htp_arg_value(l, name);
    while (id != HTP_NONE && htp_graph_value(l->graph, id)->producer != HTP_NONE) {
        uint32_t producer = htp_graph_value(l->graph, id)->producer;
        const htp_trace_node *node = htp_graph_node(l->graph, producer);
        const htp_operator *row = htp_table_find_complex(node->kind);
        if (is_transform(row)) {
            return true;
        }
        id = moves_elements(row) && node->input_count > 0 ? node->inputs[0] : HTP_NONE;
    }
    return false;
}

static void refuse_angle(htp_lowering *l)
{
    htp_lower_fail(l, "the angles of a Fourier transform hang on its rounding; work with its real "
                      "and imaginary parts");
}

void htp_complex_check_angle(htp_lowering *l, const char *name)
{
    if (is_made_by_transform(l, name)) {
        refuse_angle(l);
    }
}

/** aten::angle */
void htp_lower_complex_angle(htp_lowering *l)
{
    htp_complex_check_angle(l, "self");
    htp_formula f = htp_formula_of_kernel(l, htp_output_dtype(l, 0));
    htp_complex z = htp_arg_complex(l, "self", f.dtype);
    htp_formula_bind(&f, 0, htp_emit_atan2(&f, z.im, z.re));
}

/** aten::atan2, of real numbers, which may be the parts of complex ones */
void htp_lower_atan2(htp_lowering *l)
{
    static const char *const names[] = {"self", "other"};
    if (is_made_by_transform(l, "self") && is_made_by_transform(l, "other")) {
        refuse_angle(l);
        return;
    }
    htp_formula f =
        htp_formula_of_kernel(l, htp_promote_to_float(htp_promote_arguments(l, names, 2)));
    htp_tensor_id y = htp_step_arg(&f, "self");
    htp_tensor_id x = htp_step_arg(&f, "other");
    htp_formula_bind(&f, 0, htp_emit_atan2(&f, y, x));
}
