/*
 * Hash maps in an arena: byte strings, or 64-bit numbers, to 32-bit numbers. Open addressing,
 * grown before three quarters are full; a look-up takes constant time.
 */
#ifndef HTP_BASE_MAP_H
#define HTP_BASE_MAP_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct htp_map_slot htp_map_slot;

/** An empty map is all zeroes. */
typedef struct htp_map {
    htp_map_slot *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
    const void *seed; /* of the hashes */
} htp_map;

/** The largest key that the map copies. It borrows longer ones, which must live as long as it. */
enum { HTP_MAP_COPIED = 8 };

/**
 * Finds or adds a key of @p bytes bytes. Keys of 4 GiB and more are out of memory.
 * @param value  of the key; a new key takes it. NULL: the map is a set.
 * @return NULL if the key exists; else the pointer of the new key. A key of more than
 *         HTP_MAP_COPIED bytes must be set to permanent bytes before the map is used again.
 */
const void **htp_map_add_bytes(htp_arena *arena, htp_map *map, const void *key, size_t bytes,
                               uint32_t *value);

/** Makes room for @p count keys in all, so that the map need not grow on the way. */
void htp_map_reserve(htp_arena *arena, htp_map *map, size_t count);

/** Empties a map that is done, and frees its room. Its keys stay. */
void htp_map_release(htp_arena *arena, htp_map *map);

/** Sets @p key to @p value, replacing an earlier one. */
void htp_map_set(htp_arena *arena, htp_map *map, const char *key, uint32_t value);

/** Finds @p key. @return whether it is there; @p value may be NULL. */
bool htp_map_get(const htp_map *map, const char *key, uint32_t *value);

/** As htp_map_set() for a key of @p bytes bytes that may hold NULs. */
void htp_map_set_bytes(htp_arena *arena, htp_map *map, const void *key, size_t bytes,
                       uint32_t value);

/** As htp_map_get() for a key of @p bytes bytes. */
bool htp_map_get_bytes(const htp_map *map, const void *key, size_t bytes, uint32_t *value);

#endif
