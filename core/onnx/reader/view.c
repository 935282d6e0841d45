#include "onnx/reader/view.h"

#include "onnx/reader/view_read.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* ---- opening ---- */

static htp_status map_file(htp_view *view)
{
    struct stat facts;
    HTP_TRY(htp_input_file_open(&view->file, view->path));
    if (fstat(view->file.fd, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        return htp_status_make(HTP_CODE_BAD_INPUT, "%s: is no file", view->path);
    }
    if (view->file.bytes == 0) {
        return htp_status_make(HTP_CODE_BAD_INPUT, "%s: is empty", view->path);
    }
    if (view->file.bytes > UINT32_MAX) { /* all counts fit into 32 bits */
        return htp_status_make(HTP_CODE_BAD_INPUT, "%s: is larger than an ONNX model can be",
                               view->path);
    }
    size_t bytes = (size_t)view->file.bytes;
    const void *mapped = htp_input_file_map(&view->file);
    if (!mapped) {
        return htp_status_make(htp_input_file_code(errno, HTP_CODE_BAD_INPUT),
                               "%s: cannot be mapped: %s", view->path, strerror(errno));
    }
    view->bytes = (htp_span){mapped, bytes};
    const char *placeholder = htp_input_file_placeholder(mapped, bytes);
    return placeholder ? htp_status_make(HTP_CODE_BAD_INPUT, "%s: %s", view->path, placeholder)
                       : HTP_OK;
}

htp_status htp_view_open(htp_view *view, htp_arena *arena, const char *path,
                         const htp_limits *limits)
{
    return htp_view_open_with_data(view, arena, path, limits, NULL, NULL);
}

static htp_status read(htp_view *view)
{
    HTP_PUSH(view->arena, &view->names, "");
    HTP_TRY(htp_view_read_model(view));
    for (uint32_t i = 0; i < view->graphs.count; i++) {
        HTP_TRY(htp_view_read_graph(view, i));
    }
    htp_view_link(view);
    return htp_status_prefix(htp_input_file_check(&view->file), view->path);
}

htp_status htp_view_open_with_data(htp_view *view, htp_arena *arena, const char *path,
                                   const htp_limits *limits, const char *location,
                                   const char *data_path)
{
    memset(view, 0, sizeof(*view));
    view->arena = arena;
    view->limits = limits;
    view->path = htp_arena_strdup(arena, path);
    view->data_location = location;
    view->data_path = data_path;
    HTP_TRY(map_file(view));
    return read(view);
}

htp_status htp_view_read_flat(htp_view *view, const htp_view *file, const htp_view_flat *flat)
{
    memset(view, 0, sizeof(*view));
    view->arena = file->arena;
    view->path = file->path;
    view->limits = file->limits;
    view->data_location = file->data_location;
    view->data_path = file->data_path;
    view->file = file->file;
    view->bytes = file->bytes;
    view->flat = flat;
    return read(view);
}

void htp_view_close(htp_view *view)
{
    if (view->flat) { /* the view of the file owns the mapping */
        return;
    }
    if (view->bytes.at) {
        (void)munmap((void *)(uintptr_t)view->bytes.at, view->bytes.bytes);
        view->bytes = (htp_span){NULL, 0};
    }
    htp_input_file_close(&view->file);
}

/* ---- flaws ---- */

uint32_t *htp_view_tops(htp_arena *arena, const htp_view *view, uint32_t graph)
{
    uint32_t *tops = HTP_NEW_ARRAY(arena, uint32_t, view->nodes.count + 1);
    for (uint32_t n = 0; n < view->nodes.count; n++) { /* bodies follow their nodes */
        uint32_t own = view->nodes.items[n].graph;
        uint32_t owner = view->graphs.items[own].node;
        tops[n] = own == graph ? n : owner == HTP_NONE ? HTP_NONE : tops[owner];
    }
    return tops;
}

const char *htp_view_call_operator(htp_arena *arena, const htp_view *view, htp_view_name domain,
                                   htp_view_name op_type, htp_view_name overload)
{
    const char *more = htp_view_text(view, overload);
    return htp_arena_printf(arena, "%s::%s%s%s", htp_view_text(view, htp_view_domain(view, domain)),
                            htp_view_text(view, op_type), *more ? ":" : "", more);
}

const char *htp_view_call_node(const htp_view *view, uint32_t node)
{
    const htp_view_node *called = &view->nodes.items[node];
    if (called->name) {
        return htp_view_text(view, called->name);
    }
    const char *made = "nothing";
    for (uint32_t i = called->outputs.count; i-- > 0;) {
        uint32_t value = view->operands.items[called->outputs.first + i];
        made = value == HTP_NONE ? made : htp_view_text(view, view->values.items[value].name);
    }
    return htp_arena_printf(view->arena, "%s that makes %s", htp_view_text(view, called->op_type),
                            made);
}

const char *htp_view_flaw_text(const htp_view *view, const htp_view_flaw *flaw)
{
    const htp_view_value *value = &view->values.items[flaw->value];
    const char *name = htp_view_text(view, value->name);
    const char *node =
        flaw->node == HTP_NONE
            ? "an input, output or initializer"
            : htp_arena_printf(view->arena, "node '%s'", htp_view_call_node(view, flaw->node));
    switch (flaw->kind) {
    case HTP_VIEW_NAME_TWICE:
        return htp_arena_printf(view->arena, "%s makes '%s', a name that is taken already", node,
                                name);
    case HTP_VIEW_NOT_MADE:
        return htp_arena_printf(view->arena, "%s reads '%s', which nothing makes", node, name);
    default:
        return htp_arena_printf(view->arena,
                                "%s reads '%s' before node '%s' makes it: there is a cycle, or "
                                "nodes are out of order",
                                node, name, htp_view_call_node(view, value->node));
    }
}

htp_status htp_view_check(const htp_view *view)
{
    if (view->flaws.count == 0) {
        return HTP_OK;
    }
    return htp_status_make(HTP_CODE_BAD_INPUT, "%s: not a valid ONNX model: %s", view->path,
                           htp_view_flaw_text(view, &view->flaws.items[0]));
}

/* ---- looking up ---- */

htp_view_name htp_view_domain(const htp_view *view, htp_view_name domain)
{
    return strcmp(htp_view_text(view, domain), "ai.onnx") == 0 ? 0 : domain;
}

htp_view_name htp_view_find_name(const htp_view *view, const char *text)
{
    htp_view_name name = 0;
    (void)htp_map_get(&view->name_numbers, text, &name);
    return name;
}

const htp_view_property *htp_view_find_property(const htp_view *view, htp_view_range properties,
                                                htp_view_name key)
{
    for (uint32_t i = properties.count; key != 0 && i-- > 0;) {
        const htp_view_property *property = &view->property_list.items[properties.first + i];
        if (property->key == key) {
            return property;
        }
    }
    return NULL;
}

const htp_view_attribute *htp_view_find_attribute(const htp_view *view, uint32_t node,
                                                  htp_view_name name)
{
    htp_view_range attributes = view->nodes.items[node].attributes;
    for (uint32_t i = 0; name != 0 && i < attributes.count; i++) {
        const htp_view_attribute *attribute = &view->attributes.items[attributes.first + i];
        if (attribute->name == name) {
            return attribute;
        }
    }
    return NULL;
}

enum { ATTRIBUTE_STRINGS = 9 };

size_t htp_view_attribute_strings(const htp_view_attribute *attribute, htp_arena *arena,
                                  const htp_span **strings)
{
    HTP_VECTOR(htp_span) found = {0};
    htp_wire wire = htp_wire_begin(htp_wire_content(attribute->whole));
    htp_wire_field field;
    while (htp_wire_next(&wire, &field)) {
        if (htp_wire_is_bytes(&field, ATTRIBUTE_STRINGS)) {
            HTP_PUSH(arena, &found, field.content);
        }
    }
    *strings = found.items;
    return found.count;
}
