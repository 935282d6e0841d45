#include "onnx/serialize/npz.h"

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
    htp_arena *arena;
    const htp_npz *npz;
    const char *path;
    array *arrays;
    size_t count;
    uint32_t directory; /* offset */
} archive;

/* ---- arrays ---- */

/* NumPy's descriptors by TensorProto.DataType, from FLOAT on; NULL: strings. NumPy has no bfloat16:
 * it becomes raw bytes. */
static const char *const descriptors[] = {
    NULL,  "<f4", "|u1", "|i1", "<u2", "<i2", "<i4",  "<i8", NULL,
    "|b1", "<f2", "<f8", "<u4", "<u8", "<c8", "<c16", "|V2",
};

bool htp_npz_has(int32_t data_type)
{
    return data_type >= 0 && (size_t)data_type < sizeof(descriptors) / sizeof(*descriptors) &&
           descriptors[data_type];
}

static void make_head(htp_arena *arena, const htp_npz_array *from, array *made)
{
    htp_text text = {.arena = arena};
    htp_text_addf(&text, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                  descriptors[from->data_type]);
    for (size_t i = 0; i < from->rank; i++) {
        htp_text_addf(&text, "%" PRId64 ",%s", from->dims[i], i + 1 < from->rank ? " " : "");
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

static htp_status prepare(archive *archive)
{
    const htp_npz *npz = archive->npz;
    uint64_t offset = 0;
    for (size_t i = 0; i < archive->count; i++) {
        array *made = &archive->arrays[i];
        const unsigned char *bytes;
        made->name = htp_arena_printf(archive->arena, "%s.npy", npz->arrays[i].name);
        make_head(archive->arena, &npz->arrays[i], made);
        made->checksum = add_to_checksum(0, (const unsigned char *)made->head, made->head_bytes);
        npz->begin(npz->user, i);
        for (uint64_t count = npz->next(npz->user, &bytes); count > 0;
             count = npz->next(npz->user, &bytes)) {
            made->checksum = add_to_checksum(made->checksum, bytes, count);
            made->bytes += count;
        }
        made->offset = (uint32_t)offset;
        offset += LOCAL_HEADER + strlen(made->name) + made->head_bytes + made->bytes;
        if (offset > UINT32_MAX || archive->count > UINT16_MAX || strlen(made->name) > UINT16_MAX) {
            return htp_status_make(HTP_CODE_CANNOT_WRITE,
                                   "cannot write '%s': its arrays have more than 4 GiB",
                                   archive->path);
        }
    }
    archive->directory = (uint32_t)offset;
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

static void put_array(const archive *archive, size_t index, htp_output *output)
{
    const htp_npz *npz = archive->npz;
    const array *array = &archive->arrays[index];
    record header = {.count = 0};
    add_number(&header, 0x04034b50, 4);
    add_facts(&header, array);
    htp_output_append(output, header.bytes, header.count);
    htp_output_append(output, array->name, strlen(array->name));
    htp_output_append(output, array->head, array->head_bytes);
    const unsigned char *bytes;
    npz->begin(npz->user, index);
    for (uint64_t count = npz->next(npz->user, &bytes); count > 0;
         count = npz->next(npz->user, &bytes)) {
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

static uint64_t directory_bytes(const archive *archive)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < archive->count; i++) {
        bytes += DIRECTORY_ENTRY + strlen(archive->arrays[i].name);
    }
    return bytes;
}

static htp_delivery_end put_archive(void *user, htp_output *output)
{
    archive *archive = user;
    for (size_t i = 0; i < archive->count; i++) {
        put_array(archive, i, output);
    }
    for (size_t i = 0; i < archive->count; i++) {
        put_entry(&archive->arrays[i], output);
    }
    record end = {.count = 0};
    add_number(&end, 0x06054b50, 4);
    add_number(&end, 0, 4); /* disks */
    add_number(&end, (uint32_t)archive->count, 2);
    add_number(&end, (uint32_t)archive->count, 2);
    add_number(&end, (uint32_t)directory_bytes(archive), 4);
    add_number(&end, archive->directory, 4);
    add_number(&end, 0, 2); /* comment */
    htp_output_append(output, end.bytes, end.count);
    return HTP_DELIVERY_DONE;
}

static htp_status lay_out(void *user, const char *location, htp_delivery_sizes *sizes)
{
    archive *archive = user;
    (void)location;
    HTP_TRY(prepare(archive));
    *sizes = (htp_delivery_sizes){.model_bytes =
                                      archive->directory + directory_bytes(archive) + END_RECORD};
    return HTP_OK;
}

static htp_status check_sources(void *user)
{
    const archive *archive = user;
    return archive->npz->check_sources(archive->npz->user);
}

htp_status htp_npz_write(htp_arena *arena, const htp_npz *npz, const char *path)
{
    archive archive = {.arena = arena,
                       .npz = npz,
                       .path = path,
                       .arrays = HTP_NEW_ARRAY(arena, array, npz->count + 1),
                       .count = npz->count};
    const htp_delivery delivery = {.user = &archive,
                                   .lay_out = lay_out,
                                   .put_model = put_archive,
                                   .check_sources = check_sources};
    htp_delivered delivered;
    return htp_deliver(arena, &delivery, path, &delivered);
}

/* ---- states ---- */

struct states {
    const htp_builder *model;
    const htp_input_file *source;
    htp_payload *payload;
};

static void begin_state(void *user, size_t index)
{
    const struct states *states = user;
    htp_payload_begin(states->payload, states->model, &states->model->states.items[index].first);
}

static uint64_t next_bytes(void *user, const unsigned char **bytes)
{
    const struct states *states = user;
    return htp_payload_next(states->payload, bytes);
}

static htp_status check_model(void *user)
{
    const struct states *states = user;
    return htp_input_file_check(states->source);
}

htp_status htp_npz_write_states(const htp_builder *model, const htp_input_file *source,
                                const char *path)
{
    size_t count = model->states.count;
    struct states states = {model, source, HTP_NEW(model->arena, htp_payload)};
    htp_npz_array *arrays = HTP_NEW_ARRAY(model->arena, htp_npz_array, count + 1);
    for (size_t i = 0; i < count; i++) {
        const htp_builder_state *state = &model->states.items[i];
        const htp_tensor *input = &model->tensors.items[state->input];
        arrays[i] = (htp_npz_array){.name = input->name,
                                    .data_type = htp_onnx_data_type(input->dtype),
                                    .rank = state->rank,
                                    .dims = state->dims};
    }
    const htp_npz npz = {arrays, count, &states, begin_state, next_bytes, check_model};
    return htp_npz_write(model->arena, &npz, path);
}
