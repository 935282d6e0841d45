#include "query/dataflow/source_line.h"

#include <string.h>

/* The last occurrence of one of several words in a text, or NULL. */
static const char *find_last(const char *text, size_t length, const char *words)
{
    const char *last = NULL;
    const char *end = text + length;
    for (const char *at = text; at; at = at ? at + 1 : NULL) {
        at = memmem(at, (size_t)(end - at), words, strlen(words));
        last = at ? at : last;
    }
    return last;
}

static htp_source_line read_trace(const char *text, size_t length)
{
    static const char begin[] = "File \"";
    static const char number[] = "line ";
    htp_source_line source = {{NULL, 0}, {NULL, 0}};
    const char *end = text + length;
    const char *file = find_last(text, length, begin);
    if (!file) {
        return source;
    }
    file += strlen(begin);
    const char *quote = memchr(file, '"', (size_t)(end - file));
    const char *line = quote ? memmem(quote, (size_t)(end - quote), number, strlen(number)) : NULL;
    if (!line) {
        return source;
    }
    line += strlen(number);
    source.file = (htp_slice){file, (size_t)(quote - file)};
    source.line.at = line;
    while (line + source.line.length < end && line[source.line.length] >= '0' &&
           line[source.line.length] <= '9') {
        source.line.length++;
    }
    return source;
}

htp_source_line htp_source_line_find(const htp_view *view, const htp_tree *tree, uint32_t node)
{
    const htp_view_property *trace =
        htp_view_find_property(view, view->nodes.items[node].properties,
                               htp_view_find_name(view, "pkg.torch.onnx.stack_trace"));
    if (trace) {
        return read_trace((const char *)trace->value.at, trace->value.bytes);
    }
    return tree->sources ? tree->sources[node] : (htp_source_line){{NULL, 0}, {NULL, 0}};
}
