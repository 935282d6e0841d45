/*
 * Labels of boxes and frames.
 */
#include "report/drawing/drawing.h"

#include "base/text.h"
#include "report/node_data/node_data.h"

#include <stdlib.h>
#include <string.h>

/* The most op types in a label. */
enum { TOLD_OP_TYPES = 4 };

static const char *copy(htp_arena *arena, htp_slice slice)
{
    return htp_text_printable(arena, htp_arena_copy(arena, slice.at ? slice.at : "", slice.length));
}

static const char *name_text(htp_arena *arena, const htp_drawing_graph *drawing, htp_view_name name)
{
    return htp_text_printable(arena, htp_view_text(drawing->view, name));
}

/* A tag relative to another one: "BertLayer.0", or "Cell/Inner" if the module between has no frame.
 */
static const char *relative_tag(htp_arena *arena, const htp_drawing_graph *drawing, uint32_t frame,
                                uint32_t module)
{
    const htp_tree *tree = drawing->tree;
    htp_slice tag = tree->modules[module].tag;
    while (frame != HTP_NONE && drawing->frames.items[frame].kind != HTP_DRAWING_MODULE_FRAME) {
        frame = drawing->frames.items[frame].parent;
    }
    htp_slice around = frame == HTP_NONE ? (htp_slice){"", 0}
                                         : tree->modules[drawing->frames.items[frame].module].tag;
    bool is_below = around.length > 1 && around.length < tag.length &&
                    memcmp(tag.at, around.at, around.length) == 0 && tag.at[around.length] == '/';
    if (is_below) {
        return copy(arena, (htp_slice){tag.at + around.length + 1, tag.length - around.length - 1});
    }
    htp_slice segment = htp_tree_segment(&tree->modules[module]);
    bool has_slash = segment.length > 1 && segment.at[0] == '/';
    return copy(arena, (htp_slice){segment.at + has_slash, segment.length - has_slash});
}

static const char *operators(htp_arena *arena, uint32_t count)
{
    return htp_arena_printf(arena, "%s operator%s", htp_text_grouped(arena, count),
                            count == 1 ? "" : "s");
}

/* By frequency, then by order in the file. */
static int compare_counts(const void *a, const void *b)
{
    const htp_drawing_count *first = *(const htp_drawing_count *const *)a;
    const htp_drawing_count *second = *(const htp_drawing_count *const *)b;
    if (first->count != second->count) {
        return first->count > second->count ? -1 : 1;
    }
    return first < second ? -1 : first > second;
}

static const char *frequent(htp_arena *arena, const htp_drawing_graph *drawing,
                            const htp_drawing_box *box)
{
    htp_text text = {.arena = arena};
    const htp_drawing_count **sorted =
        HTP_NEW_ARRAY(arena, const htp_drawing_count *, box->counts.count);
    for (size_t i = 0; i < box->counts.count; i++) {
        sorted[i] = &box->counts.items[i];
    }
    qsort(sorted, box->counts.count, sizeof(*sorted), compare_counts);
    for (size_t i = 0; i < box->counts.count && i < TOLD_OP_TYPES; i++) {
        htp_text_addf(&text, "%s%s", i ? ", " : "", name_text(arena, drawing, sorted[i]->op_type));
        if (sorted[i]->count > 1) {
            htp_text_addf(&text, " \xc3\x97%s", htp_text_grouped(arena, sorted[i]->count));
        }
    }
    htp_text_add(&text, box->counts.count > TOLD_OP_TYPES ? ", \xe2\x80\xa6" : "");
    return htp_text_string(&text);
}

const char *htp_drawing_type(htp_arena *arena, const htp_drawing_graph *drawing, uint32_t value)
{
    htp_value_type type = htp_view_types_find(drawing->types, arena, value);
    return type.is_known ? htp_text_printable(arena, htp_value_type_text(arena, &type)) : "";
}

static htp_drawing_label label_value(htp_arena *arena, const htp_drawing_graph *drawing,
                                     uint32_t value)
{
    const char *name = name_text(arena, drawing, drawing->view->values.items[value].name);
    return (htp_drawing_label){name, "", htp_drawing_type(arena, drawing, value), name};
}

/* A single operator is labelled by its op type, inside a module as well. */
static htp_drawing_label label_nodes(htp_arena *arena, const htp_drawing_graph *drawing,
                                     const htp_drawing_box *box)
{
    const char *tag =
        box->module == HTP_NONE ? "" : copy(arena, drawing->tree->modules[box->module].tag);
    if (box->nodes == 1) {
        return (htp_drawing_label){name_text(arena, drawing, box->counts.items[0].op_type), "", "",
                                   tag};
    }
    return (htp_drawing_label){operators(arena, box->nodes), "", frequent(arena, drawing, box),
                               tag};
}

