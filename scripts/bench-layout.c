/*
 * What an export cannot do without: maps a file, lays out bytes of it as float32 weights, writes
 * and syncs them.
 *
 *     bench-layout FILE OUT < PLAN
 *
 * Each line of the plan is a weight, "KIND ROWS COLUMNS", which follows the one before in the file:
 * it is copied (c), transposed (t), or scaled in float64 (s).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK (1 << 18) /* elements: 1 MiB */
#define TILE 16         /* elements of a cache line */

static float block[BLOCK];

static void put(int out, const void *bytes, size_t count)
{
    while (count > 0) {
        ssize_t done = write(out, bytes, count);
        if (done <= 0) {
            perror("write");
            exit(1);
        }
        bytes = (const char *)bytes + done;
        count -= (size_t)done;
    }
}

static void scale(int out, const float *from, size_t count)
{
    for (size_t at = 0; at < count; at += BLOCK) {
        size_t some = count - at < BLOCK ? count - at : BLOCK;
        for (size_t i = 0; i < some; i++) {
            block[i] = (float)((double)from[at + i] * 1.0001);
        }
        put(out, block, some * sizeof(float));
    }
}

static void transpose(int out, const float *from, size_t rows, size_t columns)
{
    size_t strip = BLOCK / rows / TILE * TILE;
    strip = strip > 0 ? strip : 1;
    for (size_t first = 0; first < columns; first += strip) {
        size_t end = first + strip < columns ? first + strip : columns;
        for (size_t r = 0; r < rows; r += TILE) {
            for (size_t c = first; c < end; c++) {
                for (size_t i = r; i < r + TILE && i < rows; i++) {
                    block[(c - first) * rows + i] = from[i * columns + c];
                }
            }
        }
        put(out, block, (end - first) * rows * sizeof(float));
    }
}

int main(int count, char **arguments)
{
    struct stat facts;
    int in = count == 3 ? open(arguments[1], O_RDONLY) : -1;
    int out = in >= 0 ? open(arguments[2], O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (out < 0 || fstat(in, &facts) != 0) {
        fprintf(stderr, "usage: bench-layout FILE OUT < PLAN\n");
        return 1;
    }
    size_t elements = (size_t)facts.st_size / sizeof(float);
    const float *from = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, in, 0);
    char kind;
    size_t rows, columns, at = 0;
    while (from != MAP_FAILED && scanf(" %c %zu %zu", &kind, &rows, &columns) == 3) {
        size_t size = rows * columns;
        if (at + size > elements || (kind == 't' && rows > BLOCK)) {
            fprintf(stderr, "bench-layout: the plan does not fit the file\n");
            return 1;
        }
        if (kind == 't') {
            transpose(out, from + at, rows, columns);
        } else if (kind == 's') {
            scale(out, from + at, size);
        } else {
            put(out, from + at, size * sizeof(float));
        }
        at += size;
    }
    return fsync(out) != 0 || close(out) != 0;
}
