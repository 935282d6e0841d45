#include "base/intern.h"
#include "base/map.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

UNIT_TEST(empty_map_has_nothing)
{
    htp_map map = {0};
    uint32_t value = 7;
    ck_assert(!htp_map_get(&map, "a", &value));
    ck_assert_uint_eq(value, 7);
}

UNIT_TEST(set_get_and_replace)
{
    htp_map map = {0};
    htp_map_set(arena, &map, "a", 1);
    htp_map_set(arena, &map, "b", 2);
    htp_map_set(arena, &map, "a", 3);
    uint32_t value;
    ck_assert(htp_map_get(&map, "a", &value));
    ck_assert_uint_eq(value, 3);
    ck_assert(htp_map_get(&map, "b", NULL));
    ck_assert(!htp_map_get(&map, "c", NULL));
    ck_assert(!htp_map_get(&map, "", NULL));
    ck_assert_uint_eq(map.count, 2);
}

UNIT_TEST(keys_may_be_empty_or_hold_nuls)
{
    htp_map map = {0};
    htp_map_set_bytes(arena, &map, NULL, 0, 1);
    htp_map_set_bytes(arena, &map, "a\0b", 3, 2);
    htp_map_set_bytes(arena, &map, "a\0c", 3, 3);
    uint32_t value;
    ck_assert(htp_map_get(&map, "", &value));
    ck_assert_uint_eq(value, 1);
    ck_assert(htp_map_get_bytes(&map, "a\0c", 3, &value));
    ck_assert_uint_eq(value, 3);
    ck_assert(!htp_map_get(&map, "a", NULL));
}

/* Lengths around the hash's word size, and keys that differ in one bit. */
UNIT_TEST(near_keys_are_told_apart)
{
    htp_map map = {0};
    uint32_t next = 0;
    for (size_t length = 1; length < 40; length++) {
        for (size_t bit = 0; bit < length * 8; bit++) {
            char *key = htp_arena_alloc(arena, length);
            key[bit / 8] = (char)(1 << bit % 8);
            htp_map_set_bytes(arena, &map, key, length, next++);
        }
    }
    ck_assert_uint_eq(map.count, next);
    uint32_t expected = 0;
    for (size_t length = 1; length < 40; length++) {
        for (size_t bit = 0; bit < length * 8; bit++) {
            char key[40] = {0};
            uint32_t value;
            key[bit / 8] = (char)(1 << bit % 8);
            UNIT_CHECK(htp_map_get_bytes(&map, key, length, &value));
            UNIT_CHECK(value == expected++);
        }
    }
}

UNIT_TEST(short_keys_are_copied)
{
    htp_map map = {0};
    unsigned char key[HTP_MAP_COPIED] = {0};
    for (uint32_t i = 0; i < 2 * HTP_MAP_COPIED; i++) {
        uint32_t value = i;
        key[i / 2] = 7;
        bool is_set = i % 2 == 0;
        if (is_set) {
            htp_map_set_bytes(arena, &map, key, i / 2 + 1, i);
        } else {
            UNIT_CHECK(!htp_map_add_bytes(arena, &map, key, i / 2 + 1, &value));
            UNIT_CHECK(value == i - 1);
        }
        memset(key, 0, sizeof(key));
    }
    uint32_t first = 0;
    UNIT_CHECK(htp_map_add_bytes(arena, &map, &(uint64_t){1}, sizeof(uint64_t), &first) != NULL);
    UNIT_CHECK(!htp_map_add_bytes(arena, &map, &(uint64_t){1}, sizeof(uint64_t), &first));
    ck_assert_uint_eq(map.count, HTP_MAP_COPIED + 1);
}

UNIT_TEST(many_keys)
{
    enum { COUNT = 100000 };
    htp_map map = {0};
    for (uint32_t i = 0; i < COUNT; i++) {
        htp_map_set(arena, &map, htp_arena_printf(arena, "layer.%u.weight", i), i);
    }
    ck_assert_uint_eq(map.count, COUNT);
    ck_assert_uint_le(map.count * 4, map.capacity * 3 + 4);
    for (uint32_t i = 0; i < COUNT; i++) {
        char key[40];
        uint32_t value;
        (void)snprintf(key, sizeof(key), "layer.%u.weight", i);
        UNIT_CHECK(htp_map_get(&map, key, &value));
        UNIT_CHECK(value == i);
        (void)snprintf(key, sizeof(key), "layer.%u.bias", i);
        UNIT_CHECK(!htp_map_get(&map, key, NULL));
    }
}

UNIT_TEST(equal_strings_are_one)
{
    htp_interned set = {.arena = arena};
    const char *word = htp_intern(&set, "encoder", 7);
    ck_assert_str_eq(word, "encoder");
    ck_assert_ptr_eq(htp_intern(&set, "encoders", 7), word);
    ck_assert_str_eq(htp_intern(&set, "encoders", 8), "encoders");
    ck_assert_str_eq(htp_intern(&set, "", 0), "");
    ck_assert_ptr_eq(htp_intern(&set, word, 7), word);
}

UNIT_MAIN("map", empty_map_has_nothing, set_get_and_replace, keys_may_be_empty_or_hold_nuls,
          near_keys_are_told_apart, short_keys_are_copied, many_keys, equal_strings_are_one)
