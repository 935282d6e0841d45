/*
 * ONNX files made field by field, right and wrong ones.
 */
#ifndef HTP_TESTS_PROTO_FIXTURE_H
#define HTP_TESTS_PROTO_FIXTURE_H

#include "base/text.h"
#include "onnx/reader/view.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** A message under way: its bytes. */
typedef htp_text message;

static inline message message_new(htp_arena *arena)
{
    return (message){.arena = arena};
}

static inline void put_raw_varint(message *m, uint64_t value)
{
    char byte;
    for (; value >= 0x80; value >>= 7) {
        byte = (char)(value | 0x80);
        htp_text_add_bytes(m, &byte, 1);
    }
    byte = (char)value;
    htp_text_add_bytes(m, &byte, 1);
}

static inline void put_number(message *m, uint32_t field, uint64_t value)
{
    put_raw_varint(m, (uint64_t)field << 3);
    put_raw_varint(m, value);
}

static inline void put_bytes(message *m, uint32_t field, const void *bytes, size_t count)
{
    put_raw_varint(m, (uint64_t)field << 3 | 2);
    put_raw_varint(m, count);
    htp_text_add_bytes(m, bytes, count);
}

static inline void put_text(message *m, uint32_t field, const char *text)
{
    put_bytes(m, field, text, strlen(text));
}

static inline void put_message(message *m, uint32_t field, const message *inner)
{
    put_bytes(m, field, inner->bytes, inner->length);
}

static inline void put_entry(message *m, uint32_t field, const char *key, const char *value)
{
    message entry = message_new(m->arena);
    put_text(&entry, 1, key);
    put_text(&entry, 2, value);
    put_message(m, field, &entry);
}

/** A node of one output; "" for an input that is not there. */
static inline message node_of(htp_arena *arena, const char *op_type, const char *name,
                              const char *a, const char *b, const char *output)
{
    message node = message_new(arena);
    put_text(&node, 1, a);
    if (*b) {
        put_text(&node, 1, b);
    }
    put_text(&node, 2, output);
    put_text(&node, 3, name);
    put_text(&node, 4, op_type);
    return node;
}

/** A ValueInfoProto without a type. */
static inline message info_of(htp_arena *arena, const char *name)
{
    message info = message_new(arena);
    put_text(&info, 1, name);
    return info;
}

/** A float tensor with one dim. */
static inline message tensor_of(htp_arena *arena, const char *name, const float *data, size_t count)
{
    message tensor = message_new(arena);
    put_number(&tensor, 1, count);
    put_number(&tensor, 2, 1);
    put_text(&tensor, 8, name);
    put_bytes(&tensor, 9, data, count * sizeof(*data));
    return tensor;
}

/** A ModelProto around a graph, with a field that nobody knows. */
static inline message model_of(htp_arena *arena, const message *graph)
{
    message model = message_new(arena);
    message import = message_new(arena);
    put_number(&model, 1, 10);
    put_text(&model, 2, "maker");
    put_message(&model, 7, graph);
    put_number(&import, 2, 18);
    put_message(&model, 8, &import);
    put_text(&model, 999, "unknown");
    return model;
}

/* ---- files ---- */

static char proto_folder[64];

static inline void proto_folder_make(void)
{
    (void)snprintf(proto_folder, sizeof(proto_folder), "/tmp/htp-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(proto_folder));
}

static inline const char *proto_path(htp_arena *arena, const char *name)
{
    return htp_arena_printf(arena, "%s/%s", proto_folder, name);
}

static inline void write_bytes(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(count > 0 ? fwrite(bytes, 1, count, file) : 0, count);
    ck_assert_int_eq(fclose(file), 0);
}

static inline message read_bytes(htp_arena *arena, const char *path)
{
    message bytes = message_new(arena);
    char buffer[4096];
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "no file %s", path);
    for (size_t got = 1; got > 0;) {
        got = fread(buffer, 1, sizeof(buffer), file);
        htp_text_add_bytes(&bytes, buffer, got);
    }
    (void)fclose(file);
    return bytes;
}

static inline void proto_folder_remove(void)
{
    char command[128];
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", proto_folder);
    ck_assert_int_eq(system(command), 0); /* NOLINT(cert-env33-c): the name is ours */
}

/** Opens a model, which must succeed. */
static inline void open_model(htp_view *view, htp_arena *arena, const message *model)
{
    const char *path = proto_path(arena, "m.onnx");
    write_bytes(path, model->bytes, model->length);
    htp_status status = htp_view_open(view, arena, path);
    ck_assert_msg(status == HTP_OK, "%s", htp_status_message(status));
}

/** Opens a model, which must fail and say @p part. */
static inline void open_fails(htp_arena *arena, const message *model, const char *part)
{
    htp_view view;
    const char *path = proto_path(arena, "m.onnx");
    write_bytes(path, model->bytes, model->length);
    htp_status status = htp_view_open(&view, arena, path);
    ck_assert_int_eq(htp_status_code(status), HTP_CODE_BAD_INPUT);
    ck_assert_msg(strstr(htp_status_message(status), part) != NULL, "no '%s' in: %s", part,
                  htp_status_message(status));
    htp_status_free(status);
    htp_view_close(&view);
}

/** The number of a value with this name in a graph. */
static inline uint32_t value_of(const htp_view *view, uint32_t graph, const char *name)
{
    for (uint32_t i = 0; i < view->values.count; i++) {
        const htp_view_value *value = &view->values.items[i];
        if (value->graph == graph && strcmp(htp_view_text(view, value->name), name) == 0) {
            return i;
        }
    }
    return HTP_NONE;
}

/** What input @p index of a node reads. */
static inline uint32_t input_of(const htp_view *view, uint32_t node, uint32_t index)
{
    return view->operands.items[view->nodes.items[node].inputs.first + index];
}

#endif
