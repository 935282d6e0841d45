#include "fuzz.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char *fuzz_two_nodes(unsigned slot)
{
    static const char model_bytes[] =
        "\x08\x0a\x3a\x4f\x0a\x13\x0a\x01x\x12\x01v\x1a\x06/a/Neg\x22\x03Neg"
        "\x0a\x13\x0a\x01v\x12\x01y\x1a\x06/b/Neg\x22\x03Neg\x12\x01g"
        "\x5a\x0f\x0a\x01x\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x01"
        "\x62\x0f\x0a\x01y\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x01\x42\x04\x0a\x00\x10\x12";
    return fuzz_file(slot, model_bytes, sizeof(model_bytes) - 1);
}

/* ---- a small writer of ONNX ---- */

enum { MOST_BYTES = 1 << 12 };

/* The beginning of a message of known size: its key and its length. */
static uint8_t *put_length(uint8_t *at, uint8_t key, size_t length)
{
    *at++ = key;
    for (; length >= 128; length >>= 7) {
        *at++ = (uint8_t)(length | 128);
    }
    *at++ = (uint8_t)length;
    return at;
}

static uint8_t *put_bytes(uint8_t *at, uint8_t key, const void *bytes, size_t count)
{
    at = put_length(at, key, count);
    memcpy(at, bytes, count);
    return at + count;
}

static uint8_t *put_text(uint8_t *at, uint8_t key, const char *text)
{
    return put_bytes(at, key, text, strlen(text));
}

/* NodeProto: input (1), output (2), name (3), op_type (4). */
static uint8_t *put_node(uint8_t *at, const char *name, size_t index, bool is_last)
{
    uint8_t node[256];
    char value[32];
    (void)snprintf(value, sizeof(value), "v%zu", index);
    uint8_t *end = put_text(node, 0x0a, index == 0 ? "x" : value);
    (void)snprintf(value, sizeof(value), "v%zu", index + 1);
    end = put_text(end, 0x12, is_last ? "y" : value);
    end = put_text(end, 0x1a, name);
    end = put_text(end, 0x22, "Neg");
    return put_bytes(at, 0x0a, node, (size_t)(end - node));
}

/* A float of rank 1, as an input (11) or an output (12) of the graph. */
static uint8_t *put_border(uint8_t *at, uint8_t key, const char *name)
{
    static const uint8_t type[] = {0x12, 10, 0x0a, 8, 0x08, 1, 0x12, 4, 0x0a, 2, 0x08, 1};
    at = put_length(at, key, strlen(name) + 2 + sizeof(type));
    at = put_text(at, 0x0a, name);
    memcpy(at, type, sizeof(type));
    return at + sizeof(type);
}

/* ModelProto: ir_version (1), graph (7), opset_import (8). */
static size_t put_model(uint8_t *model, const char *const *names, size_t count)
{
    static const uint8_t opset[] = {0x42, 4, 0x0a, 0, 0x10, 18};
    uint8_t graph[MOST_BYTES / 2];
    uint8_t *end = graph;
    for (size_t i = 0; i < count; i++) {
        end = put_node(end, names[i], i, i + 1 == count);
    }
    end = put_text(end, 0x12, "g");
    end = put_border(put_border(end, 0x5a, "x"), 0x62, "y");
    uint8_t *at = model;
    *at++ = 0x08;
    *at++ = 10;
    at = put_bytes(at, 0x3a, graph, (size_t)(end - graph));
    memcpy(at, opset, sizeof(opset));
    return (size_t)(at - model) + sizeof(opset);
}

/* metadata_props (14) of a ModelProto: key (1), value (2). */
static size_t put_metadata(uint8_t *model, const void *value, size_t bytes)
{
    uint8_t head[64];
    uint8_t *end = put_text(head, 0x0a, "htp.module_tree");
    end = put_length(end, 0x12, bytes);
    uint8_t *at = put_length(model, 0x72, (size_t)(end - head) + bytes);
    memcpy(at, head, (size_t)(end - head));
    at += end - head;
    if (bytes > 0) {
        memcpy(at, value, bytes);
    }
    return (size_t)(at - model) + bytes;
}

const char *fuzz_named_nodes(unsigned slot, const char *const *names, size_t count,
                             const void *module_tree, size_t bytes)
{
    uint8_t *model = malloc(MOST_BYTES + bytes);
    FUZZ_CHECK(model);
    size_t size = put_model(model, names, count);
    size += module_tree ? put_metadata(model + size, module_tree, bytes) : 0;
    const char *path = fuzz_file(slot, model, size);
    free(model);
    return path;
}

/* ---- checks and files ---- */

_Noreturn void fuzz_fail(const char *condition, const char *file, int line)
{
    (void)fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    abort();
}

const char *fuzz_file(unsigned slot, const void *data, size_t size)
{
    enum { SLOTS = 2 };
    static int files[SLOTS] = {-1, -1};
    static char paths[SLOTS][32];
    FUZZ_CHECK(slot < SLOTS);
    if (files[slot] >= 0) {
        (void)close(files[slot]);
    }
    files[slot] = memfd_create("fuzz", MFD_CLOEXEC);
    FUZZ_CHECK(files[slot] >= 0);
    for (size_t done = 0; done < size;) {
        ssize_t wrote = write(files[slot], (const char *)data + done, size - done);
        FUZZ_CHECK(wrote > 0);
        done += (size_t)wrote;
    }
    (void)snprintf(paths[slot], sizeof(paths[slot]), "/proc/self/fd/%d", files[slot]);
    return paths[slot];
}

bool fuzz_is_ok(htp_status status)
{
    if (!status) {
        return true;
    }
    htp_code code = htp_status_code(status);
    const char *message = htp_status_message(status);
    FUZZ_CHECK(code == HTP_CODE_BAD_INPUT || code == HTP_CODE_USAGE ||
               code == HTP_CODE_UNSUPPORTED);
    FUZZ_CHECK(*message && !strchr(message, '\n'));
    htp_status_free(status);
    return false;
}

void fuzz_inspect(htp_model *model, const htp_inspect_options *options)
{
    char *text = NULL;
    char *json = NULL;
    if (fuzz_is_ok(htp_model_inspect(model, options, &text, &json))) {
        FUZZ_CHECK(text && json && json[0] == '{');
    }
    htp_string_free(text);
    htp_string_free(json);
}
