#include "source/inputs/npy.h"

#include "base/checked.h"
#include "base/dtype.h"
#include "base/input_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { MAGIC_BYTES = 6, PREFIX_BYTES = 8 };

/* The rest of the text of the header, a Python dict. */
struct reader {
    const char *at;
    const char *end;
};

static void skip_space(struct reader *reader)
{
    while (reader->at < reader->end && strchr(" \t\r\n", *reader->at) && *reader->at) {
        reader->at++;
    }
}

/* Consumes a character, after white space. */
static bool take(struct reader *reader, char wanted)
{
    skip_space(reader);
    bool found = reader->at < reader->end && *reader->at == wanted;
    reader->at += found;
    return found;
}

static bool take_word(struct reader *reader, const char *word)
{
    size_t length = strlen(word);
    skip_space(reader);
    bool found =
        (size_t)(reader->end - reader->at) >= length && memcmp(reader->at, word, length) == 0;
    reader->at += found ? length : 0;
    return found;
}

/* Reads a quoted string without escapes, of fewer than @p capacity bytes. */
static bool take_string(struct reader *reader, char *string, size_t capacity)
{
    skip_space(reader);
    if (reader->at == reader->end || (*reader->at != '\'' && *reader->at != '"')) {
        return false;
    }
    const char *begin = reader->at + 1;
    const char *close = memchr(begin, *reader->at, (size_t)(reader->end - begin));
    if (!close || (size_t)(close - begin) >= capacity) {
        return false;
    }
    memcpy(string, begin, (size_t)(close - begin));
    string[close - begin] = '\0';
    reader->at = close + 1;
    return true;
}

/* Reads a size; Python 2 appended an L. */
static bool take_size(struct reader *reader, int64_t *size)
{
    skip_space(reader);
    const char *begin = reader->at;
    *size = 0;
    while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9') {
        *size = *size * 10 + (*reader->at++ - '0');
        if (*size > INT32_MAX) {
            return false;
        }
    }
    bool found = reader->at > begin;
    reader->at += found && reader->at < reader->end && *reader->at == 'L';
    return found;
}

/* ---- the entries of the header ---- */

static const struct element {
    const char *name; /* without byte order */
    htp_dtype dtype;
} elements[] = {
    {"b1", HTP_DTYPE_BOOL},      {"u1", HTP_DTYPE_UINT8},       {"i1", HTP_DTYPE_INT8},
    {"i2", HTP_DTYPE_INT16},     {"i4", HTP_DTYPE_INT32},       {"i8", HTP_DTYPE_INT64},
    {"f2", HTP_DTYPE_FLOAT16},   {"f4", HTP_DTYPE_FLOAT32},     {"f8", HTP_DTYPE_FLOAT64},
    {"c8", HTP_DTYPE_COMPLEX64}, {"c16", HTP_DTYPE_COMPLEX128},
};

static const char *read_dtype(struct reader *reader, htp_npy *array)
{
    char type[16];
    if (!take_string(reader, type, sizeof(type))) {
        return "an array of records, or with a damaged header";
    }
    bool has_order = *type && strchr("<>|=", *type);
    for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++) {
        if (strcmp(type + has_order, elements[i].name) == 0) {
            array->dtype = elements[i].dtype;
            return *type == '>' && htp_dtype_size(array->dtype) > 1
                       ? "an array in big-endian byte order"
                       : NULL;
        }
    }
    return "an array of a dtype that no input has";
}

static const char *read_order(struct reader *reader, htp_npy *array)
{
    array->is_fortran = take_word(reader, "True");
    return array->is_fortran || take_word(reader, "False") ? NULL : "a damaged header";
}

static const char *read_shape(struct reader *reader, htp_npy *array)
{
    if (!take(reader, '(')) {
        return "a damaged header";
    }
    while (!take(reader, ')')) {
        if (array->rank == HTP_MAX_RANK) {
            return "an array of more dims than a tensor may have";
        }
        if (!take_size(reader, &array->dims[array->rank])) {
            return "a damaged header, or a dim that is too large";
        }
        array->rank++;
        if (!take(reader, ',') && (reader->at == reader->end || *reader->at != ')')) {
            return "a damaged header";
        }
    }
    return NULL;
}

static const struct entry {
    const char *key;
    const char *(*read)(struct reader *reader, htp_npy *array);
} entries[] = {
    {"descr", read_dtype},
    {"fortran_order", read_order},
    {"shape", read_shape},
};

enum { ENTRY_COUNT = sizeof(entries) / sizeof(entries[0]) };

