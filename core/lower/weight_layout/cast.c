#include "lower/weight_layout/weight_layout.h"

#include "base/dtype.h"
#include "lower/emit/constant.h"

#include <string.h>

typedef struct casting {
    htp_dtype from, to;
} casting;

/* Casts between any dtypes, number by number. */
static void cast(const void *with, uint64_t first, size_t count, const void *from, void *to)
{
    const casting *c = with;
    size_t from_size = htp_dtype_size(c->from);
    size_t to_size = htp_dtype_size(c->to);
    (void)first;
    for (size_t i = 0; i < count; i++) {
        htp_number number = {0};
        (void)htp_number_read(c->from, (const char *)from + i * from_size, &number);
        (void)htp_number_write(c->to, number, (char *)to + i * to_size);
    }
}

/* The most frequent cast by far: bfloat16 is the upper half of float32. */
static void widen_bfloat16(const void *with, uint64_t first, size_t count, const void *from,
                           void *to)
{
    const unsigned char *narrow = from;
    uint32_t *wide = to;
    (void)with;
    (void)first;
    for (size_t i = 0; i < count; i++) {
        uint16_t bits;
        memcpy(&bits, narrow + i * sizeof(bits), sizeof(bits));
        wide[i] = (uint32_t)bits << 16;
    }
}

void htp_weight_cast_set(htp_arena *arena, htp_derivation *derivation, htp_dtype to)
{
    if (derivation->dtype == to) {
        return;
    }
    casting *with = HTP_NEW(arena, casting);
    *with = (casting){derivation->dtype, to};
    derivation->with = with;
    derivation->convert =
        derivation->dtype == HTP_DTYPE_BFLOAT16 && to == HTP_DTYPE_FLOAT32 ? widen_bfloat16 : cast;
}
