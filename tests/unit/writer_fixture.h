/*
 * Writing a model into a folder of its own, and reading it back.
 */
#ifndef HTP_TESTS_WRITER_FIXTURE_H
#define HTP_TESTS_WRITER_FIXTURE_H

#include "onnx_fixture.h"

#include "onnx/proto/onnx.pb-c.h"
#include "onnx/serialize/writer.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** A file's contents, in the fixture's arena. */
typedef struct file_contents {
    const unsigned char *bytes;
    size_t size;
} file_contents;

static char scratch_folder[64];

static inline void scratch_make_in(const char *folder)
{
    (void)snprintf(scratch_folder, sizeof(scratch_folder), "%s/htp-test-XXXXXX", folder);
    ck_assert_ptr_nonnull(mkdtemp(scratch_folder));
}

static inline void scratch_make(void)
{
    scratch_make_in("/tmp");
}

/** Names in the scratch folder; removes them. */
static inline size_t scratch_clear(void)
{
    size_t count = 0;
    DIR *folder = opendir(scratch_folder);
    ck_assert_ptr_nonnull(folder);
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            ck_assert_int_eq(unlinkat(dirfd(folder), entry->d_name, 0), 0);
            count++;
        }
    }
    (void)closedir(folder);
    return count;
}

static inline void scratch_remove(void)
{
    (void)scratch_clear();
    ck_assert_int_eq(rmdir(scratch_folder), 0);
}

static inline const char *scratch_path(onnx_fixture *f, const char *name)
{
    return htp_arena_printf(f->arena, "%s/%s", scratch_folder, name);
}

static inline file_contents read_whole(onnx_fixture *f, const char *path)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "no file %s", path);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    ck_assert_int_ge(size, 0);
    rewind(file);
    unsigned char *bytes = htp_arena_alloc(f->arena, (size_t)size + 1);
    ck_assert_uint_eq(fread(bytes, 1, (size_t)size, file), (size_t)size);
    (void)fclose(file);
    return (file_contents){bytes, (size_t)size};
}

static inline void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

static inline void assert_text(onnx_fixture *f, const char *path, const char *text)
{
    file_contents contents = read_whole(f, path);
    ck_assert_uint_eq(contents.size, strlen(text));
    ck_assert_mem_eq(contents.bytes, text, contents.size);
}

/** Writes the fixture's model, which must succeed. */
static inline htp_writer_result write_model(onnx_fixture *f, const htp_annotations *annotations,
                                            const char *path, htp_external_data external)
{
    htp_writer_options options = {.external_data = external};
    htp_writer_result result = {0};
    htp_status status = htp_draft_write(f->model, annotations, path, &options, &result);
    ck_assert_msg(status == HTP_OK, "%s", htp_status_message(status));
    return result;
}

/** Writes the fixture's model, which must fail with @p code and say @p part. */
static inline void write_fails(onnx_fixture *f, const char *path, htp_external_data external,
                               htp_code code, const char *part)
{
    htp_writer_options options = {.external_data = external};
    htp_writer_result result;
    htp_status status = htp_draft_write(f->model, NULL, path, &options, &result);
    ck_assert_int_eq(htp_status_code(status), code);
    ck_assert_msg(strstr(htp_status_message(status), part) != NULL, "no '%s' in: %s", part,
                  htp_status_message(status));
    htp_status_free(status);
}

static inline void *arena_allocate(void *arena, size_t bytes)
{
    return htp_arena_alloc(arena, bytes);
}

static inline void arena_keep(void *arena, void *memory)
{
    (void)arena;
    (void)memory;
}

/** Reads a model back, into the fixture's arena. */
static inline Htp__Onnx__ModelProto *read_model(onnx_fixture *f, const char *path)
{
    ProtobufCAllocator allocator = {arena_allocate, arena_keep, f->arena};
    file_contents contents = read_whole(f, path);
    Htp__Onnx__ModelProto *model =
        htp__onnx__model_proto__unpack(&allocator, contents.size, contents.bytes);
    ck_assert_msg(model != NULL, "%s cannot be unpacked", path);
    return model;
}

/** Makes a weight of the fixture a view of @p data. */
static inline void set_view(onnx_fixture *f, uint32_t index, const char *name, htp_dtype dtype,
                            uint32_t rank, const int64_t *dims, const int64_t *strides,
                            int64_t offset, const void *data, uint64_t bytes)
{
    f->weights[index] = (htp_weight){
        .name = name,
        .dtype = dtype,
        .rank = rank,
        .dims = dims,
        .strides = strides,
        .storage = index,
        .storage_offset = offset,
        .data = data,
        .storage_bytes = bytes,
    };
}

/** Adds `Use(weight)`, with an output of the graph named by the weight's number. */
static inline void use_weight(onnx_fixture *f, uint32_t index)
{
    htp_tensor_id used = fixture_node(f, ROOT, "Use", htp_draft_weight(f->model, index), HTP_NONE);
    htp_draft_set_type(f->model, used, HTP_DTYPE_FLOAT32, 0, NULL);
    htp_draft_add_output(f->model, used, htp_arena_printf(f->arena, "use%u", (unsigned)index));
}

#endif