static const char *read_entry(struct reader *reader, htp_npy *array, unsigned *seen)
{
    char key[16];
    if (!take_string(reader, key, sizeof(key)) || !take(reader, ':')) {
        return "a damaged header";
    }
    for (unsigned i = 0; i < ENTRY_COUNT; i++) {
        if (strcmp(key, entries[i].key) == 0 && !(*seen & 1u << i)) {
            *seen |= 1u << i;
            return entries[i].read(reader, array);
        }
    }
    return "a damaged header";
}

static const char *read_header(struct reader *reader, htp_npy *array)
{
    unsigned seen = 0;
    const char *problem = take(reader, '{') ? NULL : "a damaged header";
    while (!problem && !take(reader, '}')) {
        problem = read_entry(reader, array, &seen);
        if (!problem && !take(reader, ',') && (reader->at == reader->end || *reader->at != '}')) {
            problem = "a damaged header";
        }
    }
    skip_space(reader);
    bool is_whole = seen == (1u << ENTRY_COUNT) - 1 && reader->at == reader->end;
    return problem || is_whole ? problem : "a damaged header";
}

/* ---- a file ---- */

static const char *check_size(const htp_npy *array, uint64_t bytes)
{
    uint64_t wanted = htp_dtype_size(array->dtype);
    bool fits = true;
    for (uint32_t i = 0; i < array->rank && fits; i++) {
        fits = htp_checked_mul(wanted, (uint64_t)array->dims[i], &wanted);
    }
    return fits && wanted == bytes ? NULL : "cut short, or longer than its shape";
}

const char *htp_npy_parse(const void *bytes, size_t count, uint64_t total, htp_npy *array)
{
    const unsigned char *head = bytes;
    *array = (htp_npy){.rank = 0};
    if (count < PREFIX_BYTES + 2 || memcmp(head, "\x93NUMPY", MAGIC_BYTES) != 0) {
        return "no NumPy array";
    }
    unsigned major = head[MAGIC_BYTES];
    size_t begin = PREFIX_BYTES + (major == 1 ? 2 : 4);
    if (major < 1 || major > 3) {
        return "an array file of a version that is not known";
    }
    if (count < begin) {
        return "cut short";
    }
    size_t length = head[PREFIX_BYTES] | (size_t)head[PREFIX_BYTES + 1] << 8;
    if (major > 1) {
        length |= (size_t)head[PREFIX_BYTES + 2] << 16 | (size_t)head[PREFIX_BYTES + 3] << 24;
    }
    if (length > count - begin) {
        return length > HTP_NPY_HEADER_LIMIT - begin ? "an array with a header that is too large"
                                                     : "cut short";
    }
    struct reader reader = {(const char *)head + begin, (const char *)head + begin + length};
    const char *problem = read_header(&reader, array);
    return problem ? problem : check_size(array, total - begin - length);
}

htp_status htp_npy_open(const char *path, FILE **file, htp_input_file *identity)
{
    struct stat facts;
    *file = NULL;
    *identity = (htp_input_file){.fd = -1};
    if (stat(path, &facts) != 0) {
        return htp_status_make(HTP_CODE_USAGE, "%s: %s", path, strerror(errno));
    }
    if (!S_ISREG(facts.st_mode)) {
        return htp_status_make(HTP_CODE_USAGE, "%s: not a regular file", path);
    }
    int error = htp_input_file_stream(identity, path, file);
    return error == 0 ? HTP_OK
                      : htp_status_make(htp_input_file_code(error, HTP_CODE_USAGE), "%s: %s", path,
                                        strerror(error));
}

static htp_status read_opened(FILE *file, const char *path, uint64_t bytes, htp_npy *array)
{
    char head[HTP_NPY_HEADER_LIMIT];
    size_t count = fread(head, 1, sizeof(head), file);
    if (ferror(file)) {
        return htp_status_make(htp_input_file_code(errno, HTP_CODE_USAGE), "%s: %s", path,
                               strerror(errno));
    }
    const char *problem = htp_input_file_placeholder(head, count);
    problem = problem ? problem : htp_npy_parse(head, count, bytes, array);
    return problem ? htp_status_make(HTP_CODE_USAGE, "%s: %s", path, problem) : HTP_OK;
}

htp_status htp_npy_read(const char *path, htp_npy *array)
{
    FILE *file = NULL;
    htp_input_file identity;
    HTP_TRY(htp_npy_open(path, &file, &identity));
    htp_status status = read_opened(file, path, identity.bytes, array);
    status = htp_input_file_judge(&identity, path, status);
    (void)fclose(file);
    return status;
}
