#include "query/compare/digest.h"

#include "onnx/proto/tensor_type.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
#define XXH_STATIC_LINKING_ONLY /* makes the state's struct complete: it lies on the stack */
#include <xxhash.h>

/* Reference: onnx.proto. */
enum {
    TENSOR_FLOAT_DATA = 4,
    TENSOR_INT32_DATA = 5,
    TENSOR_STRING_DATA = 6,
    TENSOR_INT64_DATA = 7,
    TENSOR_RAW_DATA = 9,
    TENSOR_DOUBLE_DATA = 10,
    TENSOR_UINT64_DATA = 11,

    SPARSE_DIMS = 3,

    TYPE_FLOAT = 1,
    TYPE_INT64 = 7,
    TYPE_DOUBLE = 11,
    TYPE_UINT32 = 12,
    TYPE_UINT64 = 13,
    TYPE_COMPLEX64 = 14,
    TYPE_COMPLEX128 = 15,

    READ_BYTES = 1 << 18,
};

/* ---- digests ---- */

uint64_t htp_digest_seed(void)
{
    uint64_t seed;
    if (getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed)) {
        struct timespec now;
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        seed = (uint64_t)now.tv_nsec ^ (uint64_t)(uintptr_t)&now;
    }
    return seed;
}

static htp_digest from_hash(XXH128_hash_t hash)
{
    return (htp_digest){hash.low64, hash.high64};
}

htp_digest htp_digest_of(uint64_t seed, const void *bytes, size_t count)
{
    return from_hash(XXH3_128bits_withSeed(count > 0 ? bytes : "", count, seed));
}

htp_digest htp_digest_mix(uint64_t seed, uint64_t number, htp_digest a, htp_digest b)
{
    const uint64_t parts[] = {number, a.low, a.high, b.low, b.high};
    return htp_digest_of(seed, parts, sizeof(parts));
}

/* ---- elements of tensors, as in raw data ---- */

/* Bytes that are fed into a digest. */
struct feed {
    XXH3_state_t state;
    uint64_t bytes;
    size_t used;
    unsigned char buffer[1 << 12];
};

static void feed_begin(struct feed *feed, uint64_t seed)
{
    feed->bytes = 0;
    feed->used = 0;
    XXH3_INITSTATE(&feed->state); /* reset reads the old state */
    (void)XXH3_128bits_reset_withSeed(&feed->state, seed);
}

static void feed_flush(struct feed *feed)
{
    (void)XXH3_128bits_update(&feed->state, feed->buffer, feed->used);
    feed->used = 0;
}

static void feed_bytes(struct feed *feed, const void *bytes, size_t count)
{
    feed_flush(feed);
    if (count > 0) {
        (void)XXH3_128bits_update(&feed->state, bytes, count);
    }
    feed->bytes += count;
}

/* The lowest bytes of a number, little-endian. */
static void feed_number(struct feed *feed, uint64_t number, size_t width)
{
    if (feed->used + sizeof(number) > sizeof(feed->buffer)) {
        feed_flush(feed);
    }
    for (size_t i = 0; i < width; i++) {
        feed->buffer[feed->used++] = (unsigned char)(number >> (8 * i));
    }
    feed->bytes += width;
}

/* The digest of the bytes, under a seed for their kind. */
static htp_digest feed_end(struct feed *feed, uint64_t seed, htp_digest type)
{
    feed_flush(feed);
    return htp_digest_mix(seed, feed->bytes, type, from_hash(XXH3_128bits_digest(&feed->state)));
}

/* How the elements of a type are stored when they are not raw. */
struct storage {
    uint32_t field;
    htp_wire_type wire; /* of one element */
    size_t width;       /* bytes of an element as raw data */
};

static struct storage storage_of(int32_t data_type)
{
    size_t bits = htp_tensor_type_bits(data_type);
    switch (data_type) {
    case TYPE_FLOAT:
    case TYPE_COMPLEX64:
        return (struct storage){TENSOR_FLOAT_DATA, HTP_WIRE_FIXED32, 4};
    case TYPE_DOUBLE:
    case TYPE_COMPLEX128:
        return (struct storage){TENSOR_DOUBLE_DATA, HTP_WIRE_FIXED64, 8};
    case TYPE_INT64:
        return (struct storage){TENSOR_INT64_DATA, HTP_WIRE_VARINT, 8};
    case TYPE_UINT32:
    case TYPE_UINT64:
        return (struct storage){TENSOR_UINT64_DATA, HTP_WIRE_VARINT, bits / 8};
    default: /* sub-byte types are packed */
        return (struct storage){TENSOR_INT32_DATA, HTP_WIRE_VARINT, bits < 8 ? 1 : bits / 8};
    }
}