static bool has_cost(const htp_drawing_graph *drawing, uint32_t number)
{
    return drawing->has_costs && drawing->boxes.items[number].nodes > 0;
}

const char *htp_drawing_fill(htp_arena *arena, const htp_drawing_graph *drawing, uint32_t number)
{
    uint64_t most = drawing->most;
    double share = most > 0 ? (double)drawing->boxes.items[number].cost / (double)most : 0;
    return has_cost(drawing, number) ? htp_node_data_color(arena, share) : NULL;
}

/* The detail of a box with its share of the costs of all. */
static const char *add_share(htp_arena *arena, const htp_drawing_graph *drawing, uint32_t number,
                             const char *detail)
{
    double cost = (double)drawing->boxes.items[number].cost;
    double percent = drawing->sum > 0 ? 100 * cost / drawing->sum : 0;
    return htp_arena_printf(arena, "%s%s%.1f%%", detail, *detail ? "; " : "", percent);
}

static htp_drawing_label label_of(htp_arena *arena, const htp_drawing_graph *drawing,
                                  uint32_t number)
{
    const htp_drawing_box *box = &drawing->boxes.items[number];
    const htp_view *view = drawing->view;
    switch (box->kind) {
    case HTP_DRAWING_NODE:
        return (htp_drawing_label){name_text(arena, drawing, view->nodes.items[box->node].op_type),
                                   "", "",
                                   name_text(arena, drawing, view->nodes.items[box->node].name)};
    case HTP_DRAWING_NODES:
        return label_nodes(arena, drawing, box);
    case HTP_DRAWING_MODULE: {
        const htp_tree_module *module = &drawing->tree->modules[box->module];
        return (htp_drawing_label){relative_tag(arena, drawing, box->frame, box->module),
                                   module->path.length > 0 ? copy(arena, module->path) : "",
                                   htp_arena_printf(arena, "%s: %s", operators(arena, box->nodes),
                                                    frequent(arena, drawing, box)),
                                   copy(arena, module->tag)};
    }
    default:
        return label_value(arena, drawing, box->value);
    }
}

htp_drawing_label htp_drawing_label_box(htp_arena *arena, const htp_drawing_graph *drawing,
                                        uint32_t number)
{
    htp_drawing_label label = label_of(arena, drawing, number);
    if (has_cost(drawing, number)) {
        label.detail = add_share(arena, drawing, number, label.detail);
    }
    return label;
}

/* The node of a body, or the name of a function. */
static htp_drawing_label label_graph(htp_arena *arena, const htp_drawing_graph *drawing,
                                     uint32_t graph, const char *count)
{
    const htp_view *view = drawing->view;
    const htp_view_graph *labelled = &view->graphs.items[graph];
    if (labelled->function != HTP_NONE) {
        const htp_view_function *function = &view->functions.items[labelled->function];
        const char *name = name_text(arena, drawing, function->name);
        return (htp_drawing_label){htp_arena_printf(arena, "function %s", name), "", count, name};
    }
    const htp_view_node *node = &view->nodes.items[labelled->node];
    const char *attribute =
        name_text(arena, drawing, view->attributes.items[labelled->attribute].name);
    return (htp_drawing_label){
        htp_arena_printf(arena, "%s of %s", attribute, name_text(arena, drawing, node->op_type)),
        "", count,
        htp_arena_printf(arena, "%s of %s", attribute, name_text(arena, drawing, node->name))};
}

htp_drawing_label htp_drawing_label_frame(htp_arena *arena, const htp_drawing_graph *drawing,
                                          uint32_t number)
{
    const htp_drawing_frame *frame = &drawing->frames.items[number];
    const char *count = operators(arena, frame->nodes);
    if (frame->kind != HTP_DRAWING_MODULE_FRAME) {
        return label_graph(arena, drawing, frame->graph, count);
    }
    const htp_tree_module *module = &drawing->tree->modules[frame->module];
    return (htp_drawing_label){relative_tag(arena, drawing, frame->parent, frame->module),
                               module->path.length > 0 ? copy(arena, module->path) : "", count,
                               copy(arena, module->tag)};
}

void htp_drawing_add_xml(htp_text *text, const char *string)
{
    static const struct {
        const char *plain, *escaped;
    } escapes[] = {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}};
    static const char replacement[] = "\xef\xbf\xbd";
    for (const char *at = string; *at;) {
        uint32_t code;
        size_t length = htp_text_utf8(at, &code);
        const char *escaped = NULL;
        for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
            escaped = *at == *escapes[i].plain ? escapes[i].escaped : escaped;
        }
        bool is_forbidden =
            length == 0 || code < 0x20 || code == 0x7f || code == 0xfffe || code == 0xffff;
        length = length ? length : 1;
        if (is_forbidden || escaped) {
            htp_text_add(text, is_forbidden ? replacement : escaped);
        } else {
            htp_text_add_bytes(text, at, length);
        }
        at += length;
    }
}
