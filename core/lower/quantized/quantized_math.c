/*
 * Arithmetic of quantised tensors: levels are dequantised to float32, and results are quantised
 * again.
 *
 * libtorch's vectorised loop and its remainder loop may round differently: once or twice, and
 * before or after adding the zero point. Levels are few, so all are tried, here or by the
 * interpreter. If results differ between the ways, the operator is refused.
 */
#include "lower/emit/rows.h"
#include "lower/quantized/quantized.h"

#include <math.h>
#include <string.h>

#define LEVELS 256

/** The number of a level, with one rounding or two. */
static float number_of(htp_scale from, int level, bool in_one)
{
    float scale = (float)from.scale;
    float zero_point = (float)from.zero_point;
    return in_one ? fmaf(scale, (float)level, -(zero_point * scale))
                  : ((float)level - zero_point) * scale;
}

/** How a number can be rounded to a level. */
typedef enum way { WAY_ZERO_BEHIND, WAY_ZERO_BEFORE, WAY_ZERO_IN_ONE, WAY_COUNT } way;

static double level_of(float number, htp_scale to, way how)
{
    float inverse = 1.0F / (float)to.scale;
    float zero_point = (float)to.zero_point;
    float scaled = number * inverse;
    double level = 0;
    if (how == WAY_ZERO_BEHIND) {
        level = (double)nearbyintf(scaled) + (double)zero_point;
    } else {
        level = (double)nearbyintf(how == WAY_ZERO_BEFORE ? scaled + zero_point
                                                          : fmaf(number, inverse, zero_point));
    }
    return fmin(fmax(level, htp_lowest_level(to.dtype)), htp_highest_level(to.dtype));
}

/** Whether a number's level is the same for both of its values and every way of rounding. */
static bool is_clear(float made_in_one, float made_in_two, htp_scale to)
{
    double level = level_of(made_in_two, to, WAY_ZERO_BEHIND);
    bool is_same = true;
    for (way how = WAY_ZERO_BEHIND; how < WAY_COUNT && is_same; how++) {
        is_same =
            level_of(made_in_one, to, how) == level && level_of(made_in_two, to, how) == level;
    }
    return is_same;
}

static bool is_copy_clear(htp_scale from, htp_scale to)
{
    int lowest = (int)htp_lowest_level(from.dtype);
    bool is_same = true;
    for (int level = lowest; level < lowest + LEVELS && is_same; level++) {
        is_same = is_clear(number_of(from, level, true), number_of(from, level, false), to);
    }
    return is_same;
}

/** quantized::add, mul, and the same with relu: the row names the ONNX operator. The interpreter
 * refuses them unless libtorch computes so for all levels. */
void htp_lower_level_math(htp_lowering *l)
{
    const htp_scale to = htp_value_scale(l, htp_output_value(l, 0));
    bool is_sum = strncmp(l->row->op, "Add", 3) == 0;
    bool has_relu = l->row->op[3] != '\0';
    htp_tensor_id y =
        htp_emit_binary(l, is_sum ? "Add" : "Mul", htp_value_dequantized(l, htp_arg_value(l, "qa")),
                        htp_value_dequantized(l, htp_arg_value(l, "qb")));
    y = has_relu ? htp_emit_unary(l, "Relu", y) : y;
    htp_bind(l, 0, htp_emit_quantized(l, y, to));
}

/** aten::cat, quantized::cat: the row names the argument. */
void htp_lower_level_cat(htp_lowering *l)
{
    size_t count = 0;
    const uint32_t *parts = htp_arg_list(l, l->row->op, &count);
    const htp_scale to = htp_value_scale(l, htp_output_value(l, 0));
    htp_tensor_id *tensors = HTP_NEW_ARRAY(l->arena, htp_tensor_id, count + 1);
    for (size_t i = 0; i < count && !l->failure; i++) {
        const htp_scale own = htp_value_scale(l, parts[i]);
        if (own.dtype != to.dtype) {
            htp_lower_fail(l, "its operands are of two dtypes");
        } else if (own.scale == to.scale && own.zero_point == to.zero_point) {
            tensors[i] = htp_value_tensor(l, parts[i]);
        } else if (is_copy_clear(own, to)) {
            tensors[i] = htp_emit_quantized(l, htp_value_dequantized(l, parts[i]), to);
        } else {
            htp_lower_fail(l, "with these scales libtorch rounds some levels in more than one way");
        }
    }
    if (!l->failure) {
        int64_t axis = htp_arg_dim(l, "dim", htp_output_rank(l, 0));
        htp_bind(l, 0, htp_emit_concat(l, (htp_emit_inputs){tensors, count}, axis));
    }
}
