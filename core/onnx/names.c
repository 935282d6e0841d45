#include "onnx/names.h"

#include "base/text.h"

#include <stdbool.h>
#include <string.h>

const char *htp_name_unique(htp_arena *arena, htp_map *taken, const char *base)
{
    uint32_t suffix; /* by taken name: the first suffix that may still be free */
    if (!htp_map_get(taken, base, &suffix)) {
        htp_map_set(arena, taken, base, 1);
        return base;
    }
    const char *name;
    do {
        name = htp_arena_printf(arena, "%s_%u", base, (unsigned)suffix++);
    } while (htp_map_get(taken, name, NULL));
    htp_map_set(arena, taken, base, suffix);
    htp_map_set(arena, taken, name, 1);
    return name;
}

/* The length of the character at @p at, or 0 where its first byte is to be encoded. */
static size_t printable_length(const char *at)
{
    uint32_t code;
    size_t length = htp_text_utf8(at, &code);
    return length > 0 && code >= 0x20 && code != 0x7f ? length : 0;
}

static const char *escape(htp_arena *arena, const char *name, char separator)
{
    const char *at = name;
    while (*at && *at != separator && printable_length(at)) {
        at += printable_length(at);
    }
    if (!*at) {
        return name;
    }
    htp_text text = {.arena = arena};
    htp_text_add_bytes(&text, name, (size_t)(at - name));
    while (*at) {
        size_t length = *at == separator ? 0 : printable_length(at);
        if (length) {
            htp_text_add_bytes(&text, at, length);
            at += length;
        } else {
            htp_text_addf(&text, "%%%02X", (unsigned)(unsigned char)*at++);
        }
    }
    return htp_text_string(&text);
}

const char *htp_name_escape(htp_arena *arena, const char *name)
{
    return escape(arena, name, '\0');
}

/* @p path below @p above, or all of it: "layer.0" for "encoder.layer.0" below "encoder". */
static const char *relative_path(const char *path, const char *above)
{
    size_t length = strlen(above);
    if (length == 0 || strncmp(path, above, length) != 0) {
        return path;
    }
    return path[length] == '.' ? path + length + 1 : path[length] == '\0' ? "" : path;
}

const char *const *htp_name_scopes(htp_arena *arena, const htp_graph *graph)
{
    uint32_t count = graph->trace->scope_count;
    const char **names = HTP_NEW_ARRAY(arena, const char *, count);
    for (uint32_t scope = 0; scope < count; scope++) {
        uint32_t parent = graph->trace->scopes[scope].parent;
        if (parent == HTP_SHIM_NONE) {
            names[scope] = "";
            continue;
        }
        const char *relative =
            relative_path(htp_graph_scope_path(graph, scope), htp_graph_scope_path(graph, parent));
        names[scope] = *relative ? htp_arena_printf(arena, "%s/%s", names[parent],
                                                    escape(arena, relative, '/'))
                                 : names[parent];
    }
    return names;
}
