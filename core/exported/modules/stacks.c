#include "exported/modules/stacks.h"

#include <string.h>

/* torch.export's mark for no stack. */
#define NO_STACK "_empty_nn_module_stack"

/* Modules of branches appear again below a module of this name, which is the root. */
#define INNER_ROOT "_export_root"

/* Removes a prefix and its dot from a path. @return whether it was there */
static bool take_off(htp_stack_entry *entry, const char *prefix)
{
    size_t length = strlen(prefix);
    if (entry->path_bytes < length || memcmp(entry->path, prefix, length) != 0 ||
        (entry->path_bytes > length && entry->path[length] != '.')) {
        return false;
    }
    length += entry->path_bytes > length;
    entry->path += length;
    entry->path_bytes -= length;
    return true;
}

/* Parses "key,path,class": a path may contain commas. @return whether it is a module */
static bool read_entry(const char *text, const char *end, htp_stack_entry *entry)
{
    const char *first = memchr(text, ',', (size_t)(end - text));
    const char *last = end;
    while (last > text && *last != ',') {
        last--;
    }
    if (!first || last <= first || strncmp(text, NO_STACK, strlen(NO_STACK)) == 0) {
        return false;
    }
    *entry = (htp_stack_entry){.key = text,
                               .key_bytes = (size_t)(first - text),
                               .path = first + 1,
                               .path_bytes = (size_t)(last - first) - 1,
                               .class_name = last + 1,
                               .class_bytes = (size_t)(end - last) - 1};
    (void)take_off(entry, "L['self']");
    return !take_off(entry, INNER_ROOT) || entry->path_bytes > 0;
}

bool htp_stack_next(const char **at, htp_stack_entry *entry)
{
    while (*at && **at) {
        const char *text = *at;
        const char *end = strchr(text, ';');
        *at = end ? end + 1 : NULL;
        if (read_entry(text, end ? end : text + strlen(text), entry)) {
            return true;
        }
    }
    *at = NULL;
    return false;
}
