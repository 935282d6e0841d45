#include "onnx/serialize/npz.h"

#include "base/dtype.h"
#include "onnx/files/delivery.h"
#include "onnx/serialize/payload.h"

#include <inttypes.h>
#include <string.h>
#include <zlib.h>

enum {
    HEAD_ALIGNMENT = 64, /* of the elements, from the beginning of the .npy file */
    LOCAL_HEADER = 30,
    DIRECTORY_ENTRY = 46,
    END_RECORD = 22,
    VERSION = 20,           /* of the format that is needed to read it */
    FIRST_DAY = 1 << 5 | 1, /* 1980-01-01, so that equal state gives equal bytes */
    UTF8_NAMES = 1 << 11,
};

/* An array in the file. */
typedef struct array {
    const char *name; /* "state.h.npy" */
    const char *head; /* of the .npy file */
    size_t head_bytes;
    uint64_t bytes; /* of the elements */
    uint32_t checksum;
    uint32_t offset; /* of its local header */
} array;

typedef struct archive {
    const htp_builder *model;
    const htp_input_file *source;
    const char *path;
    array *arrays;
    size_t count;
    htp_payload *payload;
    uint32_t directory; /* offset */
} archive;

/* ---- arrays ---- */

/* NumPy's descriptor of a dtype; one unknown to NumPy becomes raw bytes of that size. */
static const char *descriptor_of(htp_arena *arena, htp_dtype dtype)
{
    uint32_t size = htp_dtype_size(dtype);
    if (dtype == HTP_DTYPE_BFLOAT16) {
        return "|V2";
    }
    if (dtype == HTP_DTYPE_BOOL) {
        return "|b1";
    }
    bool is_unsigned = strncmp(htp_dtype_name(dtype), "uint", strlen("uint")) == 0;
    const char *letter = htp_dtype_is_float(dtype) ? "f" : is_unsigned ? "u" : "i";
    return htp_arena_printf(arena, "%s%s%" PRIu32, size == 1 ? "|" : "<", letter, size);
}

static void make_head(htp_arena *arena, const htp_builder_state *state, htp_dtype dtype,
                      array *made)
{
    htp_text text = {.arena = arena};
    htp_text_addf(&text, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                  descriptor_of(arena, dtype));
    for (uint32_t i = 0; i < state->rank; i++) {
        htp_text_addf(&text, "%" PRId64 ",%s", state->dims[i], i + 1 < state->rank ? " " : "");
    }
    htp_text_add(&text, "), }");
    static const char magic[] = "\x93NUMPY\x01";
    size_t begin = sizeof(magic) + 2; /* the NUL is the minor version */
    size_t whole = (begin + text.length + HEAD_ALIGNMENT) / HEAD_ALIGNMENT * HEAD_ALIGNMENT;
    size_t length = whole - begin;
    unsigned char *head = HTP_NEW_ARRAY(arena, unsigned char, whole);
    memset(head, ' ', whole);
    memcpy(head, magic, sizeof(magic));
    head[sizeof(magic)] = length & 0xff;
    head[sizeof(magic) + 1] = length >> 8 & 0xff;
    memcpy(head + begin, htp_text_string(&text), text.length);
    head[whole - 1] = '\n';
    made->head = (const char *)head;
    made->head_bytes = whole;
}

static uint32_t add_to_checksum(uint32_t checksum, const unsigned char *bytes, uint64_t count)
{
    return (uint32_t)crc32_z(checksum, bytes, (z_size_t)count);
}

static htp_status prepare(archive *npz)
{
    const htp_builder *model = npz->model;
    htp_arena *arena = model->arena;
    uint64_t offset = 0;
    for (size_t i = 0; i < npz->count; i++) {
        const htp_builder_state *state = &model->states.items[i];
        const htp_tensor *input = &model->tensors.items[state->input];
        array *made = &npz->arrays[i];
        const unsigned char *bytes;
        made->name = htp_arena_printf(arena, "%s.npy", input->name);
        make_head(arena, state, input->dtype, made);
        made->checksum = add_to_checksum(0, (const unsigned char *)made->head, made->head_bytes);
        htp_payload_begin(npz->payload, model, &state->first);
        for (uint64_t count = htp_payload_next(npz->payload, &bytes); count > 0;
             count = htp_payload_next(npz->payload, &bytes)) {
            made->checksum = add_to_checksum(made->checksum, bytes, count);
            made->bytes += count;
        }
        made->offset = (uint32_t)offset;
        offset += LOCAL_HEADER + strlen(made->name) + made->head_bytes + made->bytes;
        if (offset > UINT32_MAX || npz->count > UINT16_MAX || strlen(made->name) > UINT16_MAX) {
            return htp_status_make(HTP_CODE_CANNOT_WRITE,
                                   "cannot write '%s': the initial state has more "
                                   "than 4 GiB",
                                   npz->path);
        }
    }
    npz->directory = (uint32_t)offset;
    return HTP_OK;
}

