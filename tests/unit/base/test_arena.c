#include "base/arena.h"
#include "base/vector.h"
#include "unit.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

UNIT_TEST(memory_is_zeroed_and_aligned)
{
    for (size_t bytes = 0; bytes < 5000; bytes += 7) {
        unsigned char *memory = htp_arena_alloc(arena, bytes);
        UNIT_CHECK((uintptr_t)memory % _Alignof(max_align_t) == 0);
        for (size_t i = 0; i < bytes; i++) {
            UNIT_CHECK(memory[i] == 0);
        }
        memset(memory, 0xff, bytes);
    }
}

UNIT_TEST(allocations_do_not_overlap)
{
    enum { COUNT = 3000 };
    unsigned char **blocks = HTP_NEW_ARRAY(arena, unsigned char *, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        size_t bytes = i % 100 == 0 ? 200000 : 1 + i % 97;
        blocks[i] = htp_arena_alloc(arena, bytes);
        memset(blocks[i], (int)(i % 251), bytes);
    }
    for (size_t i = 0; i < COUNT; i++) {
        size_t bytes = i % 100 == 0 ? 200000 : 1 + i % 97;
        UNIT_CHECK(blocks[i][0] == i % 251);
        UNIT_CHECK(blocks[i][bytes - 1] == i % 251);
    }
}

UNIT_TEST(large_first_allocation_is_whole)
{
    enum { BYTES = 1 << 20 };
    char *large = htp_arena_alloc(arena, BYTES);
    char *small = htp_arena_alloc(arena, 16);
    memset(large, 1, BYTES);
    ck_assert_int_eq(small[0], 0);
    memset(small, 2, 16);
    ck_assert_int_eq(large[BYTES - 1], 1);
}

UNIT_TEST(growing_keeps_what_was_there)
{
    HTP_VECTOR(uint32_t) numbers = {0};
    for (uint32_t i = 0; i < 10000; i++) {
        HTP_PUSH(arena, &numbers, i * 3);
    }
    ck_assert_uint_eq(numbers.count, 10000);
    for (uint32_t i = 0; i < 10000; i++) {
        UNIT_CHECK(numbers.items[i] == i * 3);
    }
    uint32_t *shorter = htp_arena_grow(arena, numbers.items, 10000, 2, sizeof(uint32_t));
    ck_assert_uint_eq(shorter[1], 3);
}

UNIT_TEST(strings)
{
    ck_assert_str_eq(htp_arena_strdup(arena, "abc"), "abc");
    const char *copy = htp_arena_copy(arena, "a\0b", 3);
    ck_assert_mem_eq(copy, "a\0b\0", 4);
    ck_assert_str_eq(htp_arena_copy(arena, NULL, 0), "");
    char *formatted = htp_arena_printf(arena, "%s-%d-%*d", "x", 7, 3000, 1);
    ck_assert_uint_eq(strlen(formatted), 3004);
    ck_assert_int_eq(strncmp(formatted, "x-7-   ", 7), 0);
}

UNIT_TEST(totals_are_counted)
{
    size_t before = arena->total;
    htp_arena_alloc(arena, 1000);
    ck_assert_uint_ge(arena->total - before, 1000);
    htp_arena_free(arena);
    ck_assert_uint_eq(arena->total, 0);
    ck_assert_ptr_null(arena->blocks);
}

typedef void (*demand_fn)(htp_arena *arena);

static void demand_product(htp_arena *arena)
{
    htp_arena_calloc(arena, SIZE_MAX / 2, 3);
}

static void demand_everything(htp_arena *arena)
{
    htp_arena_alloc(arena, SIZE_MAX);
}

static void demand_half(htp_arena *arena)
{
    htp_arena_alloc(arena, (size_t)PTRDIFF_MAX);
}

static void demand_growth(htp_arena *arena)
{
    htp_arena_grow(arena, "x", 1, SIZE_MAX / 4, 8);
}

static void demand_copy(htp_arena *arena)
{
    htp_arena_copy(arena, "", SIZE_MAX);
}

