/*
 * Data files of tensors: they must exist, be long enough, and lie in the model's folder.
 */
#include "onnx/reader/view_read.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static htp_status refuse(const htp_view *view, const char *location, const char *why)
{
    return htp_status_make(HTP_CODE_BAD_INPUT, "%s: external data '%s' %s", view->path, location,
                           why);
}

/* Whether a path is relative and has no "..". */
static bool goes_down(const char *location)
{
    if (*location == '/' || *location == '\0') {
        return false;
    }
    for (const char *part = location; part;) {
        const char *slash = strchr(part, '/');
        size_t length = slash ? (size_t)(slash - part) : strlen(part);
        if (length == 2 && part[0] == '.' && part[1] == '.') {
            return false;
        }
        part = slash ? slash + 1 : NULL;
    }
    return true;
}

/* "folder/" of "folder/model.onnx", "" of "model.onnx". */
static const char *folder_of(const htp_view *view)
{
    const char *slash = strrchr(view->path, '/');
    return slash ? htp_arena_copy(view->arena, view->path, (size_t)(slash - view->path) + 1) : "";
}

/* Whether a file lies in a folder after links are resolved. */
static bool lies_below(const char *folder, const char *path)
{
    char real_folder[PATH_MAX];
    char real_path[PATH_MAX];
    if (!realpath(*folder ? folder : ".", real_folder) || !realpath(path, real_path)) {
        return false;
    }
    size_t length = strlen(real_folder);
    bool is_root = length == 1;
    return strncmp(real_path, real_folder, length) == 0 && (is_root || real_path[length] == '/');
}

/* Records the identity of a data file, which may replace the one that the model names. */
static htp_status look_at(const htp_view *view, const char *location, htp_view_data_file *file)
{
    enum { HEAD_BYTES = 64 };
    char head[HEAD_BYTES];
    HTP_TRY(htp_input_file_open(&file->facts, file->path));
    ssize_t count = pread(file->facts.fd, head, sizeof(head), 0);
    htp_input_file_close(&file->facts);
    const char *placeholder = count > 0 ? htp_input_file_placeholder(head, (size_t)count) : NULL;
    return placeholder
               ? refuse(view, location, htp_arena_printf(view->arena, "are %s", placeholder))
               : HTP_OK;
}

/* Records a file that the caller gave as the data file. */
static htp_status open_told(const htp_view *view, const char *location, htp_view_data_file *file)
{
    file->path = view->data_path;
    return look_at(view, location, file);
}

static htp_status open_file(htp_view *view, const char *location, htp_view_data_file *file)
{
    if (view->data_location && strcmp(location, view->data_location) == 0) {
        return open_told(view, location, file);
    }
    const char *folder = folder_of(view);
    struct stat facts;
    if (!goes_down(location)) {
        return refuse(view, location, "would lie outside of the model's folder");
    }
    file->path = htp_arena_printf(view->arena, "%s%s", folder, location);
    if (stat(file->path, &facts) != 0) {
        return refuse(view, location,
                      errno == ENOENT
                          ? "are missing: put the file beside the model"
                          : htp_arena_join(view->arena, "cannot be read", ": ", strerror(errno)));
    }
    if (!lies_below(folder, file->path)) {
        return refuse(view, location, "are a link out of the model's folder");
    }
    if (!S_ISREG(facts.st_mode)) {
        return refuse(view, location, "are no file");
    }
    return look_at(view, location, file);
}

htp_status htp_view_find_data(htp_view *view, const htp_view_tensor *tensor)
{
    uint32_t index;
    const char *location = htp_view_text(view, tensor->location);
    if (!htp_map_get(&view->data_numbers, location, &index)) {
        htp_view_data_file file = {.location = tensor->location};
        HTP_TRY(open_file(view, location, &file));
        index = (uint32_t)view->data_files.count;
        HTP_PUSH(view->arena, &view->data_files, file);
        htp_map_set(view->arena, &view->data_numbers, location, index);
    }
    uint64_t size = view->data_files.items[index].facts.bytes;
    if (tensor->offset > size || tensor->bytes > size - tensor->offset) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "%s: external data '%s' are cut short: tensor '%s' reaches to byte "
                               "%llu of %llu",
                               view->path, location, htp_view_text(view, tensor->name),
                               (unsigned long long)tensor->offset +
                                   (unsigned long long)tensor->bytes,
                               (unsigned long long)size);
    }
    return HTP_OK;
}
