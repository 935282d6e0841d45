#include "base/map.h"

#include <string.h>

struct htp_map_slot {
    const void *key; /* NULL: free */
    size_t bytes;
    uint64_t hash;
    uint32_t value;
};

enum { FIRST_CAPACITY = 16 };

static uint64_t rotate(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

static void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[0] = rotate(v[0], 32);
    v[2] += v[3];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[2] = rotate(v[2], 32);
}

/* SipHash-1-3 (Aumasson and Bernstein). Names come from hostile files: the seed is the address of
 * the first table, so that a file cannot be made whose names collide. */
static uint64_t hash_key(const void *seed, const void *key, size_t bytes)
{
    uint64_t k = (uint64_t)(uintptr_t)seed;
    uint64_t v[4] = {k ^ 0x736f6d6570736575U, rotate(k, 32) ^ 0x646f72616e646f6dU,
                     k ^ 0x6c7967656e657261U, rotate(k, 32) ^ 0x7465646279746573U};
    const unsigned char *at = key;
    size_t left = bytes;
    uint64_t word;
    for (; left >= sizeof(word); at += sizeof(word), left -= sizeof(word)) {
        memcpy(&word, at, sizeof(word));
        v[3] ^= word;
        sip_round(v);
        v[0] ^= word;
    }
    word = (uint64_t)bytes << 56;
    for (size_t i = 0; i < left; i++) {
        word |= (uint64_t)at[i] << (8 * i);
    }
    v[3] ^= word;
    sip_round(v);
    v[0] ^= word;
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++) {
        sip_round(v);
    }
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* The slot of the key, or the free one where it belongs. The table is never full. */
static htp_map_slot *find_slot(const htp_map *map, const void *key, size_t bytes, uint64_t hash)
{
    size_t mask = map->capacity - 1;
    for (size_t i = (size_t)hash & mask;; i = (i + 1) & mask) {
        htp_map_slot *slot = &map->slots[i];
        if (!slot->key || (slot->hash == hash && slot->bytes == bytes &&
                           (bytes == 0 || memcmp(slot->key, key, bytes) == 0))) {
            return slot;
        }
    }
}

static void grow(htp_arena *arena, htp_map *map, size_t capacity)
{
    htp_map larger = {.capacity = capacity, .count = map->count};
    larger.slots = HTP_NEW_ARRAY(arena, htp_map_slot, larger.capacity);
    larger.seed = map->seed ? map->seed : larger.slots;
    for (size_t i = 0; i < map->capacity; i++) {
        htp_map_slot old = map->slots[i];
        if (old.key) {
            *find_slot(&larger, old.key, old.bytes, old.hash) = old;
        }
    }
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

/* The slot of a key, which is new where its key is NULL, and counted. */
static htp_map_slot *add_slot(htp_arena *arena, htp_map *map, const void *key, size_t bytes)
{
    if (map->count >= map->capacity / 4 * 3) {
        grow(arena, map, map->capacity ? map->capacity * 2 : FIRST_CAPACITY);
    }
    uint64_t hash = hash_key(map->seed, key, bytes);
    htp_map_slot *slot = find_slot(map, key, bytes, hash);
    if (!slot->key) {
        map->count++;
        slot->bytes = bytes;
        slot->hash = hash;
    }
    return slot;
}

void htp_map_set_bytes(htp_arena *arena, htp_map *map, const void *key, size_t bytes,
                       uint32_t value)
{
    htp_map_slot *slot = add_slot(arena, map, key, bytes);
    slot->key = slot->key ? slot->key : key ? key : "";
    slot->value = value;
}

const void **htp_map_add_bytes(htp_arena *arena, htp_map *map, const void *key, size_t bytes,
                               uint32_t *value)
{
    htp_map_slot *slot = add_slot(arena, map, key, bytes);
    if (slot->key) {
        *value = slot->value;
        return NULL;
    }
    slot->value = *value;
    return &slot->key;
}

bool htp_map_get_bytes(const htp_map *map, const void *key, size_t bytes, uint32_t *value)
{
    if (map->count == 0) {
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
