#include "base/dtype.h"

#include <string.h>

typedef enum dtype_family {
    FAMILY_OTHER,
    FAMILY_BOOL,
    FAMILY_INTEGER,
    FAMILY_FLOAT,
    FAMILY_COMPLEX
} dtype_family;

static const struct {
    const char *name;
    uint32_t size;
    dtype_family family;
} facts[HTP_DTYPE_COUNT] = {
    [HTP_DTYPE_UINT8] = {"uint8", 1, FAMILY_INTEGER},
    [HTP_DTYPE_INT8] = {"int8", 1, FAMILY_INTEGER},
    [HTP_DTYPE_INT16] = {"int16", 2, FAMILY_INTEGER},
    [HTP_DTYPE_INT32] = {"int32", 4, FAMILY_INTEGER},
    [HTP_DTYPE_INT64] = {"int64", 8, FAMILY_INTEGER},
    [HTP_DTYPE_FLOAT16] = {"float16", 2, FAMILY_FLOAT},
    [HTP_DTYPE_FLOAT32] = {"float32", 4, FAMILY_FLOAT},
    [HTP_DTYPE_FLOAT64] = {"float64", 8, FAMILY_FLOAT},
    [HTP_DTYPE_COMPLEX32] = {"complex32", 4, FAMILY_COMPLEX},
    [HTP_DTYPE_COMPLEX64] = {"complex64", 8, FAMILY_COMPLEX},
    [HTP_DTYPE_COMPLEX128] = {"complex128", 16, FAMILY_COMPLEX},
    [HTP_DTYPE_BOOL] = {"bool", 1, FAMILY_BOOL},
    [HTP_DTYPE_BFLOAT16] = {"bfloat16", 2, FAMILY_FLOAT},
    [HTP_DTYPE_OTHER] = {"other", 0, FAMILY_OTHER},
};

/* PyTorch's second names. */
static const struct {
    const char *name;
    htp_dtype dtype;
} aliases[] = {
    {"byte", HTP_DTYPE_UINT8},         {"char", HTP_DTYPE_INT8},
    {"short", HTP_DTYPE_INT16},        {"int", HTP_DTYPE_INT32},
    {"long", HTP_DTYPE_INT64},         {"half", HTP_DTYPE_FLOAT16},
    {"float", HTP_DTYPE_FLOAT32},      {"double", HTP_DTYPE_FLOAT64},
    {"chalf", HTP_DTYPE_COMPLEX32},    {"cfloat", HTP_DTYPE_COMPLEX64},
    {"cdouble", HTP_DTYPE_COMPLEX128},
};

/* c10/core/ScalarType.h; 12 to 14 are quantised types. */
static const htp_dtype scalar_types[] = {
    HTP_DTYPE_UINT8,     HTP_DTYPE_INT8,      HTP_DTYPE_INT16,      HTP_DTYPE_INT32,
    HTP_DTYPE_INT64,     HTP_DTYPE_FLOAT16,   HTP_DTYPE_FLOAT32,    HTP_DTYPE_FLOAT64,
    HTP_DTYPE_COMPLEX32, HTP_DTYPE_COMPLEX64, HTP_DTYPE_COMPLEX128, HTP_DTYPE_BOOL,
    HTP_DTYPE_OTHER,     HTP_DTYPE_OTHER,     HTP_DTYPE_OTHER,      HTP_DTYPE_BFLOAT16,
};