static void feed_packed(struct feed *feed, htp_span content, const struct storage *storage)
{
    if (storage->wire != HTP_WIRE_VARINT) {
        feed_bytes(feed, content.at, content.bytes);
        return;
    }
    htp_wire wire = htp_wire_begin(content);
    uint64_t number;
    while (htp_wire_next_varint(&wire, &number)) {
        feed_number(feed, number, storage->width);
    }
}

static void feed_strings(struct feed *feed, const htp_wire_field *field)
{
    feed_number(feed, field->content.bytes, sizeof(uint64_t));
    feed_bytes(feed, field->content.at, field->content.bytes);
}

/* Element data in the file: raw, packed, or one field per element. */
static void feed_tensor(struct feed *feed, const htp_view_tensor *tensor)
{
    const struct storage storage = storage_of(tensor->data_type);
    htp_wire wire = htp_wire_begin(htp_wire_content(tensor->whole));
    htp_wire_field field;
    htp_span raw = {NULL, 0};
    while (htp_wire_next(&wire, &field)) {
        if (htp_wire_is_bytes(&field, TENSOR_RAW_DATA)) {
            raw = field.content;
        } else if (htp_wire_is_bytes(&field, TENSOR_STRING_DATA)) {
            feed_strings(feed, &field);
        } else if (htp_wire_is_bytes(&field, storage.field)) {
            feed_packed(feed, field.content, &storage);
        } else if (field.number == storage.field && field.type == storage.wire) {
            feed_number(feed, field.value, storage.width);
        }
    }
    feed_bytes(feed, raw.at, raw.bytes);
}

/* ---- data files ---- */

struct reading {
    htp_arena *arena;
    const htp_view *view;
    uint64_t seed;
    htp_content *contents;
    htp_map ranges; /* from ranges of data files to the first tensor there */
    unsigned char *buffer;
    struct feed *feed;
};

static htp_status changed(const struct reading *r, const htp_view_data_file *file)
{
    return htp_status_make(HTP_CODE_BAD_INPUT,
                           "%s: external data '%s' were changed while they were read",
                           r->view->path, htp_view_text(r->view, file->location));
}

static htp_status feed_range(struct reading *r, const htp_view_data_file *file, int fd,
                             const htp_view_tensor *tensor)
{
    for (uint64_t at = 0; at < tensor->bytes;) {
        uint64_t left = tensor->bytes - at;
        ssize_t got = pread(fd, r->buffer, left < READ_BYTES ? (size_t)left : READ_BYTES,
                            (off_t)(tensor->offset + at));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return changed(r, file);
        }
        feed_bytes(r->feed, r->buffer, (size_t)got);
        at += (uint64_t)got;
    }
    return HTP_OK;
}

/* Allocates nothing while the file is open. */
static htp_status feed_external(struct reading *r, const htp_view_tensor *tensor)
{
    uint32_t number = 0;
    htp_input_file opened = {0};
    (void)htp_map_get(&r->view->data_numbers, htp_view_text(r->view, tensor->location), &number);
    const htp_view_data_file *file = &r->view->data_files.items[number];
    htp_status status = htp_input_file_open(&opened, file->path);
    if (!status) {
        bool is_same = opened.bytes == file->facts.bytes && opened.inode == file->facts.inode &&
                       opened.device == file->facts.device &&
                       opened.modified.tv_sec == file->facts.modified.tv_sec &&
                       opened.modified.tv_nsec == file->facts.modified.tv_nsec;
        status = is_same ? feed_range(r, file, opened.fd, tensor) : changed(r, file);
    }
    htp_input_file_close(&opened);
    return status;
}

/* ---- contents ---- */

static htp_digest type_of(uint64_t seed, int32_t data_type, const int64_t *dims, size_t rank)
{
    htp_digest sizes = htp_digest_of(seed, dims, rank * sizeof(*dims));
    return htp_digest_mix(seed, (uint64_t)(uint32_t)data_type, sizes, sizes);
}

