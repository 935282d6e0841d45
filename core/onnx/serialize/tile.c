#include "onnx/serialize/tile.h"

#include <string.h>

enum { TILE = HTP_TILE, SIDE = 4 /* of a square, which vectors turn at once */ };

/* The two halves of vectors a and b by turns. */
#ifdef __clang__
#define FIRST_BY_TURNS(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define LAST_BY_TURNS(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#else
#define FIRST_BY_TURNS(a, b) __builtin_shuffle(a, b, (__typeof__(a)){0, 4, 1, 5})
#define LAST_BY_TURNS(a, b) __builtin_shuffle(a, b, (__typeof__(a)){2, 6, 3, 7})
#endif

/*
 * turn_tile_N() turns a whole tile of elements of N bits. Columns are put together in a small tile
 * first, so that each line of the block is written in one go: columns whose distance is a power of
 * two would push each other out of the cache.
 */
#define DEFINE_TURN_TILE(bits)                                                                     \
    typedef uint##bits##_t side_##bits __attribute__((vector_size(SIDE * (bits) / 8)));            \
                                                                                                   \
    static void turn_square_##bits(uint##bits##_t *to, const unsigned char *const *from,           \
                                   uint64_t offset)                                                \
    {                                                                                              \
        side_##bits row[SIDE], half[SIDE];                                                         \
        for (int i = 0; i < SIDE; i++) {                                                           \
            memcpy(&row[i], from[i] + offset, sizeof(row[i]));                                     \
        }                                                                                          \
        half[0] = FIRST_BY_TURNS(row[0], row[2]);                                                  \
        half[1] = LAST_BY_TURNS(row[0], row[2]);                                                   \
        half[2] = FIRST_BY_TURNS(row[1], row[3]);                                                  \
        half[3] = LAST_BY_TURNS(row[1], row[3]);                                                   \
        row[0] = FIRST_BY_TURNS(half[0], half[2]);                                                 \
        row[1] = LAST_BY_TURNS(half[0], half[2]);                                                  \
        row[2] = FIRST_BY_TURNS(half[1], half[3]);                                                 \
        row[3] = LAST_BY_TURNS(half[1], half[3]);                                                  \
        for (int i = 0; i < SIDE; i++) {                                                           \
            memcpy(to + (size_t)i * TILE, &row[i], sizeof(row[i]));                                \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void turn_tile_##bits(unsigned char *to, uint64_t rows,                                 \
                                 const unsigned char *const *from, uint64_t first)                 \
    {                                                                                              \
        uint##bits##_t tile[TILE][TILE];                                                           \
        for (int r = 0; r < TILE; r += SIDE) {                                                     \
            for (int c = 0; c < TILE; c += SIDE) {                                                 \
                turn_square_##bits(&tile[c][r], from + r,                                          \
                                   (first + (uint64_t)c) * sizeof(tile[0][0]));                    \
            }                                                                                      \
        }                                                                                          \
        for (uint64_t c = 0; c < TILE; c++) {                                                      \
            memcpy(to + (first + c) * rows * sizeof(tile[0][0]), tile[c], sizeof(tile[c]));        \
        }                                                                                          \
    }

DEFINE_TURN_TILE(8)
DEFINE_TURN_TILE(16)
DEFINE_TURN_TILE(32)

typedef void turn_tile_fn(unsigned char *to, uint64_t rows, const unsigned char *const *from,
                          uint64_t first);

/* Element by element, for constant sizes; whole tiles by @p turn_tile, if there is one. */
static inline void turn_of(size_t size, turn_tile_fn *turn_tile, unsigned char *to, uint64_t rows,
                           const unsigned char *const *from, uint64_t count, uint64_t columns)
{
    for (uint64_t begin = 0; begin < columns; begin += TILE) {
        uint64_t end = columns - begin < TILE ? columns : begin + TILE;
        if (turn_tile && count == TILE && end - begin == TILE) {
            turn_tile(to, rows, from, begin);
            continue;
        }
        for (uint64_t c = begin; c < end; c++) {
            for (uint64_t r = 0; r < count; r++) {
                memcpy(to + (c * rows + r) * size, from[r] + c * size, size);
            }
        }
    }
}

void htp_tile_turn(size_t size, unsigned char *to, uint64_t rows, const unsigned char *const *from,
                   uint64_t count, uint64_t columns)
{
    switch (size) {
    case 1:
        turn_of(1, turn_tile_8, to, rows, from, count, columns);
        break;
    case 2:
        turn_of(2, turn_tile_16, to, rows, from, count, columns);
        break;
    case 4:
        turn_of(4, turn_tile_32, to, rows, from, count, columns);
        break;
    default:
        turn_of(8, NULL, to, rows, from, count, columns); /* a line has no more than 8 of them */
        break;
    }
}
