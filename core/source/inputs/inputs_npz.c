/*
 * Inputs like the arrays of a .npz file, a zip archive of .npy files.
 */
#include "base/dtype.h"
#include "base/input_file.h"
#include "source/archive/zip.h"
#include "source/inputs/inputs.h"
#include "source/inputs/npy.h"

#include <string.h>

enum { ARRAY_LIMIT = 1024, NAME_LIMIT = 256 };

struct array {
    char name[NAME_LIMIT]; /* without ".npy" */
    htp_zip_entry entry;
    htp_npy header;
};

/* Memory is allocated before the file is opened, which would stay open if the arena jumped. */
struct arrays {
    struct array *items;
    size_t count;
    char *head; /* HTP_NPY_HEADER_LIMIT bytes */
    const char *problem;
};

static const char *judge(const htp_zip_entry *entry, size_t count, size_t length)
{
    static const size_t suffix = sizeof(".npy") - 1;
    if (length <= suffix || strcmp(entry->name + length - suffix, ".npy") != 0) {
        return "not an array: its name does not end in .npy";
    }
    if (strpbrk(entry->name, ":@[=")) {
        return "not named as an argument is";
    }
    if (entry->is_encrypted) {
        return "encrypted";
    }
    if (entry->method != 0) {
        return "compressed; save the arrays with numpy.savez()";
    }
    return count == ARRAY_LIMIT || length - suffix >= NAME_LIMIT
               ? "too much: there are too many arrays, or its name is too long"
               : NULL;
}

static bool note_array(void *user, const htp_zip_entry *entry)
{
    struct arrays *arrays = user;
    size_t length = strlen(entry->name);
    struct array *array = &arrays->items[arrays->count];
    (void)snprintf(array->name, NAME_LIMIT, "%.*s", (int)(NAME_LIMIT - 1), entry->name);
    arrays->problem = judge(entry, arrays->count, length);
    if (arrays->problem) {
        return false;
    }
    array->name[length - strlen(".npy")] = '\0';
    array->entry = *entry;
    array->entry.name = array->name;
    arrays->count++;
    return true;
}

static const char *read_header(const htp_zip_range *range, struct array *array, char *head)
{
    uint64_t offset = 0;
    uint64_t bytes = array->entry.bytes;
    size_t count = bytes < HTP_NPY_HEADER_LIMIT ? (size_t)bytes : HTP_NPY_HEADER_LIMIT;
    if (!htp_zip_find(range, &array->entry, &offset) ||
        !htp_zip_read_at(fileno(range->file), offset, head, count)) {
        return "damaged";
    }
    return htp_npy_parse(head, count, bytes, &array->header);
}

static htp_status read_arrays(FILE *file, uint64_t file_bytes, const char *path,
                              struct arrays *arrays)
{
    const htp_zip_range whole = {.file = file, .bytes = file_bytes};
    bool is_whole = htp_zip_read(&whole, note_array, arrays);
    struct array *at = &arrays->items[arrays->count];
    for (size_t i = 0; is_whole && !arrays->problem && i < arrays->count; i++) {
        at = &arrays->items[i];
        arrays->problem = read_header(&whole, at, arrays->head);
    }
    if (arrays->problem) {
        return htp_status_make(HTP_CODE_USAGE, "%s: %s: %s", path, at->name, arrays->problem);
    }
    if (is_whole) {
        return HTP_OK;
    }
    rewind(file);
    size_t count = fread(arrays->head, 1, HTP_NPY_HEADER_LIMIT, file);
    const char *placeholder = htp_input_file_placeholder(arrays->head, count);
    return htp_status_make(HTP_CODE_USAGE, "%s: %s", path,
                           placeholder ? placeholder : "no .npz file, or a damaged one");
}

/* The default names of arrays saved without names. */
static bool are_unnamed(const struct arrays *arrays)
{
    bool unnamed = true;
    for (size_t i = 0; i < arrays->count && unnamed; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "arr_%zu", i);
        unnamed = strcmp(arrays->items[i].name, name) == 0;
    }
    return unnamed;
}

static const char *specify(htp_arena *arena, const char *name, const htp_npy *array)
{
    htp_text text = {.arena = arena};
    htp_text_addf(&text, "%s:%s[", name, htp_dtype_name(array->dtype));
    for (uint32_t i = 0; i < array->rank; i++) {
        htp_text_addf(&text, "%s%lld", i ? "," : "", (long long)array->dims[i]);
    }
    htp_text_add(&text, "]");
    return htp_text_string(&text);
}

htp_status htp_inputs_list_npz(htp_arena *arena, const char *path,
                               const char *const **specifications, size_t *count)
{
    struct arrays arrays = {
        .items = HTP_NEW_ARRAY(arena, struct array, ARRAY_LIMIT + 1),
        .head = htp_arena_alloc(arena, HTP_NPY_HEADER_LIMIT),
    };
    FILE *file = NULL;
    htp_input_file identity;
    HTP_TRY(htp_npy_open(path, &file, &identity));
    htp_status status = read_arrays(file, identity.bytes, path, &arrays);
    status = htp_input_file_judge(&identity, path, status);
    (void)fclose(file);
    HTP_TRY(status);
    const char **texts = HTP_NEW_ARRAY(arena, const char *, arrays.count);
    bool unnamed = are_unnamed(&arrays);
    for (size_t i = 0; i < arrays.count; i++) {
        texts[i] = specify(arena, unnamed ? "" : arrays.items[i].name, &arrays.items[i].header);
    }
    *specifications = texts;
    *count = arrays.count;
    return HTP_OK;
}
