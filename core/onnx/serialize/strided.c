#include "onnx/serialize/strided.h"

#include "onnx/serialize/tile.h"

#include <string.h>

enum {
    SMALLEST_LONG_RUN = 1024, /* bytes; shorter runs are gathered */
    TILE = HTP_TILE,
    FEWEST_COLUMNS = 8,    /* of a block; fewer would read each line too often */
    LEAST_BLOCK = 1 << 20, /* bytes */
    MAX_BLOCK = 64 << 20,  /* bytes */
    MAX_SWEEPS = 32,       /* over all rows; a block may grow up to this */
};

void htp_strided_begin(htp_strided *strided, const void *first, uint64_t element, uint32_t rank,
                       const int64_t *dims, const int64_t *strides)
{
    memset(strided, 0, sizeof(*strided));
    strided->first = first;
    strided->runs_left = 1;
    strided->reach = element;
    uint32_t count = 0;
    for (uint32_t i = 0; i < rank; i++) {
        uint64_t size = (uint64_t)dims[i];
        uint64_t step = (uint64_t)strides[i] * element;
        strided->runs_left *= size;
        if (size <= 1) {
            continue;
        }
        strided->reach += (size - 1) * step;
        if (count > 0 && strided->steps[count - 1] == step * size) {
            strided->sizes[count - 1] *= size;
            strided->steps[count - 1] = step;
        } else {
            strided->sizes[count] = size;
            strided->steps[count] = step;
            count++;
        }
    }
    strided->run_bytes = element;
    if (count > 0 && strided->steps[count - 1] == element && strided->runs_left > 0) {
        uint64_t size = strided->sizes[--count];
        strided->run_bytes *= size;
        strided->runs_left /= size;
    }
    strided->rank = count;
}

/* Advances by @p count along dim @p axis, at most to its end; inner dims are at 0. */
static void advance(htp_strided *strided, uint32_t axis, uint64_t count)
{
    for (uint32_t i = axis + 1; i-- > 0; count = 1) {
        strided->offset += strided->steps[i] * count;
        strided->index[i] += count;
        if (strided->index[i] < strided->sizes[i]) {
            return;
        }
        strided->offset -= strided->steps[i] * strided->sizes[i];
        strided->index[i] = 0;
    }
}

bool htp_strided_next_run(htp_strided *strided, const unsigned char **bytes, uint64_t *count)
{
    bool is_long = strided->rank == 0 || strided->run_bytes > SMALLEST_LONG_RUN;
    if (!is_long || strided->runs_left == 0) {
        return false;
    }
    *bytes = strided->first + strided->offset;
    *count = strided->run_bytes;
    strided->runs_left--;
    if (strided->rank > 0) {
        advance(strided, strided->rank - 1, 1);
    }
    return true;
}

/* Inlined with constant sizes, so that each copy is one load and one store. */
static inline void copy_runs_of(size_t size, unsigned char *to, const unsigned char *from,
                                uint64_t step, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        memcpy(to + i * size, from + i * step, size);
    }
}

static void copy_runs(size_t size, unsigned char *to, const unsigned char *from, uint64_t step,
                      uint64_t count)
{
    switch (size) {
    case 1:
        copy_runs_of(1, to, from, step, count);
        break;
    case 2:
        copy_runs_of(2, to, from, step, count);
        break;
    case 4:
        copy_runs_of(4, to, from, step, count);
        break;
    case 8:
        copy_runs_of(8, to, from, step, count);
        break;
    default:
        copy_runs_of(size, to, from, step, count);
        break;
    }
}

