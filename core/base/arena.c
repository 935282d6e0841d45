#include "base/arena.h"

#include "base/vector.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE /* since Linux 5.14 */
#define MADV_POPULATE_WRITE 23
#endif

struct htp_arena_block {
    htp_arena_block *next;
    size_t capacity;
    size_t ready; /* bytes of it that may be handed out; all of them if it is not mapped */
    bool is_mapped;
    max_align_t data[];
};

enum {
    BLOCK_FIRST = 64 * 1024,
    BLOCK_LARGE = BLOCK_FIRST / 4, /* allocations from this size on may have a block of their own */
    BLOCK_LARGEST = 16 * 1024 * 1024,
    READY_STEP = 256 * 1024,
};

/* Blocks from this size on bypass malloc's pools, which reuse smaller ones, and zero what the
 * system has zeroed. */
#ifdef HTP_ARENA_MALLOC
static const size_t mapped_from = SIZE_MAX;
#else
static const size_t mapped_from = (size_t)1024 * 1024;
#endif

void htp_arena_init(htp_arena *arena)
{
    memset(arena, 0, sizeof(*arena));
}

static void free_block(htp_arena_block *block)
{
    if (block->is_mapped) {
        (void)munmap(block, sizeof(*block) + block->capacity);
    } else {
        free(block);
    }
}

void htp_arena_free(htp_arena *arena)
{
    for (htp_arena_block *block = arena->blocks; block;) {
        htp_arena_block *next = block->next;
        free_block(block);
        block = next;
    }
    arena->blocks = NULL;
    arena->used = 0;
    arena->total = 0;
}

void htp_arena_guard_begin(htp_arena *arena, htp_arena_guard *guard)
{
    guard->outer = arena->guards;
    arena->guards = guard;
}

void htp_arena_guard_end(htp_arena *arena)
{
    arena->guards = arena->guards->outer;
}

void htp_arena_exhaust(htp_arena *arena)
{
    while (arena->guards) {
        htp_arena_guard *guard = arena->guards;
        arena->guards = guard->outer;
        guard->release(guard);
    }
    longjmp(arena->recovery, 1);
}

/* The largest blocks go straight back to the system when they are freed. */
static htp_arena_block *map_block(size_t bytes)
{
    htp_arena_block *block =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) {
        return NULL;
    }
    block->is_mapped = true;
    return block;
}

static htp_arena_block *new_block(htp_arena *arena, size_t capacity)
{
    htp_arena_block *block = NULL;
    if (capacity <= PTRDIFF_MAX - sizeof(htp_arena_block)) {
        const size_t bytes = sizeof(htp_arena_block) + capacity;
        block = bytes < mapped_from ? calloc(1, bytes) : map_block(bytes);
    }
    if (!block) {
        htp_arena_exhaust(arena);
    }
    block->capacity = capacity;
    block->ready = block->is_mapped ? 0 : capacity;
    return block;
}

#ifdef HTP_ARENA_MALLOC

void htp_arena_reset(htp_arena *arena)
{
    htp_arena_free(arena);
}

void *htp_arena_alloc(htp_arena *arena, size_t bytes)
{
    htp_arena_block *block = new_block(arena, bytes);
    block->next = arena->blocks;
    arena->blocks = block;
    arena->total += bytes;
    return block->data;
}

#else

/* Keeps no block if there are several: the next one is as large as all of them. */
void htp_arena_reset(htp_arena *arena)
{
    if (arena->blocks && arena->blocks->next) {
        arena->first = arena->total;
        htp_arena_free(arena);
    } else if (arena->blocks) {
        memset(arena->blocks->data, 0, arena->used);
    }
    arena->used = 0;
    arena->total = 0;
}

/* A request that would waste much of a block gets its own, linked after the newest, which continues
 * to be filled. */
static void *alloc_large(htp_arena *arena, size_t bytes)
{
    htp_arena_block *block = new_block(arena, bytes);
    block->ready = bytes;
    if (arena->blocks) {
        block->next = arena->blocks->next;
        arena->blocks->next = block;
    } else {
        arena->blocks = block;
        arena->used = bytes;
    }
    return block->data;
}

static void start_block(htp_arena *arena)
{
    const size_t wanted = arena->total > 0 ? arena->total / 4 : arena->first;
    size_t capacity = BLOCK_FIRST;
    while (capacity < wanted && capacity < BLOCK_LARGEST) {
        capacity *= 2;
    }
    htp_arena_block *block = new_block(arena, capacity);
    block->next = arena->blocks;
    arena->blocks = block;
    arena->used = 0;
}

