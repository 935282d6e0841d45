#include "onnx/files/external.h"

#include "onnx/builder/builder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".data"

/* ---- names ---- */

bool htp_external_path(const char *path, unsigned number, char *buffer, size_t size)
{
    int length = number == 0 ? snprintf(buffer, size, "%s" SUFFIX, path)
                             : snprintf(buffer, size, "%s.%u" SUFFIX, path, number);
    return length > 0 && (size_t)length < size;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The number of data file @p data of @p model; -1 if it is not one. */
static int number_of(const char *model, const char *data)
{
    char name[NAME_MAX + 32];
    size_t length = strlen(model);
    if (strncmp(data, model, length) != 0) {
        return -1;
    }
    bool has_number = strcmp(data + length, SUFFIX) != 0 && data[length] == '.';
    unsigned long number = has_number ? strtoul(data + length + 1, NULL, 10) : 0;
    bool is_it = number < HTP_EXTERNAL_NUMBERS &&
                 htp_external_path(model, (unsigned)number, name, sizeof(name)) &&
                 strcmp(name, data) == 0;
    return is_it ? (int)number : -1;
}

/* ---- looking through a model ----
 *
 * Only messages that may contain tensors are entered; all else, above all weights, is skipped. */

enum kind {
    KIND_MODEL,
    KIND_GRAPH,
    KIND_NODE,
    KIND_ATTRIBUTE,
    KIND_TENSOR,
    KIND_SPARSE,
    KIND_ENTRY, /* an entry of a tensor's external data */
    KIND_FUNCTION,
    KIND_TRAINING,
    KIND_NONE,
};

/* Reference: onnx.proto, IR version 10 and later. */
static const struct nesting {
    unsigned char outer, field, inner;
} nestings[] = {
    {KIND_MODEL, 7, KIND_GRAPH},       {KIND_MODEL, 20, KIND_TRAINING},
    {KIND_MODEL, 25, KIND_FUNCTION},   {KIND_GRAPH, 1, KIND_NODE},
    {KIND_GRAPH, 5, KIND_TENSOR},      {KIND_GRAPH, 15, KIND_SPARSE},
    {KIND_NODE, 5, KIND_ATTRIBUTE},    {KIND_ATTRIBUTE, 5, KIND_TENSOR},
    {KIND_ATTRIBUTE, 6, KIND_GRAPH},   {KIND_ATTRIBUTE, 10, KIND_TENSOR},
    {KIND_ATTRIBUTE, 11, KIND_GRAPH},  {KIND_ATTRIBUTE, 22, KIND_SPARSE},
    {KIND_ATTRIBUTE, 23, KIND_SPARSE}, {KIND_TENSOR, 13, KIND_ENTRY},
    {KIND_SPARSE, 1, KIND_TENSOR},     {KIND_SPARSE, 2, KIND_TENSOR},
    {KIND_FUNCTION, 7, KIND_NODE},     {KIND_FUNCTION, 11, KIND_ATTRIBUTE},
    {KIND_TRAINING, 1, KIND_GRAPH},    {KIND_TRAINING, 2, KIND_GRAPH},
};

enum { MODEL_PRODUCER = 2, ENTRY_KEY = 1, ENTRY_VALUE = 2 };
enum { WIRE_VARINT = 0, WIRE_64_BITS = 1, WIRE_BYTES = 2, WIRE_32_BITS = 5 };
enum { DEEPEST = 256 };

struct scan {
    int fd;
    const char *name; /* the model's, without its folder */
    htp_external_use *use;
    uint64_t at; /* position of the next byte */
    uint64_t buffer_at;
    size_t buffered;
    bool has_failed; /* reading failed */
    bool has_graph, is_location;
    char value[NAME_MAX + 1];
    uint64_t ends[DEEPEST];
    unsigned char kinds[DEEPEST];
    size_t depth;
    unsigned char buffer[1 << 14];
};

static bool read_byte(struct scan *scan, uint64_t end, unsigned char *byte)
{
    if (scan->at >= end) {
        return false;
    }
    if (scan->at < scan->buffer_at || scan->at - scan->buffer_at >= scan->buffered) {
        ssize_t got;
        do {
            got = pread(scan->fd, scan->buffer, sizeof(scan->buffer), (off_t)scan->at);
        } while (got < 0 && errno == EINTR);
        if (got <= 0) {
            scan->has_failed = scan->has_failed || got < 0;
            return false;
        }
        scan->buffer_at = scan->at;
        scan->buffered = (size_t)got;
    }
    *byte = scan->buffer[scan->at++ - scan->buffer_at];
    return true;
}

static bool read_varint(struct scan *scan, uint64_t end, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        unsigned char byte;
        if (!read_byte(scan, end, &byte)) {
            return false;
        }
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return true;
        }
    }
    return false;
}

/* Reads a string; one longer than any name becomes "". */
static bool read_string(struct scan *scan, uint64_t bytes, char *string)
{
    bool fits = bytes <= NAME_MAX;
    uint64_t end = scan->at + bytes;
    size_t used = 0;
    for (unsigned char byte; fits && scan->at < end; string[used++] = (char)byte) {
        if (!read_byte(scan, end, &byte)) {
            return false;
        }
    }
    string[used] = '\0';
    scan->at = end;
    return true;
}

/* Records a location. Its folder does not matter, since the name only protects files from
 * removal. */
static void note_location(struct scan *scan)
{
    int number = number_of(scan->name, name_of(scan->value));
    if (number >= 0) {
        scan->use->numbers |= UINT64_C(1) << number;
    }
}