UNIT_TEST(what_was_reset_is_zeroed_and_used_again)
{
    htp_arena_reset(arena); /* an empty one */
    for (size_t round = 0; round < 3; round++) {
        for (size_t bytes = 1; bytes < 200000; bytes *= 3) {
            char *memory = htp_arena_alloc(arena, bytes);
            for (size_t i = 0; i < bytes; i++) {
                UNIT_CHECK(memory[i] == 0);
            }
            memset(memory, 0xff, bytes);
        }
        htp_arena_reset(arena);
        ck_assert_uint_eq(arena->total, 0);
    }
}

UNIT_TEST(a_reset_arena_needs_one_block)
{
#ifndef HTP_ARENA_MALLOC
    for (size_t round = 0; round < 2; round++) {
        (void)htp_arena_alloc(arena, 10000);
        const void *block = arena->blocks;
        for (size_t i = 0; i < 100; i++) {
            (void)htp_arena_alloc(arena, 10000);
        }
        ck_assert_int_eq(arena->blocks == block, round > 0);
        htp_arena_reset(arena);
    }
#endif
}

UNIT_TEST(large_memory_is_released)
{
    enum { BYTES = 1 << 21 };
    (void)htp_arena_alloc(arena, 16);
    char *large = htp_arena_alloc(arena, BYTES);
    char *small = htp_arena_alloc(arena, 16);
    small[0] = 1;
    htp_arena_release(arena, small, 16);
    htp_arena_release(arena, small, BYTES); /* inside a block */
    size_t before = arena->total;
    htp_arena_release(arena, large, BYTES);
    ck_assert_uint_eq(arena->total, before - BYTES);
    ck_assert_int_eq(small[0], 1);
}

/* @return whether the recovery point was reached */
static bool jumps(demand_fn demand)
{
    htp_arena arena;
    htp_arena_init(&arena);
    bool jumped = true;
    if (!htp_arena_recover(&arena)) {
        htp_arena_alloc(&arena, 100);
        demand(&arena);
        jumped = false;
    }
    htp_arena_free(&arena);
    return jumped;
}

START_TEST(impossible_sizes_jump_to_the_recovery_point)
{
    static const demand_fn demands[] = {demand_product, demand_everything, demand_half,
                                        demand_growth, demand_copy};
    for (size_t i = 0; i < sizeof(demands) / sizeof(demands[0]); i++) {
        ck_assert_msg(jumps(demands[i]), "demand %zu did not jump", i);
    }
}
END_TEST

/* A guard that counts its release. */
struct counted {
    htp_arena_guard guard;
    int *count;
    int released; /* as which one, from 1 on */
};

static void count_release(htp_arena_guard *guard)
{
    struct counted *counted = (struct counted *)guard;
    counted->released = ++*counted->count;
}

START_TEST(what_frames_own_is_released_before_the_jump)
{
    static struct counted guards[3]; /* outer, ended, inner */
    static int count;
    htp_arena arena;
    htp_arena_init(&arena);
    if (!htp_arena_recover(&arena)) {
        for (size_t i = 0; i < 3; i++) {
            guards[i] = (struct counted){.guard = {.release = count_release}, .count = &count};
        }
        htp_arena_guard_begin(&arena, &guards[0].guard);
        htp_arena_guard_begin(&arena, &guards[1].guard);
        htp_arena_guard_end(&arena);
        htp_arena_guard_begin(&arena, &guards[2].guard);
        demand_half(&arena);
    }
    ck_assert_int_eq(guards[2].released, 1);
    ck_assert_int_eq(guards[0].released, 2);
    ck_assert_int_eq(guards[1].released, 0);
    ck_assert_ptr_null(arena.guards);
    htp_arena_free(&arena);
}
END_TEST

UNIT_MAIN("arena", memory_is_zeroed_and_aligned, allocations_do_not_overlap,
          large_first_allocation_is_whole, growing_keeps_what_was_there, strings,
          totals_are_counted, what_was_reset_is_zeroed_and_used_again,
          a_reset_arena_needs_one_block, large_memory_is_released,
          impossible_sizes_jump_to_the_recovery_point, what_frames_own_is_released_before_the_jump)
