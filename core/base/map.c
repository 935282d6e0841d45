#include "base/map.h"

#include <string.h>

/* Two slots fill a cache line. */
struct htp_map_slot {
    const void *key; /* NULL: free. Never read if it is copied */
    uint64_t begin;  /* its first HTP_MAP_COPIED bytes, or all of them and zeroes */
    uint32_t bytes;
    uint32_t hash;
    uint32_t value;
};

enum { FIRST_CAPACITY = 8 };

static uint64_t rotate(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

struct sip {
    uint64_t a, b, c, d;
};

static inline struct sip sip_round(struct sip v)
{
    v.a += v.b;
    v.b = rotate(v.b, 13) ^ v.a;
    v.a = rotate(v.a, 32);
    v.c += v.d;
    v.d = rotate(v.d, 16) ^ v.c;
    v.a += v.d;
    v.d = rotate(v.d, 21) ^ v.a;
    v.c += v.b;
    v.b = rotate(v.b, 17) ^ v.c;
    v.c = rotate(v.c, 32);
    return v;
}

/* The lower half of SipHash-1-3 (Aumasson and Bernstein). Names come from hostile files: the seed
 * is the address of the first table, so that nobody can prepare collisions. */
static uint32_t hash_key(const void *seed, const void *key, size_t bytes)
{
    uint64_t k = (uint64_t)(uintptr_t)seed;
    struct sip v = {k ^ 0x736f6d6570736575U, rotate(k, 32) ^ 0x646f72616e646f6dU,
                    k ^ 0x6c7967656e657261U, rotate(k, 32) ^ 0x7465646279746573U};
    const unsigned char *at = key;
    size_t left = bytes;
    uint64_t word;
    for (; left >= sizeof(word); at += sizeof(word), left -= sizeof(word)) {
        memcpy(&word, at, sizeof(word));
        v.d ^= word;
        v = sip_round(v);
        v.a ^= word;
    }
    word = (uint64_t)bytes << 56;
    for (size_t i = 0; i < left; i++) {
        word |= (uint64_t)at[i] << (8 * i);
    }
    v.d ^= word;
    v = sip_round(v);
    v.a ^= word;
    v.c ^= 0xff;
    for (int i = 0; i < 3; i++) {
        v = sip_round(v);
    }
    return (uint32_t)(v.a ^ v.b ^ v.c ^ v.d);
}

static uint64_t beginning(const void *key, size_t bytes)
{
    uint64_t begin = 0;
    if (bytes) {
        memcpy(&begin, key, bytes < HTP_MAP_COPIED ? bytes : HTP_MAP_COPIED);
    }
    return begin;
}

/* Whether an occupied slot has the key. */
static bool has_key(const htp_map_slot *slot, const void *key, size_t bytes, uint32_t hash)
{
    return slot->hash == hash && slot->bytes == bytes && slot->begin == beginning(key, bytes) &&
           (bytes <= HTP_MAP_COPIED || memcmp(slot->key, key, bytes) == 0);
}

/* The slot of the key, or the free one where it belongs. The table is never full. */
static htp_map_slot *find_slot(const htp_map *map, const void *key, size_t bytes, uint32_t hash)
{
    size_t mask = map->capacity - 1;
    size_t i = hash & mask;
    while (map->slots[i].key && !has_key(&map->slots[i], key, bytes, hash)) {
        i = (i + 1) & mask;
    }
    return &map->slots[i];
}

/* The slot for a new key. */
static htp_map_slot *free_slot(const htp_map *map, uint32_t hash)
{
    size_t mask = map->capacity - 1;
    size_t i = hash & mask;
    while (map->slots[i].key) {
        i = (i + 1) & mask;
    }
    return &map->slots[i];
}

static void grow(htp_arena *arena, htp_map *map, size_t capacity)
{
    htp_map larger = {.capacity = capacity, .count = map->count};
    larger.slots = HTP_NEW_ARRAY(arena, htp_map_slot, larger.capacity);
    larger.seed = map->seed ? map->seed : larger.slots;
    for (size_t i = 0; i < map->capacity; i++) {
        htp_map_slot old = map->slots[i];
        if (old.key) {
            *free_slot(&larger, old.hash) = old;
        }
    }
    htp_arena_release(arena, map->slots, map->capacity * sizeof(*map->slots));
    *map = larger;
}

void htp_map_reserve(htp_arena *arena, htp_map *map, size_t count)
{
    size_t capacity = FIRST_CAPACITY;
    while (capacity / 4 * 3 <= count) {
        capacity *= 2;
    }
    if (capacity > map->capacity) {
        grow(arena, map, capacity);
    }
}

void htp_map_release(htp_arena *arena, htp_map *map)
{
    htp_arena_release(arena, map->slots, map->capacity * sizeof(*map->slots));
    *map = (htp_map){0};
}

/* What marks a slot as taken: its key, or any pointer if the key is copied. */
static const void *kept_key(const void *key, size_t bytes)
{
    return bytes <= HTP_MAP_COPIED ? "" : key;
}

/* The slot of a key. A new one is counted, and its key is NULL. */
static htp_map_slot *add_slot(htp_arena *arena, htp_map *map, const void *key, size_t bytes)
{
    if (bytes > UINT32_MAX) {
        htp_arena_exhaust(arena);
    }
    if (map->count >= map->capacity / 4 * 3) {
        grow(arena, map, map->capacity ? map->capacity * 2 : FIRST_CAPACITY);
    }
    uint32_t hash = hash_key(map->seed, key, bytes);
    htp_map_slot *slot = find_slot(map, key, bytes, hash);
    if (!slot->key) {
        map->count++;
        slot->begin = beginning(key, bytes);
        slot->bytes = (uint32_t)bytes;
        slot->hash = hash;
    }
    return slot;
}

void htp_map_set_bytes(htp_arena *arena, htp_map *map, const void *key, size_t bytes,
                       uint32_t value)
{
    htp_map_slot *slot = add_slot(arena, map, key, bytes);
    slot->key = slot->key ? slot->key : kept_key(key, bytes);
    slot->value = value;
}

const void **htp_map_add_bytes(htp_arena *arena, htp_map *map, const void *key, size_t bytes,
                               uint32_t *value)
{
    htp_map_slot *slot = add_slot(arena, map, key, bytes);
    if (slot->key) {
        if (value) {
            *value = slot->value;
        }
        return NULL;
    }
    slot->value = value ? *value : 0;
    slot->key = kept_key(NULL, bytes);
    return &slot->key;
}

bool htp_map_get_bytes(const htp_map *map, const void *key, size_t bytes, uint32_t *value)
{
    if (map->count == 0 || bytes > UINT32_MAX) {
        return false;
    }
    const htp_map_slot *slot = find_slot(map, key, bytes, hash_key(map->seed, key, bytes));
    if (slot->key && value) {
        *value = slot->value;
    }
    return slot->key != NULL;
}

void htp_map_set(htp_arena *arena, htp_map *map, const char *key, uint32_t value)
{
    htp_map_set_bytes(arena, map, key, strlen(key), value);
}

bool htp_map_get(const htp_map *map, const char *key, uint32_t *value)
{
    return htp_map_get_bytes(map, key, strlen(key), value);
}
