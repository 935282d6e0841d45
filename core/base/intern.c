#include "base/intern.h"

const char *htp_intern(htp_interned *set, const char *bytes, size_t length)
{
    uint32_t number = (uint32_t)set->strings.count;
    const void **place = htp_map_add_bytes(set->arena, &set->known, bytes, length, &number);
    if (place) {
        const char *copy = htp_arena_copy(set->arena, bytes, length);
        *place = copy;
        HTP_PUSH(set->arena, &set->strings, copy);
    }
    return set->strings.items[number];
}