/* Whether a block has room for @p bytes bytes in all, of which @p more are new. The pages of small
 * allocations are populated ahead in one call, since a fault at each would take longer than the
 * work on it. Large allocations may never be used, and an older kernel refuses the advice: there
 * the pages are faulted in. */
static bool make_ready(htp_arena_block *block, size_t bytes, size_t more)
{
    if (bytes > block->capacity) {
        return false;
    }
    const size_t begin = block->ready ? sizeof(*block) + block->ready : 0;
    const size_t wanted = (sizeof(*block) + bytes + READY_STEP - 1) / READY_STEP * READY_STEP;
    const size_t whole = sizeof(*block) + block->capacity;
    const size_t end = wanted < whole ? wanted : whole;
    if (more <= BLOCK_LARGE) {
        (void)madvise((char *)block + begin, end - begin, MADV_POPULATE_WRITE);
    }
    block->ready = end - sizeof(*block);
    return true;
}

void *htp_arena_alloc(htp_arena *arena, size_t bytes)
{
    size_t alignment = sizeof(max_align_t);
    if (bytes > PTRDIFF_MAX - alignment) {
        htp_arena_exhaust(arena);
    }
    size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    if (rounded == 0) {
        rounded = alignment;
    }
    bool fits = arena->blocks && (arena->used + rounded <= arena->blocks->ready ||
                                  make_ready(arena->blocks, arena->used + rounded, rounded));
    if (rounded > BLOCK_LARGE && !fits) {
        void *large = alloc_large(arena, rounded);
        arena->total += rounded;
        return large;
    }
    if (!fits) {
        start_block(arena);
    }
    void *memory = (char *)arena->blocks->data + arena->used;
    arena->used += rounded;
    arena->total += rounded;
    return memory;
}

#endif

void htp_arena_release(htp_arena *arena, const void *memory, size_t bytes)
{
    if (bytes <= BLOCK_LARGE || !arena->blocks) {
        return;
    }
    for (htp_arena_block *at = arena->blocks; at->next; at = at->next) {
        htp_arena_block *block = at->next;
        if (block->data == memory) {
            at->next = block->next;
            arena->total -= block->capacity;
            free_block(block);
            return;
        }
    }
}

void *htp_arena_calloc(htp_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        htp_arena_exhaust(arena);
    }
    return htp_arena_alloc(arena, bytes);
}

void *htp_arena_grow(htp_arena *arena, const void *old, size_t old_count, size_t new_count,
                     size_t size)
{
    void *grown = htp_arena_calloc(arena, new_count, size);
    size_t kept = old_count < new_count ? old_count : new_count;
    if (kept) {
        memcpy(grown, old, kept * size);
    }
    return grown;
}

char *htp_arena_copy(htp_arena *arena, const void *data, size_t bytes)
{
    if (bytes == SIZE_MAX) {
        htp_arena_exhaust(arena);
    }
    char *copy = htp_arena_alloc(arena, bytes + 1);
    if (bytes) {
        memcpy(copy, data, bytes);
    }
    return copy;
}

char *htp_arena_strdup(htp_arena *arena, const char *string)
{
    return htp_arena_copy(arena, string, strlen(string));
}

char *htp_arena_join(htp_arena *arena, const char *first, const char *between, const char *last)
{
    const size_t bytes[] = {strlen(first), strlen(between), strlen(last)};
    char *string = htp_arena_alloc(arena, bytes[0] + bytes[1] + bytes[2] + 1);
    memcpy(string, first, bytes[0]);
    memcpy(string + bytes[0], between, bytes[1]);
    memcpy(string + bytes[0] + bytes[1], last, bytes[2]);
    return string;
}

char *htp_arena_vprintf(htp_arena *arena, const char *format, va_list arguments)
{
    char usual[256]; /* large enough for most strings */
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(usual, sizeof(usual), format, again);
    va_end(again);
    if (length < 0) {
        htp_arena_exhaust(arena);
    }
    if ((size_t)length < sizeof(usual)) {
        return htp_arena_copy(arena, usual, (size_t)length);
    }
    char *string = htp_arena_alloc(arena, (size_t)length + 1);
    (void)vsnprintf(string, (size_t)length + 1, format, arguments);
    return string;
}

char *htp_arena_printf(htp_arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *string = htp_arena_vprintf(arena, format, arguments);
    va_end(arguments);
    return string;
}

/* ---- vectors ---- */

const void *htp_items_from(const void *items, size_t bytes)
{
    return items ? (const char *)items + bytes : NULL;
}