/* torch.promote_types, by row and column; the table of c10/core/ScalarType. */
#define u1 HTP_DTYPE_UINT8
#define i1 HTP_DTYPE_INT8
#define i2 HTP_DTYPE_INT16
#define i4 HTP_DTYPE_INT32
#define i8 HTP_DTYPE_INT64
#define f2 HTP_DTYPE_FLOAT16
#define f4 HTP_DTYPE_FLOAT32
#define f8 HTP_DTYPE_FLOAT64
#define c2 HTP_DTYPE_COMPLEX32
#define c4 HTP_DTYPE_COMPLEX64
#define c8 HTP_DTYPE_COMPLEX128
#define b1 HTP_DTYPE_BOOL
#define bf HTP_DTYPE_BFLOAT16
/* clang-format off */
static const htp_dtype promotions[HTP_DTYPE_OTHER][HTP_DTYPE_OTHER] = {
    /*       u1  i1  i2  i4  i8  f2  f4  f8  c2  c4  c8  b1  bf */
    /* u1 */ {u1, i2, i2, i4, i8, f2, f4, f8, c2, c4, c8, u1, bf},
    /* i1 */ {i2, i1, i2, i4, i8, f2, f4, f8, c2, c4, c8, i1, bf},
    /* i2 */ {i2, i2, i2, i4, i8, f2, f4, f8, c2, c4, c8, i2, bf},
    /* i4 */ {i4, i4, i4, i4, i8, f2, f4, f8, c2, c4, c8, i4, bf},
    /* i8 */ {i8, i8, i8, i8, i8, f2, f4, f8, c2, c4, c8, i8, bf},
    /* f2 */ {f2, f2, f2, f2, f2, f2, f4, f8, c2, c4, c8, f2, f4},
    /* f4 */ {f4, f4, f4, f4, f4, f4, f4, f8, c4, c4, c8, f4, f4},
    /* f8 */ {f8, f8, f8, f8, f8, f8, f8, f8, c8, c8, c8, f8, f8},
    /* c2 */ {c2, c2, c2, c2, c2, c2, c4, c8, c2, c4, c8, c2, c4},
    /* c4 */ {c4, c4, c4, c4, c4, c4, c4, c8, c4, c4, c8, c4, c4},
    /* c8 */ {c8, c8, c8, c8, c8, c8, c8, c8, c8, c8, c8, c8, c8},
    /* b1 */ {u1, i1, i2, i4, i8, f2, f4, f8, c2, c4, c8, b1, bf},
    /* bf */ {bf, bf, bf, bf, bf, f4, f4, f8, c4, c4, c8, bf, bf},
};
/* clang-format on */

/* A number from outside may be no enumerator. */
static htp_dtype known(htp_dtype dtype)
{
    return (unsigned)dtype < HTP_DTYPE_COUNT ? dtype : HTP_DTYPE_OTHER;
}

uint32_t htp_dtype_size(htp_dtype dtype)
{
    return facts[known(dtype)].size;
}

const char *htp_dtype_name(htp_dtype dtype)
{
    return facts[known(dtype)].name;
}

bool htp_dtype_parse(const char *name, htp_dtype *dtype)
{
    for (int i = 0; i < HTP_DTYPE_OTHER; i++) {
        if (strcmp(name, facts[i].name) == 0) {
            *dtype = (htp_dtype)i;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
        if (strcmp(name, aliases[i].name) == 0) {
            *dtype = aliases[i].dtype;
            return true;
        }
    }
    return false;
}

bool htp_dtype_is_float(htp_dtype dtype)
{
    return facts[known(dtype)].family == FAMILY_FLOAT;
}

bool htp_dtype_is_integer(htp_dtype dtype)
{
    return facts[known(dtype)].family == FAMILY_INTEGER;
}

bool htp_dtype_is_complex(htp_dtype dtype)
{
    return facts[known(dtype)].family == FAMILY_COMPLEX;
}

htp_dtype htp_dtype_real(htp_dtype dtype)
{
    switch (dtype) {
    case HTP_DTYPE_COMPLEX32:
        return HTP_DTYPE_FLOAT16;
    case HTP_DTYPE_COMPLEX64:
        return HTP_DTYPE_FLOAT32;
    case HTP_DTYPE_COMPLEX128:
        return HTP_DTYPE_FLOAT64;
    default:
        return dtype;
    }
}

bool htp_dtype_from_scalar_type(int64_t scalar_type, htp_dtype *dtype)
{
    int64_t count = (int64_t)(sizeof(scalar_types) / sizeof(scalar_types[0]));
    if (scalar_type < 0 || scalar_type >= count || scalar_types[scalar_type] == HTP_DTYPE_OTHER) {
        return false;
    }
    *dtype = scalar_types[scalar_type];
    return true;
}

int32_t htp_dtype_scalar_type(htp_dtype dtype)
{
    int32_t count = (int32_t)(sizeof(scalar_types) / sizeof(scalar_types[0]));
    for (int32_t type = 0; type < count && dtype != HTP_DTYPE_OTHER; type++) {
        if (scalar_types[type] == dtype) {
            return type;
        }
    }
    return -1;
}

htp_dtype htp_dtype_promote(htp_dtype a, htp_dtype b)
{
    a = known(a);
    b = known(b);
    return a == HTP_DTYPE_OTHER || b == HTP_DTYPE_OTHER ? HTP_DTYPE_OTHER : promotions[a][b];
}
