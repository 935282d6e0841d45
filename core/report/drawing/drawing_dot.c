/*
 * Drawings for graphviz. Frames are nested clusters, called cluster_f0 and so on. Labels have class
 * and instance, attribute path and operators; tooltips have the tag or the node's name; arrows have
 * the types of their values.
 *
 * Reference: https://graphviz.org/doc/info/lang.html,
 * https://graphviz.org/doc/info/shapes.html#html
 */
#include "report/drawing/drawing.h"

#include <inttypes.h>
#include <string.h>

static const char header[] =
    "digraph {\n"
    "graph [fontname=\"Helvetica,Arial,sans-serif\", fontsize=11, fontcolor=\"#1e293b\", "
    "labeljust=l, nodesep=0.3, ranksep=0.3, color=\"#94a3b8\", style=\"rounded,filled\", "
    "tooltip=\" \"]\n"
    "node [fontname=\"Helvetica,Arial,sans-serif\", fontsize=11, fontcolor=\"#0f172a\", shape=box, "
    "style=\"rounded,filled\", margin=\"0.12,0.06\", height=0.3]\n"
    "edge [fontname=\"Helvetica,Arial,sans-serif\", fontsize=9, fontcolor=\"#475569\", "
    "color=\"#64748b\", arrowsize=0.6]\n";

/* Graphviz's best layout takes minutes for some hundred boxes. Above this limit arrows are straight
 * and placement takes fewer iterations. */
enum { MAX_BOXES = 200 };
static const char header_of_large[] = "graph [nslimit=1, nslimit1=1, splines=line]\n";

/* Styles of boxes by kind. */
static const char *const looks[HTP_DRAWING_BOX_KINDS] = {
    [HTP_DRAWING_NODE] = "fillcolor=\"#ffffff\", color=\"#64748b\"",
    [HTP_DRAWING_NODES] =
        "fillcolor=\"#ffffff\", color=\"#64748b\", style=\"rounded,filled,dashed\"",
    [HTP_DRAWING_MODULE] = "fillcolor=\"#dbeafe\", color=\"#2563eb\"",
    [HTP_DRAWING_INPUT] = "fillcolor=\"#dcfce7\", color=\"#16a34a\"",
    [HTP_DRAWING_OUTPUT] = "fillcolor=\"#fef3c7\", color=\"#d97706\"",
};

/* Colours of nested frames alternate. */
static const char *const fills[] = {"#f8fafc", "#eef2f7", "#e2e8f0"};
static const char body_fill[] = "#fdf4ff";

/* A quoted string that neither graphviz nor HTML takes for markup. */
static void add_quoted(htp_text *text, const char *string)
{
    htp_text xml = {.arena = text->arena};
    htp_drawing_add_xml(&xml, string); /* graphviz decodes entities everywhere */
    htp_text_add(text, "\"");
    for (const char *at = htp_text_string(&xml); *at; at++) {
        htp_text_add_bytes(text, *at == '\\' ? "\\\\" : at, *at == '\\' ? 2 : 1);
    }
    htp_text_add(text, "\"");
}

/* An HTML-like label: the title, and further lines in a smaller font. */
static void add_label(htp_text *text, const htp_drawing_label *label, const char *between)
{
    static const char small[] = "<font point-size=\"9\" color=\"#475569\">";
    htp_text_add(text, "label=<<b>");
    htp_drawing_add_xml(text, *label->title ? label->title : " ");
    htp_text_add(text, "</b>");
    const char *const parts[] = {label->path, label->detail};
    for (size_t i = 0; i < 2; i++) {
        if (*parts[i]) {
            htp_text_addf(text, "%s%s", between, small);
            htp_drawing_add_xml(text, parts[i]);
            htp_text_add(text, "</font>");
        }
    }
    htp_text_add(text, ">, tooltip=");
    add_quoted(text, *label->name ? label->name : " ");
}

static void add_box(htp_text *text, const htp_drawing_graph *drawing, uint32_t number)
{
    htp_drawing_label label = htp_drawing_label_box(text->arena, drawing, number);
    htp_text_addf(text, "b%" PRIu32 " [", number);
    add_label(text, &label, "<br/>");
    const char *fill = htp_drawing_fill(text->arena, drawing, number);
    htp_text_addf(text, ", %s", looks[drawing->boxes.items[number].kind]);
    if (fill) {
        htp_text_addf(text, ", fillcolor=\"%s\"", fill); /* the last one counts */
    }
    htp_text_add(text, "]\n");
}

static void add_arrow(htp_text *text, const htp_drawing_graph *drawing,
                      const htp_drawing_arrow *arrow)
{
    const char *separator = "";
    htp_text names = {.arena = text->arena};
    htp_text_addf(text, "b%" PRIu32 " -> b%" PRIu32 " [label=<", arrow->from, arrow->to);
    for (size_t i = 0; i < arrow->values.count; i++) {
        uint32_t value = arrow->values.items[i];
        const char *name = htp_view_text(drawing->view, drawing->view->values.items[value].name);
        if (i < HTP_DRAWING_SHOWN_VALUES) {
            htp_text_addf(text, "%s&#160;", separator); /* distance from the arrow */
            htp_drawing_add_xml(text, htp_drawing_type(text->arena, drawing, value));
            htp_text_add(text, "&#160;");
            htp_text_addf(&names, "%s%s", i ? ", " : "", name);
            separator = "<br/>";
        }
    }
    if (arrow->values.count > HTP_DRAWING_SHOWN_VALUES) {
        htp_text_addf(text, "%s&#160;and %zu more&#160;", separator,
                      arrow->values.count - HTP_DRAWING_SHOWN_VALUES);
        htp_text_add(&names, ", ...");
    }
    htp_text_add(text, ">, tooltip=");
    add_quoted(text, htp_text_string(&names));
    htp_text_add(text, "]\n");
}

static void begin_frame(htp_text *text, const htp_drawing_graph *drawing, uint32_t number,
                        size_t depth)
{
    htp_drawing_label label = htp_drawing_label_frame(text->arena, drawing, number);
    bool is_module = drawing->frames.items[number].kind == HTP_DRAWING_MODULE_FRAME;
    htp_text_addf(text, "subgraph cluster_f%" PRIu32 " {\ngraph [", number);
    add_label(text, &label, "&#160; ");
    htp_text_addf(text, ", fillcolor=\"%s\"]\n",
                  is_module ? fills[depth % (sizeof(fills) / sizeof(fills[0]))] : body_fill);
}

static const htp_drawing_nesting nesting = {begin_frame, add_box, "}\n"};

void htp_report_drawing_dot(htp_stream *stream, const htp_drawing_graph *drawing)
{
    htp_text_add(&stream->text, header);
    htp_text_add(&stream->text, drawing->boxes.count > MAX_BOXES ? header_of_large : "");
    htp_drawing_add_nested(stream, drawing, &nesting);
    for (size_t i = 0; i < drawing->arrows.count; i++) {
        add_arrow(&stream->text, drawing, &drawing->arrows.items[i]);
        (void)htp_stream_pass(stream);
    }
    htp_text_add(&stream->text, "}\n");
}
