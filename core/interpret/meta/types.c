#include "interpret/meta/types.h"

#include <stddef.h>

bool htp_scalar_type_is_complex(int32_t type)
{
    return type == HTP_SCALAR_COMPLEX_HALF || type == HTP_SCALAR_COMPLEX_FLOAT ||
           type == HTP_SCALAR_COMPLEX_DOUBLE;
}

static bool is_float8(int32_t type)
{
    return type >= HTP_SCALAR_FLOAT8_FIRST && type <= HTP_SCALAR_FLOAT8_LAST;
}

bool htp_scalar_type_is_floating(int32_t type)
{
    return type == HTP_SCALAR_HALF || type == HTP_SCALAR_FLOAT || type == HTP_SCALAR_DOUBLE ||
           type == HTP_SCALAR_BFLOAT16 || is_float8(type);
}

static bool is_wide_unsigned(int32_t type)
{
    return type >= HTP_SCALAR_UINT16 && type <= HTP_SCALAR_UINT64;
}

bool htp_scalar_type_is_integral(int32_t type, bool with_bool)
{
    return (type >= HTP_SCALAR_BYTE && type <= HTP_SCALAR_LONG) || is_wide_unsigned(type) ||
           (with_bool && type == HTP_SCALAR_BOOL);
}

bool htp_scalar_type_is_quantized(int32_t type)
{
    const int32_t first = HTP_SCALAR_QINT8;
    const int32_t last = HTP_SCALAR_QINT32;
    const int32_t four_bits = 16;
    const int32_t two_bits = 17;
    return (type >= first && type <= last) || type == four_bits || type == two_bits;
}

int32_t htp_scalar_type_complex(int32_t type)
{
    return type == HTP_SCALAR_HALF            ? HTP_SCALAR_COMPLEX_HALF
           : type == HTP_SCALAR_DOUBLE        ? HTP_SCALAR_COMPLEX_DOUBLE
           : htp_scalar_type_is_complex(type) ? type
                                              : HTP_SCALAR_COMPLEX_FLOAT;
}

int32_t htp_scalar_type_real(int32_t type)
{
    return type == HTP_SCALAR_COMPLEX_HALF     ? HTP_SCALAR_HALF
           : type == HTP_SCALAR_COMPLEX_FLOAT  ? HTP_SCALAR_FLOAT
           : type == HTP_SCALAR_COMPLEX_DOUBLE ? HTP_SCALAR_DOUBLE
                                               : type;
}

int32_t htp_scalar_type_float(int32_t type)
{
    return htp_scalar_type_is_integral(type, true) ? HTP_SCALAR_FLOAT : type;
}

/* Promotes two floating types, or a floating and an integral one. */
static int32_t promote_floats(int32_t a, int32_t b)
{
    if (!htp_scalar_type_is_floating(a) || !htp_scalar_type_is_floating(b)) {
        return htp_scalar_type_is_floating(a) ? a : b;
    }
    bool is_double = a == HTP_SCALAR_DOUBLE || b == HTP_SCALAR_DOUBLE;
    return is_double ? HTP_SCALAR_DOUBLE : HTP_SCALAR_FLOAT;
}

static int32_t promote_complex(int32_t a, int32_t b)
{
    int32_t real_a = htp_scalar_type_real(a);
    int32_t real_b = htp_scalar_type_real(b);
    return htp_scalar_type_complex(real_a == real_b ? real_a : promote_floats(real_a, real_b));
}

/* bool is the least; uint8 with int8 needs int16. */
static int32_t promote_integers(int32_t a, int32_t b)
{
    if (a == HTP_SCALAR_BOOL || b == HTP_SCALAR_BOOL) {
        return a == HTP_SCALAR_BOOL ? b : a;
    }
    if (is_wide_unsigned(a) || is_wide_unsigned(b)) {
        return a == HTP_SCALAR_BYTE ? b : b == HTP_SCALAR_BYTE ? a : HTP_SCALAR_NONE;
    }
    int32_t larger = a > b ? a : b;
    return (a == HTP_SCALAR_BYTE || b == HTP_SCALAR_BYTE) && larger == HTP_SCALAR_CHAR
               ? HTP_SCALAR_SHORT
               : larger;
}

int32_t htp_scalar_type_promote(int32_t a, int32_t b)
{
    if (a == b || a == HTP_SCALAR_NONE || b == HTP_SCALAR_NONE) {
        return a == HTP_SCALAR_NONE ? b : a;
    }
    if (htp_scalar_type_is_complex(a) || htp_scalar_type_is_complex(b)) {
        return promote_complex(a, b);
    }
    return htp_scalar_type_is_floating(a) || htp_scalar_type_is_floating(b)
               ? promote_floats(a, b)
               : promote_integers(a, b);
}

bool htp_scalar_type_can_become(int32_t from, int32_t to)
{
    if (htp_scalar_type_is_complex(from)) {
        return htp_scalar_type_is_complex(to);
    }
    if (htp_scalar_type_is_floating(from) && htp_scalar_type_is_integral(to, false)) {
        return false;
    }
    return from == HTP_SCALAR_BOOL || to != HTP_SCALAR_BOOL;
}

int32_t htp_operand_scalar_type(const htp_operand *number)
{
    return number->kind == HTP_OPERAND_BOOL    ? HTP_SCALAR_BOOL
           : number->kind == HTP_OPERAND_INT   ? HTP_SCALAR_LONG
           : number->kind == HTP_OPERAND_FLOAT ? HTP_SCALAR_DOUBLE
           : number->kind == HTP_OPERAND_OTHER ? HTP_SCALAR_COMPLEX_DOUBLE
                                               : HTP_SCALAR_NONE;
}

/* ---- types by category ---- */

/* A number selects between the default int, float and complex types. */
static int32_t default_type(int32_t type)
{
    return htp_scalar_type_is_complex(type)    ? HTP_SCALAR_COMPLEX_FLOAT
           : htp_scalar_type_is_floating(type) ? HTP_SCALAR_FLOAT
                                               : type;
}

void htp_type_state_add(htp_type_state *state, const htp_operand *operand)
{
    const htp_runner_tensor *tensor =
        operand->kind == HTP_OPERAND_TENSOR ? operand->as.tensor : NULL;
    int32_t type = tensor ? tensor->type : htp_operand_scalar_type(operand);
    bool is_number = !tensor || tensor->is_number;
    int32_t *category = is_number           ? &state->of_numbers
                        : tensor->rank == 0 ? &state->of_zero_dims
                                            : &state->of_dims;
    *category = htp_scalar_type_promote(*category, is_number ? default_type(type) : type);
}

static int32_t combine(int32_t higher, int32_t lower)
{
    if (htp_scalar_type_is_complex(higher)) {
        return higher;
    }
    if (htp_scalar_type_is_floating(higher)) {
        return htp_scalar_type_is_complex(lower) ? htp_scalar_type_complex(higher) : higher;
    }
    bool is_lower_wider = higher == HTP_SCALAR_BOOL || htp_scalar_type_is_floating(lower) ||
                          htp_scalar_type_is_complex(lower);
    return higher == HTP_SCALAR_NONE || is_lower_wider ? htp_scalar_type_promote(higher, lower)
                                                       : higher;
}

int32_t htp_type_state_result(const htp_type_state *state)
{
    return combine(state->of_dims, combine(state->of_zero_dims, state->of_numbers));
}