static enum kind nested_kind(enum kind outer, uint64_t field)
{
    for (size_t i = 0; i < sizeof(nestings) / sizeof(nestings[0]); i++) {
        if (nestings[i].outer == outer && nestings[i].field == field) {
            return (enum kind)nestings[i].inner;
        }
    }
    return KIND_NONE;
}

static bool enter(struct scan *scan, enum kind kind, uint64_t end)
{
    if (scan->depth == DEEPEST) {
        return false;
    }
    scan->kinds[scan->depth] = (unsigned char)kind;
    scan->ends[scan->depth++] = end;
    scan->has_graph = scan->has_graph || kind == KIND_GRAPH;
    if (kind == KIND_ENTRY) {
        scan->is_location = false;
        scan->value[0] = '\0';
    }
    return true;
}

static void leave(struct scan *scan)
{
    if (scan->kinds[--scan->depth] == KIND_ENTRY && scan->is_location) {
        note_location(scan);
    }
}

/* Scans a field of @p bytes bytes. */
static bool take_bytes(struct scan *scan, enum kind kind, uint64_t field, uint64_t bytes)
{
    char string[NAME_MAX + 1];
    enum kind nested = nested_kind(kind, field);
    if (nested != KIND_NONE) {
        return enter(scan, nested, scan->at + bytes);
    }
    if (kind == KIND_ENTRY && field == ENTRY_VALUE) {
        return read_string(scan, bytes, scan->value);
    }
    if ((kind == KIND_ENTRY && field == ENTRY_KEY) ||
        (kind == KIND_MODEL && field == MODEL_PRODUCER)) {
        bool is_read = read_string(scan, bytes, string);
        scan->is_location = kind == KIND_ENTRY && strcmp(string, "location") == 0;
        scan->use->is_ours =
            kind == KIND_MODEL ? strcmp(string, HTP_ONNX_PRODUCER) == 0 : scan->use->is_ours;
        return is_read;
    }
    scan->at += bytes;
    return true;
}

static bool take_field(struct scan *scan)
{
    uint64_t end = scan->ends[scan->depth - 1];
    uint64_t tag, bytes;
    if (!read_varint(scan, end, &tag)) {
        return false;
    }
    switch (tag & 7) {
    case WIRE_VARINT:
        return read_varint(scan, end, &bytes);
    case WIRE_64_BITS:
        bytes = 8;
        break;
    case WIRE_32_BITS:
        bytes = 4;
        break;
    case WIRE_BYTES:
        return read_varint(scan, end, &bytes) && bytes <= end - scan->at &&
               take_bytes(scan, (enum kind)scan->kinds[scan->depth - 1], tag >> 3, bytes);
    default:
        return false;
    }
    scan->at += bytes;
    return scan->at <= end;
}

/* @return whether the file is a model */
static bool scan_model(struct scan *scan, uint64_t bytes)
{
    bool is_whole = enter(scan, KIND_MODEL, bytes);
    while (is_whole && scan->depth > 0) {
        if (scan->at == scan->ends[scan->depth - 1]) {
            leave(scan);
        } else {
            is_whole = take_field(scan);
        }
    }
    return is_whole && scan->has_graph;
}

/* Whether a file exists that the model may refer to. Few models have one; the others need no
 * scan. */
static bool has_data_file(const char *path)
{
    char data[PATH_MAX];
    bool has_one = false;
    for (unsigned i = 0; i < HTP_EXTERNAL_NUMBERS && !has_one; i++) {
        struct stat facts;
        has_one = htp_external_path(path, i, data, sizeof(data)) && lstat(data, &facts) == 0;
    }
    return has_one;
}

void htp_external_find_use(const char *path, htp_external_use *use)
{
    struct stat facts;
    struct scan scan;
    *use = (htp_external_use){0};
    memset(&scan, 0, offsetof(struct scan, buffer));
    scan.name = name_of(path);
    scan.use = use;
    scan.fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (scan.fd < 0 || fstat(scan.fd, &facts) != 0) {
        use->is_unknown = errno != ENOENT;
    } else if (S_ISREG(facts.st_mode) && !has_data_file(path)) {
        *use = (htp_external_use){.numbers = 0};
    } else if (!S_ISREG(facts.st_mode) || !scan_model(&scan, (uint64_t)facts.st_size)) {
        *use = (htp_external_use){.is_unknown = scan.has_failed};
    }
    if (scan.fd >= 0) {
        (void)close(scan.fd);
    }
}

/* ---- data files that nobody needs ---- */

/* Whether the model whose path ends at @p dot may need the data file. */
static bool may_need(const char *data, const char *dot)
{
    char model[PATH_MAX];
    htp_external_use use;
    memcpy(model, data, (size_t)(dot - data));
    model[dot - data] = '\0';
    int number = number_of(name_of(model), name_of(data));
    if (number < 0) {
        return false;
    }
    htp_external_find_use(model, &use);
    return use.is_unknown || use.numbers & UINT64_C(1) << number;
}

/* FILE.data may belong to FILE, and FILE.1.data to FILE or FILE.1. */
bool htp_external_is_unused(const char *folder, const char *name)
{
    char data[PATH_MAX];
    int length = snprintf(data, sizeof(data), "%s%s", folder, name);
    if (length < 0 || (size_t)length >= sizeof(data)) {
        return false;
    }
    const char *end = strrchr(name_of(data), '.');
    if (!end || end == name_of(data) || strcmp(end, SUFFIX) != 0) {
        return false;
    }
    const char *before = memrchr(name_of(data), '.', (size_t)(end - name_of(data)));
    return !may_need(data, end) && !(before && may_need(data, before));
}
