/*
 * A pair of files that is written over, and weights that are large.
 */
#ifndef HTP_TESTS_OUTPUT_FIXTURE_H
#define HTP_TESTS_OUTPUT_FIXTURE_H

#include "writer_fixture.h"

#include "onnx/files/output.h"

#include <fcntl.h>
#include <sys/mman.h>

static onnx_fixture f;

enum { LARGE = 9 << 20 }; /* bytes; progress is told each 4 MiB */

static unsigned char *large;

static const int64_t large_dims[] = {LARGE};
static const int64_t one[] = {1};
static const int64_t zero[] = {0};

static inline void use_large_weight(void)
{
    set_view(&f, 0, "large", HTP_DTYPE_UINT8, 1, large_dims, one, 0, large, LARGE);
    use_weight(&f, 0);
}

/* 3 GiB of zeros in one byte. */
static inline void use_huge_weight(void)
{
    static const int64_t dims[] = {INT64_C(3) << 30};
    set_view(&f, 0, "huge", HTP_DTYPE_UINT8, 1, dims, zero, 0, large, 1);
    use_weight(&f, 0);
}

static const char *model_path(void)
{
    return scratch_path(&f, "m.onnx");
}

static const char *data_path(void)
{
    return scratch_path(&f, "m.onnx.data");
}

static inline void begin(htp_arena *arena)
{
    fixture_begin(&f, arena);
    scratch_make();
    large = htp_arena_alloc(arena, LARGE);
    for (size_t i = 0; i < LARGE; i++) {
        large[i] = (unsigned char)(i * 2654435761U >> 24);
    }
}

static inline void end(void)
{
    scratch_remove();
}

static inline void write_old_pair(void)
{
    write_text(model_path(), "old model");
    write_text(data_path(), "old data");
}

/* The old pair is there, and nothing else. */
static inline void assert_old_pair(void)
{
    assert_text(&f, model_path(), "old model");
    assert_text(&f, data_path(), "old data");
    ck_assert_uint_eq(scratch_clear(), 2);
}

#endif