uint64_t htp_strided_gather(htp_strided *strided, unsigned char *to, uint64_t capacity)
{
    uint64_t run = strided->run_bytes;
    uint64_t used = 0;
    while (strided->runs_left > 0 && capacity - used >= run) {
        uint32_t inner = strided->rank - 1;
        uint64_t fit = (capacity - used) / run;
        uint64_t left = strided->sizes[inner] - strided->index[inner];
        uint64_t count = left < fit ? left : fit;
        copy_runs((size_t)run, to + used, strided->first + strided->offset, strided->steps[inner],
                  count);
        used += count * run;
        strided->runs_left -= count;
        advance(strided, inner, count);
    }
    return used;
}

void htp_strided_copy(htp_strided *strided, unsigned char *to)
{
    const unsigned char *bytes = NULL;
    for (uint64_t count = 0; htp_strided_next_run(strided, &bytes, &count); to += count) {
        memcpy(to, bytes, count);
    }
    (void)htp_strided_gather(strided, to, UINT64_MAX);
}

/* ---- blocks ---- */

/* The axis with stride 1; the rank if there is none, or if it is the innermost one. */
static uint32_t find_columns(const htp_strided *strided)
{
    bool is_single = strided->run_bytes <= sizeof(uint64_t);
    for (uint32_t i = 0; is_single && i + 1 < strided->rank; i++) {
        if (strided->steps[i] == strided->run_bytes && strided->sizes[i] >= FEWEST_COLUMNS) {
            return i;
        }
    }
    return strided->rank;
}

/* The number of rows of a block: the product of dims inside axis @p columns. */
static uint64_t count_rows(const htp_strided *strided, uint32_t columns)
{
    uint64_t rows = 1;
    for (uint32_t i = columns + 1; i < strided->rank; i++) {
        rows *= strided->sizes[i];
    }
    return rows;
}

uint64_t htp_strided_block(const htp_strided *strided)
{
    uint32_t axis = find_columns(strided);
    if (axis == strided->rank) {
        return 0;
    }
    uint64_t column = count_rows(strided, axis) * strided->run_bytes;
    uint64_t all = column * strided->sizes[axis];
    uint64_t wanted = all / MAX_SWEEPS < LEAST_BLOCK ? LEAST_BLOCK : all / MAX_SWEEPS;
    wanted = wanted < column * TILE ? column * TILE : wanted;
    wanted = wanted > MAX_BLOCK ? MAX_BLOCK : wanted;
    return wanted < all ? wanted : all;
}

/* The rows of a block, in order. */
typedef struct row_walk {
    uint64_t offset;
    uint64_t index[HTP_MAX_RANK];
} row_walk;

static void next_row(const htp_strided *strided, uint32_t columns, row_walk *row)
{
    for (uint32_t i = strided->rank; i-- > columns + 1;) {
        row->offset += strided->steps[i];
        if (++row->index[i] < strided->sizes[i]) {
            return;
        }
        row->offset -= strided->steps[i] * strided->sizes[i];
        row->index[i] = 0;
    }
}

uint64_t htp_strided_transpose(htp_strided *strided, unsigned char *block, uint64_t capacity)
{
    uint32_t axis = find_columns(strided);
    if (axis == strided->rank || strided->runs_left == 0) {
        return 0;
    }
    size_t element = (size_t)strided->run_bytes;
    uint64_t rows = count_rows(strided, axis);
    uint64_t fit = capacity / (rows * element);
    uint64_t left = strided->sizes[axis] - strided->index[axis];
    uint64_t columns = left < fit ? left : fit;
    if (fit < FEWEST_COLUMNS) {
        return 0;
    }
    row_walk row = {.offset = strided->offset};
    for (uint64_t begin = 0; begin < rows; begin += TILE) {
        const unsigned char *from[TILE];
        uint64_t count = rows - begin < TILE ? rows - begin : TILE;
        for (uint64_t r = 0; r < count; r++) {
            from[r] = strided->first + row.offset;
            next_row(strided, axis, &row);
        }
        htp_tile_turn(element, block + begin * element, rows, from, count, columns);
    }
    strided->runs_left -= columns * rows;
    advance(strided, axis, columns);
    return columns * rows * element;
}
