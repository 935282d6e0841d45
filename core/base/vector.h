/*
 * Growing arrays in an arena, typed by a macro:
 *
 *     typedef HTP_VECTOR(uint32_t) id_vector;
 *     id_vector ids = {0};
 *     HTP_PUSH(arena, &ids, 7);
 */
#ifndef HTP_BASE_VECTOR_H
#define HTP_BASE_VECTOR_H

#include "base/arena.h"

#define HTP_VECTOR(type)                                                                           \
    struct {                                                                                       \
        type *items;                                                                               \
        size_t count;                                                                              \
        size_t capacity;                                                                           \
    }

/** Makes room for one more item. */
#define HTP_RESERVE(arena, vector)                                                                 \
    do {                                                                                           \
        if ((vector)->count == (vector)->capacity) {                                               \
            size_t htp_capacity_ = (vector)->capacity ? (vector)->capacity * 2 : 8;                \
            (vector)->items = htp_arena_grow((arena), (vector)->items, (vector)->count,            \
                                             htp_capacity_, sizeof(*(vector)->items));             \
            (vector)->capacity = htp_capacity_;                                                    \
        }                                                                                          \
    } while (0)

/** Appends an item. */
#define HTP_PUSH(arena, vector, ...)                                                               \
    do {                                                                                           \
        HTP_RESERVE((arena), (vector));                                                            \
        (vector)->items[(vector)->count++] = (__VA_ARGS__);                                        \
    } while (0)

/** Appends an item, and frees the former list if it was large and has moved: nobody may keep an
 * address in it. */
#define HTP_PUSH_FREEING(arena, vector, ...)                                                       \
    do {                                                                                           \
        const void *htp_former_ = (vector)->items;                                                 \
        const size_t htp_bytes_ = (vector)->capacity * sizeof(*(vector)->items);                   \
        HTP_PUSH((arena), (vector), __VA_ARGS__);                                                  \
        if (htp_former_ && htp_former_ != (vector)->items) {                                       \
            htp_arena_release((arena), htp_former_, htp_bytes_);                                   \
        }                                                                                          \
    } while (0)

/** The items from @p index on; NULL of a vector without any. */
#define HTP_FROM(vector, index)                                                                    \
    htp_items_from((vector)->items, (size_t)(index) * sizeof(*(vector)->items))

/** Moves a pointer by bytes; NULL stays, to which C adds nothing. */
const void *htp_items_from(const void *items, size_t bytes);

/** Reserves room for @p more items. Unused room costs address space alone. */
#define HTP_EXPECT(arena, vector, more)                                                            \
    do {                                                                                           \
        size_t htp_wanted_ = (vector)->count + (more);                                             \
        if (htp_wanted_ > (vector)->capacity) {                                                    \
            size_t htp_twice_ = (vector)->capacity * 2;                                            \
            htp_wanted_ = htp_wanted_ > htp_twice_ ? htp_wanted_ : htp_twice_;                     \
            (vector)->items = htp_arena_grow((arena), (vector)->items, (vector)->count,            \
                                             htp_wanted_, sizeof(*(vector)->items));               \
            (vector)->capacity = htp_wanted_;                                                      \
        }                                                                                          \
    } while (0)

#endif
