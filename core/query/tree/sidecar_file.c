#include "query/tree/sidecar_file.h"

#include "base/json/json_parse.h"
#include "base/text.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum {
    NEWEST_VERSION = 1,
    LARGEST_VALUE = 1 << 27, /* bytes of one value that is parsed as a tree */
};

#define LARGEST_FILE ((uint64_t)1 << 32) /* bytes */

size_t htp_sidecar_file_stem(const char *onnx_path)
{
    static const char ending[] = ".onnx";
    size_t length = strlen(onnx_path);
    bool has_ending =
        length > strlen(ending) && strcmp(onnx_path + length - strlen(ending), ending) == 0;
    return has_ending ? length - strlen(ending) : length;
}

const char *htp_sidecar_part_name(htp_sidecar_part part)
{
    static const char *const names[] = {"export", "modules", "operations", "tensors", "dag"};
    return names[part];
}

htp_status htp_sidecar_file_wrong(const htp_sidecar_file *file, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return htp_input_file_judge(
        &file->file, file->path,
        htp_status_make(HTP_CODE_BAD_INPUT, "%s: no sidecar: %s; write it anew, or move it away",
                        file->path, text));
}

static htp_status map_file(htp_sidecar_file *file)
{
    struct stat facts;
    HTP_TRY(htp_input_file_open(&file->file, file->path));
    if (fstat(file->file.fd, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        return htp_sidecar_file_wrong(file, "it is no file");
    }
    if (file->file.bytes == 0 || file->file.bytes > LARGEST_FILE) {
        return htp_sidecar_file_wrong(file, "it %s",
                                      file->file.bytes ? "is larger than one can be" : "is empty");
    }
    size_t bytes = (size_t)file->file.bytes;
    const void *mapped = htp_input_file_map(&file->file);
    if (!mapped) {
        return htp_status_make(htp_input_file_code(errno, HTP_CODE_BAD_INPUT),
                               "%s: cannot be mapped: %s", file->path, strerror(errno));
    }
    file->text = (htp_json_part){mapped, bytes};
    const char *placeholder = htp_input_file_placeholder(mapped, bytes);
    if (placeholder) {
        return htp_status_make(HTP_CODE_BAD_INPUT, "%s: %s", file->path, placeholder);
    }
    return htp_text_is_utf8(file->text.at, bytes)
               ? HTP_OK
               : htp_sidecar_file_wrong(file, "it is not UTF-8, or holds a NUL");
}

static htp_status no_json(const htp_sidecar_file *file, const htp_json_scan *scan)
{
    return htp_sidecar_file_wrong(file, "%s at byte %zu",
                                  scan->failure ? scan->failure : "something behind the end",
                                  (size_t)(scan->at - file->text.at));
}

static htp_status check_version(htp_sidecar_file *file, htp_json_part value)
{
    const cJSON *version = NULL;
    HTP_TRY(htp_sidecar_file_parse(file, 0, value, &version));
    bool is_known = version && cJSON_IsNumber(version) && version->valuedouble >= 1 &&
                    version->valuedouble <= NEWEST_VERSION;
    return is_known ? HTP_OK
                    : htp_sidecar_file_wrong(file, "its version is not %d", NEWEST_VERSION);
}

static htp_status take_part(htp_sidecar_file *file, const char *name, char bracket,
                            htp_json_part value, htp_json_part *part)
{
    if (part->at) {
        return htp_sidecar_file_wrong(file, "it has \"%s\" twice", name);
    }
    if (*value.at != bracket) {
        return htp_sidecar_file_wrong(file, "\"%s\" is no %s", name,
                                      bracket == '[' ? "list" : "object");
    }
    *part = value;
    return HTP_OK;
}

/* A member of the document; unknown ones are skipped. */
static htp_status take_member(htp_sidecar_file *file, htp_json_part key, htp_json_part value,
                              bool *has_version)
{
    if (htp_json_part_is(key, "version")) {
        if (*has_version) {
            return htp_sidecar_file_wrong(file, "it has two versions");
        }
        *has_version = true;
        return check_version(file, value);
    }
    for (int part = 0; part < HTP_SIDECAR_PARTS; part++) {
        const char *name = htp_sidecar_part_name((htp_sidecar_part)part);
        if (htp_json_part_is(key, name)) {
            return take_part(file, name, part == HTP_SIDECAR_MODULES ? '[' : '{', value,
                             &file->parts[part]);
        }
    }
    return htp_json_part_is(key, HTP_SIDECAR_QUALITY)
               ? take_part(file, HTP_SIDECAR_QUALITY, '{', value, &file->quality)
               : HTP_OK;
}

static htp_status read_parts(htp_sidecar_file *file)
{
    htp_json_part key, value;
    bool has_version = false;
    htp_json_scan scan = htp_json_scan_of(file->text);
    (void)htp_json_scan_enter(&scan, '{');
    while (htp_json_scan_next(&scan, &key, &value)) {
        HTP_TRY(take_member(file, key, value, &has_version));
        file->end = (size_t)(value.at + value.length - file->text.at);
    }
    if (!htp_json_scan_end(&scan)) {
        return no_json(file, &scan);
    }
    for (int part = 0; part < HTP_SIDECAR_PARTS; part++) {
        if (!file->parts[part].at) {
            return htp_sidecar_file_wrong(file, "it has no \"%s\"",
                                          htp_sidecar_part_name((htp_sidecar_part)part));
        }
    }
    return has_version ? HTP_OK : htp_sidecar_file_wrong(file, "it has no version");
}

htp_status htp_sidecar_file_open(htp_sidecar_file *file, htp_arena *arena, const char *path)
{
    memset(file, 0, sizeof(*file));
    file->arena = arena;
    file->path = htp_arena_strdup(arena, path);
    HTP_TRY(map_file(file));
    return read_parts(file);
}

htp_status htp_sidecar_file_parse(htp_sidecar_file *file, int hold, htp_json_part value,
                                  const cJSON **parsed)
{
    cJSON_Delete(file->held[hold]);
    file->held[hold] = NULL;
    if (value.length > LARGEST_VALUE) {
        return htp_sidecar_file_wrong(file, "the value at byte %zu is too large",
                                      (size_t)(value.at - file->text.at));
    }
    file->held[hold] = htp_json_parse(file->arena, value.at, value.length);
    *parsed = file->held[hold];
    return *parsed ? HTP_OK
                   : htp_sidecar_file_wrong(file, "the value at byte %zu is no JSON",
                                            (size_t)(value.at - file->text.at));
}

htp_status htp_sidecar_file_check(const htp_sidecar_file *file)
{
    return file->file.is_open ? htp_input_file_judge(&file->file, file->path, HTP_OK) : HTP_OK;
}

void htp_sidecar_file_close(htp_sidecar_file *file)
{
    for (int i = 0; i < 2; i++) {
        cJSON_Delete(file->held[i]);
        file->held[i] = NULL;
    }
    if (file->text.at) {
        (void)munmap((void *)(uintptr_t)file->text.at, file->text.length);
        file->text = (htp_json_part){NULL, 0};
    }
    htp_input_file_close(&file->file);
}
