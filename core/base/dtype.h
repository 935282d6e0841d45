/*
 * Facts about element types. The enumeration itself is the shim's: <htp/types.h>.
 */
#ifndef HTP_BASE_DTYPE_H
#define HTP_BASE_DTYPE_H

#include <htp/types.h>

/** Bytes of an element; 0 for HTP_DTYPE_OTHER. */
uint32_t htp_dtype_size(htp_dtype dtype);

/** PyTorch's name: "float32", "int64". */
const char *htp_dtype_name(htp_dtype dtype);

/** The dtype of a name ("float32", "float", "int64", "long", "half", "bool", ...); false if there
 * is none. */
bool htp_dtype_parse(const char *name, htp_dtype *dtype);

/** float16, bfloat16, float32, float64. */
bool htp_dtype_is_float(htp_dtype dtype);

/** Signed and unsigned integers, without bool. */
bool htp_dtype_is_integer(htp_dtype dtype);

/** Complex numbers. */
bool htp_dtype_is_complex(htp_dtype dtype);

/** The dtype of a complex dtype's real and imaginary parts; other dtypes themselves. */
htp_dtype htp_dtype_real(htp_dtype dtype);

/** The dtype of a torch ScalarType number as schemas carry it (dtype=6 is float32); false when
 * this program does not know it. */
bool htp_dtype_from_scalar_type(int64_t scalar_type, htp_dtype *dtype);

/** The torch ScalarType number of a dtype; -1 if it has none. */
int32_t htp_dtype_scalar_type(htp_dtype dtype);

/** PyTorch's promotion of two tensor dtypes (torch.promote_types); HTP_DTYPE_OTHER if there is
 * none. */
htp_dtype htp_dtype_promote(htp_dtype a, htp_dtype b);

#endif