/* A tensor of the same type in the same range of a data file; HTP_NONE: this is the first. */
static uint32_t find_same_range(struct reading *r, uint32_t index)
{
    const htp_view_tensor *tensor = &r->view->tensors.items[index];
    uint32_t same;
    uint64_t *key = HTP_NEW_ARRAY(r->arena, uint64_t, 5);
    key[0] = tensor->location;
    key[1] = tensor->offset;
    key[2] = tensor->bytes;
    key[3] = r->contents[index].type.low;
    key[4] = r->contents[index].type.high;
    if (htp_map_get_bytes(&r->ranges, key, 5 * sizeof(*key), &same)) {
        return same;
    }
    htp_map_set_bytes(r->arena, &r->ranges, key, 5 * sizeof(*key), index);
    return HTP_NONE;
}

static htp_status read_tensor(struct reading *r, uint32_t index)
{
    const htp_view_tensor *tensor = &r->view->tensors.items[index];
    htp_content *content = &r->contents[index];
    content->type = type_of(r->seed, tensor->data_type,
                            HTP_FROM(&r->view->dims, tensor->dims.first), tensor->dims.count);
    uint32_t same = tensor->location ? find_same_range(r, index) : HTP_NONE;
    if (same != HTP_NONE) {
        *content = r->contents[same];
        return HTP_OK;
    }
    feed_begin(r->feed, r->seed);
    if (tensor->location) {
        HTP_TRY(feed_external(r, tensor));
    } else {
        feed_tensor(r->feed, tensor);
    }
    content->value = feed_end(r->feed, r->seed, content->type);
    return HTP_OK;
}

/* A sparse tensor is one constant: values, indices and dims. */
static void join_sparse(struct reading *r, uint32_t index)
{
    htp_content *values = &r->contents[index - 1];
    const htp_content *indices = &r->contents[index];
    htp_wire wire = htp_wire_begin(htp_wire_content(r->view->tensors.items[index].sparse));
    htp_wire_field field;
    feed_begin(r->feed, r->seed);
    while (htp_wire_next(&wire, &field)) {
        const struct storage storage = {SPARSE_DIMS, HTP_WIRE_VARINT, sizeof(uint64_t)};
        if (htp_wire_is_bytes(&field, SPARSE_DIMS)) {
            feed_packed(r->feed, field.content, &storage);
        } else if (htp_wire_is_varint(&field, SPARSE_DIMS)) {
            feed_number(r->feed, field.value, sizeof(uint64_t));
        }
    }
    htp_digest dims = feed_end(r->feed, r->seed, indices->type);
    values->type = htp_digest_mix(r->seed, SPARSE_DIMS, values->type, dims);
    values->value = htp_digest_mix(r->seed, SPARSE_DIMS,
                                   htp_digest_mix(r->seed, 0, values->value, indices->value), dims);
}

htp_status htp_contents_read(htp_arena *arena, const htp_view *view, uint64_t seed,
                             const htp_content **contents)
{
    struct reading r = {
        .arena = arena,
        .view = view,
        .seed = seed,
        .contents = HTP_NEW_ARRAY(arena, htp_content, view->tensors.count + 1),
        .buffer = htp_arena_alloc(arena, READ_BYTES),
    };
    struct feed feed; /* on the stack: its alignment is larger than the arena's */
    r.feed = &feed;
    for (uint32_t i = 0; i < view->tensors.count; i++) {
        const htp_view_tensor *tensor = &view->tensors.items[i];
        bool is_indices =
            tensor->sparse.at && i > 0 && view->tensors.items[i - 1].sparse.at == tensor->sparse.at;
        HTP_TRY(read_tensor(&r, i));
        if (is_indices) {
            join_sparse(&r, i);
        }
    }
    *contents = r.contents;
    return htp_status_prefix(htp_input_file_check(&view->file), view->path);
}

htp_content htp_content_of(uint64_t seed, int32_t data_type, bool is_list, uint64_t count,
                           const void *bytes, size_t size)
{
    const int64_t dim = (int64_t)count;
    htp_digest type = type_of(seed, data_type, &dim, is_list);
    struct feed feed;
    feed_begin(&feed, seed);
    feed_bytes(&feed, bytes, size);
    return (htp_content){.value = feed_end(&feed, seed, type), .type = type};
}

htp_content htp_content_of_strings(uint64_t seed, bool is_list, const htp_span *strings,
                                   size_t count)
{
    const int64_t dim = (int64_t)count;
    htp_digest type = type_of(seed, HTP_TENSOR_TYPE_STRING, &dim, is_list);
    struct feed feed;
    feed_begin(&feed, seed);
    for (size_t i = 0; i < count; i++) {
        feed_number(&feed, strings[i].bytes, sizeof(uint64_t));
        feed_bytes(&feed, strings[i].at, strings[i].bytes);
    }
    return (htp_content){.value = feed_end(&feed, seed, type), .type = type};
}