/* ---- the archive ---- */

typedef struct record {
    unsigned char bytes[DIRECTORY_ENTRY];
    size_t count;
} record;

static void add_number(record *record, uint32_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        record->bytes[record->count++] = number >> 8 * i & 0xff;
    }
}

/* The fields that a local header and a directory entry share. */
static void add_facts(record *record, const array *array)
{
    uint32_t bytes = (uint32_t)(array->head_bytes + array->bytes);
    add_number(record, VERSION, 2);
    add_number(record, UTF8_NAMES, 2);
    add_number(record, 0, 2); /* stored */
    add_number(record, 0, 2); /* midnight */
    add_number(record, FIRST_DAY, 2);
    add_number(record, array->checksum, 4);
    add_number(record, bytes, 4);
    add_number(record, bytes, 4);
    add_number(record, (uint32_t)strlen(array->name), 2);
    add_number(record, 0, 2); /* extra fields */
}

static void put_array(archive *npz, size_t index, htp_output *output)
{
    const array *array = &npz->arrays[index];
    record header = {.count = 0};
    add_number(&header, 0x04034b50, 4);
    add_facts(&header, array);
    htp_output_append(output, header.bytes, header.count);
    htp_output_append(output, array->name, strlen(array->name));
    htp_output_append(output, array->head, array->head_bytes);
    const unsigned char *bytes;
    htp_payload_begin(npz->payload, npz->model, &npz->model->states.items[index].first);
    for (uint64_t count = htp_payload_next(npz->payload, &bytes); count > 0;
         count = htp_payload_next(npz->payload, &bytes)) {
        htp_output_append(output, bytes, count);
    }
}

static void put_entry(const array *array, htp_output *output)
{
    record entry = {.count = 0};
    add_number(&entry, 0x02014b50, 4);
    add_number(&entry, VERSION, 2); /* of the writer */
    add_facts(&entry, array);
    add_number(&entry, 0, 2); /* comment */
    add_number(&entry, 0, 2); /* disk */
    add_number(&entry, 0, 2); /* attributes */
    add_number(&entry, 0, 4);
    add_number(&entry, array->offset, 4);
    htp_output_append(output, entry.bytes, entry.count);
    htp_output_append(output, array->name, strlen(array->name));
}

static uint64_t directory_bytes(const archive *npz)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < npz->count; i++) {
        bytes += DIRECTORY_ENTRY + strlen(npz->arrays[i].name);
    }
    return bytes;
}

static htp_delivery_end put_archive(void *user, htp_output *output)
{
    archive *npz = user;
    for (size_t i = 0; i < npz->count; i++) {
        put_array(npz, i, output);
    }
    for (size_t i = 0; i < npz->count; i++) {
        put_entry(&npz->arrays[i], output);
    }
    record end = {.count = 0};
    add_number(&end, 0x06054b50, 4);
    add_number(&end, 0, 4); /* disks */
    add_number(&end, (uint32_t)npz->count, 2);
    add_number(&end, (uint32_t)npz->count, 2);
    add_number(&end, (uint32_t)directory_bytes(npz), 4);
    add_number(&end, npz->directory, 4);
    add_number(&end, 0, 2); /* comment */
    htp_output_append(output, end.bytes, end.count);
    return HTP_DELIVERY_DONE;
}

static htp_status lay_out(void *user, const char *location, htp_delivery_sizes *sizes)
{
    archive *npz = user;
    (void)location;
    HTP_TRY(prepare(npz));
    *sizes =
        (htp_delivery_sizes){.model_bytes = npz->directory + directory_bytes(npz) + END_RECORD};
    return HTP_OK;
}

static htp_status check_sources(void *user)
{
    const archive *npz = user;
    return htp_input_file_check(npz->source);
}

htp_status htp_npz_write_states(const htp_builder *model, const htp_input_file *source,
                                const char *path)
{
    archive npz = {.model = model,
                   .source = source,
                   .path = path,
                   .count = model->states.count,
                   .arrays = HTP_NEW_ARRAY(model->arena, array, model->states.count + 1),
                   .payload = HTP_NEW(model->arena, htp_payload)};
    const htp_delivery delivery = {
        .user = &npz, .lay_out = lay_out, .put_model = put_archive, .check_sources = check_sources};
    htp_delivered delivered;
    return htp_deliver(model->arena, &delivery, path, &delivered);
}
