/*
 * Strings that are kept once: equal ones are one pointer.
 */
#ifndef HTP_BASE_INTERN_H
#define HTP_BASE_INTERN_H

#include "base/map.h"
#include "base/vector.h"

/** An empty set is {.arena = arena}. */
typedef struct htp_interned {
    htp_arena *arena;
    htp_map known; /* numbers of the strings */
    HTP_VECTOR(const char *) strings;
} htp_interned;

/** The unique string of these bytes; the set copies new ones, with a NUL. */
const char *htp_intern(htp_interned *set, const char *bytes, size_t length);

#endif
