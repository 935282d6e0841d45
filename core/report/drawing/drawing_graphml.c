/*
 * Drawings as GraphML. Not all readers know nested graphs, so frames are nodes, and `parent` of a
 * node is its frame. Each value is an edge.
 *
 * Reference: http://graphml.graphdrawing.org/specification.html
 */
#include "report/drawing/drawing.h"

#include <inttypes.h>

static const char header[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
    "<key id=\"kind\" for=\"node\" attr.name=\"kind\" attr.type=\"string\"/>\n"
    "<key id=\"parent\" for=\"node\" attr.name=\"parent\" attr.type=\"string\"/>\n"
    "<key id=\"label\" for=\"node\" attr.name=\"label\" attr.type=\"string\"/>\n"
    "<key id=\"name\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>\n"
    "<key id=\"path\" for=\"node\" attr.name=\"path\" attr.type=\"string\"/>\n"
    "<key id=\"detail\" for=\"node\" attr.name=\"detail\" attr.type=\"string\"/>\n"
    "<key id=\"module\" for=\"node\" attr.name=\"module\" attr.type=\"string\"/>\n"
    "<key id=\"operators\" for=\"node\" attr.name=\"operators\" attr.type=\"long\"/>\n"
    "<key id=\"value\" for=\"edge\" attr.name=\"value\" attr.type=\"string\"/>\n"
    "<key id=\"type\" for=\"edge\" attr.name=\"type\" attr.type=\"string\"/>\n"
    "<graph edgedefault=\"directed\">\n";

static const char *const box_kinds[HTP_DRAWING_BOX_KINDS] = {
    [HTP_DRAWING_NODE] = "operator", [HTP_DRAWING_NODES] = "operators",
    [HTP_DRAWING_MODULE] = "module", [HTP_DRAWING_INPUT] = "input",
    [HTP_DRAWING_OUTPUT] = "output",
};

static const char *const frame_kinds[] = {
    [HTP_DRAWING_MODULE_FRAME] = "module-frame",
    [HTP_DRAWING_BODY_FRAME] = "body-frame",
    [HTP_DRAWING_FUNCTION_FRAME] = "function-frame",
};

static void add_data(htp_text *text, const char *key, const char *value)
{
    if (*value) {
        htp_text_addf(text, "<data key=\"%s\">", key);
        htp_drawing_add_xml(text, value);
        htp_text_add(text, "</data>");
    }
}

/* Data of frames and boxes. */
static void add_facts(htp_text *text, const htp_drawing_graph *drawing, const char *kind,
                      const htp_drawing_label *label, uint32_t module, uint32_t parent,
                      uint32_t operators)
{
    add_data(text, "kind", kind);
    add_data(text, "label", label->title);
    add_data(text, "name", label->name);
    add_data(text, "path", label->path);
    add_data(text, "detail", label->detail);
    if (module != HTP_NONE) {
        htp_slice tag = drawing->tree->modules[module].tag;
        add_data(text, "module", htp_arena_copy(text->arena, tag.at, tag.length));
    }
    if (parent != HTP_NONE) {
        htp_text_addf(text, "<data key=\"parent\">f%" PRIu32 "</data>", parent);
    }
    htp_text_addf(text, "<data key=\"operators\">%" PRIu32 "</data></node>\n", operators);
}

static void add_frame(htp_text *text, const htp_drawing_graph *drawing, uint32_t number)
{
    const htp_drawing_frame *frame = &drawing->frames.items[number];
    htp_drawing_label label = htp_drawing_label_frame(text->arena, drawing, number);
    htp_text_addf(text, "<node id=\"f%" PRIu32 "\">", number);
    add_facts(text, drawing, frame_kinds[frame->kind], &label, frame->module, frame->parent,
              frame->nodes);
}

static void add_box(htp_text *text, const htp_drawing_graph *drawing, uint32_t number)
{
    const htp_drawing_box *box = &drawing->boxes.items[number];
    htp_drawing_label label = htp_drawing_label_box(text->arena, drawing, number);
    htp_text_addf(text, "<node id=\"b%" PRIu32 "\">", number);
    add_facts(text, drawing, box_kinds[box->kind], &label, box->module, box->frame, box->nodes);
}

static void add_edges(htp_text *text, const htp_drawing_graph *drawing,
                      const htp_drawing_arrow *arrow)
{
    for (size_t i = 0; i < arrow->values.count; i++) {
        uint32_t value = arrow->values.items[i];
        htp_text_addf(text, "<edge source=\"b%" PRIu32 "\" target=\"b%" PRIu32 "\">", arrow->from,
                      arrow->to);
        add_data(text, "value",
                 htp_view_text(drawing->view, drawing->view->values.items[value].name));
        add_data(text, "type", htp_drawing_type(text->arena, drawing, value));
        htp_text_add(text, "</edge>\n");
    }
}

void htp_report_drawing_graphml(htp_stream *stream, const htp_drawing_graph *drawing)
{
    htp_text *text = &stream->text;
    htp_text_add(text, header);
    for (uint32_t i = 0; i < drawing->frames.count && htp_stream_pass(stream); i++) {
        add_frame(text, drawing, i);
    }
    for (uint32_t i = 0; i < drawing->boxes.count && htp_stream_pass(stream); i++) {
        add_box(text, drawing, i);
    }
    for (size_t i = 0; i < drawing->arrows.count && htp_stream_pass(stream); i++) {
        add_edges(text, drawing, &drawing->arrows.items[i]);
    }
    htp_text_add(text, "</graph>\n</graphml>\n");
}
