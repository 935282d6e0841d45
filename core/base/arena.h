/*
 * An arena: allocations that live and die together.
 *
 * Allocation never returns NULL. When memory runs out, or a size overflows, control jumps to the
 * arena's recovery point (see htp_arena_recover), so code has no out-of-memory branches. A frame
 * that such a jump skips must not own anything that needs closing, unless a guard closes it.
 *
 * Compiled with HTP_ARENA_MALLOC every allocation is a malloc of its own, for valgrind and
 * AddressSanitizer.
 */
#ifndef HTP_BASE_ARENA_H
#define HTP_BASE_ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

typedef struct htp_arena_block htp_arena_block;

/** What a frame owns while it allocates. */
typedef struct htp_arena_guard {
    void (*release)(struct htp_arena_guard *guard); /* frees it; must not allocate */
    struct htp_arena_guard *outer;                  /* of the arena */
} htp_arena_guard;

typedef struct htp_arena {
    htp_arena_block *blocks; /* newest first */
    size_t used;             /* bytes of the newest block */
    size_t total;            /* bytes handed out */
    size_t first;            /* least bytes of the first block */
    htp_arena_guard *guards; /* innermost first */
    jmp_buf recovery;
} htp_arena;

/** An empty arena. htp_arena_recover() must be called before the first allocation. */
void htp_arena_init(htp_arena *arena);

/** Frees everything. */
void htp_arena_free(htp_arena *arena);

/** Forgets everything, but keeps room for as much again: cheaper than freeing between many small
 * jobs. */
void htp_arena_reset(htp_arena *arena);

/** Frees @p bytes bytes if they have a block of their own, as large allocations do; else does
 * nothing. */
void htp_arena_release(htp_arena *arena, const void *memory, size_t bytes);

/** Sets the recovery point: evaluates to 0 now, and to 1 after a jump. The calling function must
 * be live for as long as anybody allocates. */
#define htp_arena_recover(arena) setjmp((arena)->recovery)

/** From now on, memory that runs out calls the guard's release() before the jump, which must end
 * the frame of the guard. Guards nest. */
void htp_arena_guard_begin(htp_arena *arena, htp_arena_guard *guard);

/** Ends the innermost guard, before its frame ends. */
void htp_arena_guard_end(htp_arena *arena);

/** Jumps to the recovery point, for an allocation elsewhere that failed. */
void htp_arena_exhaust(htp_arena *arena) __attribute__((noreturn));

/** @p bytes of zeroed memory, aligned for any type. */
void *htp_arena_alloc(htp_arena *arena, size_t bytes) __attribute__((returns_nonnull, malloc));

/** @p count zeroed elements of @p size bytes; overflow is out of memory. */
void *htp_arena_calloc(htp_arena *arena, size_t count, size_t size)
    __attribute__((returns_nonnull, malloc));

/** Grows an array: a new one whose first @p old_count elements are the old ones'. The old one
 * stays until the arena is freed. */
void *htp_arena_grow(htp_arena *arena, const void *old, size_t old_count, size_t new_count,
                     size_t size) __attribute__((returns_nonnull));

/** A copy of @p bytes bytes, followed by a NUL. */
char *htp_arena_copy(htp_arena *arena, const void *data, size_t bytes)
    __attribute__((returns_nonnull));

/** A copy of a string. */
char *htp_arena_strdup(htp_arena *arena, const char *string) __attribute__((returns_nonnull));

/** Three strings in a row, faster than htp_arena_printf(). */
char *htp_arena_join(htp_arena *arena, const char *first, const char *between, const char *last)
    __attribute__((returns_nonnull));

/** A formatted string. */
char *htp_arena_printf(htp_arena *arena, const char *format, ...)
    __attribute__((returns_nonnull, format(printf, 2, 3)));

/** A formatted string from a list of arguments. */
char *htp_arena_vprintf(htp_arena *arena, const char *format, va_list arguments)
    __attribute__((returns_nonnull));

/** One object, and an array of objects. */
#define HTP_NEW(arena, type) ((type *)htp_arena_alloc((arena), sizeof(type)))
#define HTP_NEW_ARRAY(arena, type, count) ((type *)htp_arena_calloc((arena), (count), sizeof(type)))

#endif
