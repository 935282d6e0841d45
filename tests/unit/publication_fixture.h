/*
 * Models of one weight that are published, with a data file or without.
 */
#ifndef HTP_TESTS_PUBLICATION_FIXTURE_H
#define HTP_TESTS_PUBLICATION_FIXTURE_H

#include "writer_fixture.h"

#include "onnx/files/publication.h"

static onnx_fixture f;

enum { WEIGHT = 6 << 20, NOBODY = 65534 };

static const int64_t dims[] = {WEIGHT};
static const int64_t strides[] = {0};
static const unsigned char letters[] = "abcdefgh";

static inline void begin(htp_arena *arena)
{
    fixture_begin(&f, arena);
    scratch_make();
}

static const char *at(const char *name)
{
    return scratch_path(&f, name);
}

/* A weight of one letter, many times. */
static inline void build(onnx_fixture *fixture, int letter)
{
    fixture_build(fixture);
    set_view(fixture, 0, "w", HTP_DTYPE_UINT8, 1, dims, strides, 0, &letters[letter], 1);
    use_weight(fixture, 0);
}

/* Exports to m.onnx. @return the data file's name; NULL without one */
static const char *publish(int letter, htp_external_data external)
{
    build(&f, letter);
    htp_writer_result result = write_model(&f, NULL, at("m.onnx"), external);
    return result.external_path ? strrchr(result.external_path, '/') + 1 : NULL;
}

static inline bool exists(const char *name)
{
    struct stat facts;
    return lstat(at(name), &facts) == 0;
}

static inline void assert_data(const char *name, int letter)
{
    file_contents data = read_whole(&f, at(name));
    ck_assert_uint_eq(data.size, WEIGHT);
    ck_assert_uint_eq(data.bytes[0], letters[letter]);
    ck_assert_uint_eq(data.bytes[WEIGHT - 1], letters[letter]);
}

static inline struct stat facts_of(const char *name)
{
    struct stat facts;
    ck_assert_int_eq(stat(at(name), &facts), 0);
    return facts;
}

#endif
