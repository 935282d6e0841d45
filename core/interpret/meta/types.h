/*
 * Element types and their promotion (libtorch's ScalarType.h, and result_type() of its
 * TypeProperties.cpp).
 */
#ifndef HTP_INTERPRET_META_TYPES_H
#define HTP_INTERPRET_META_TYPES_H

#include <htp/runner.h>

/** No type: the neutral element. */
#define HTP_SCALAR_NONE (-1)

/** Types of PyTorch 2 besides those of htp/runner.h. */
enum {
    HTP_SCALAR_FLOAT8_FIRST = 23,
    HTP_SCALAR_FLOAT8_LAST = 26,
    HTP_SCALAR_UINT16 = 27,
    HTP_SCALAR_UINT32 = 28,
    HTP_SCALAR_UINT64 = 29,
};

bool htp_scalar_type_is_complex(int32_t type);
bool htp_scalar_type_is_floating(int32_t type);

/** Whether a type is integral; bool counts if @p with_bool. */
bool htp_scalar_type_is_integral(int32_t type, bool with_bool);

/** Whether a type is quantised. */
bool htp_scalar_type_is_quantized(int32_t type);

/** The type of complex numbers whose parts are of @p type. */
int32_t htp_scalar_type_complex(int32_t type);

/** The type of the parts of complex numbers; any other type itself. */
int32_t htp_scalar_type_real(int32_t type);

/** float if @p type is integral, else the type itself: the result type of sqrt() and the like. */
int32_t htp_scalar_type_float(int32_t type);

/** libtorch's promoteTypes(): the least type that holds both; HTP_SCALAR_NONE adds nothing. */
int32_t htp_scalar_type_promote(int32_t a, int32_t b);

/** Whether results in @p from may be written to @p to: canCast(). */
bool htp_scalar_type_can_become(int32_t from, int32_t to);

/** The type of a number operand: Bool, Long, Double, ComplexDouble. */
int32_t htp_operand_scalar_type(const htp_operand *number);

/** Types of operands by category, as in result_type(): tensors with dims, then 0-d tensors, then
 * numbers, of which only the category counts. */
typedef struct htp_type_state {
    int32_t of_dims;
    int32_t of_zero_dims;
    int32_t of_numbers;
} htp_type_state;

#define HTP_TYPE_STATE_EMPTY ((htp_type_state){HTP_SCALAR_NONE, HTP_SCALAR_NONE, HTP_SCALAR_NONE})

/** Adds an operand: a tensor or a number. Others add nothing. */
void htp_type_state_add(htp_type_state *state, const htp_operand *operand);

/** The promoted type. */
int32_t htp_type_state_result(const htp_type_state *state);

#endif
