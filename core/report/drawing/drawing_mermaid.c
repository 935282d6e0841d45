/*
 * Drawings as mermaid flowcharts, which Markdown viewers draw. Frames are subgraphs.
 *
 * Reference: https://mermaid.js.org/syntax/flowchart.html
 */
#include "report/drawing/drawing.h"

#include <inttypes.h>
#include <string.h>

static const char header[] =
    "flowchart TB\n"
    "classDef operator fill:#ffffff,stroke:#64748b,color:#0f172a\n"
    "classDef operators fill:#ffffff,stroke:#64748b,color:#0f172a,stroke-dasharray:4 3\n"
    "classDef module fill:#dbeafe,stroke:#2563eb,color:#0f172a\n"
    "classDef input fill:#dcfce7,stroke:#16a34a,color:#0f172a\n"
    "classDef output fill:#fef3c7,stroke:#d97706,color:#0f172a\n"
    "classDef frame fill:#f8fafc,stroke:#94a3b8,color:#1e293b\n"
    "classDef body fill:#fdf4ff,stroke:#94a3b8,color:#1e293b\n";

static const char *const box_classes[HTP_DRAWING_BOX_KINDS] = {
    [HTP_DRAWING_NODE] = "operator", [HTP_DRAWING_NODES] = "operators",
    [HTP_DRAWING_MODULE] = "module", [HTP_DRAWING_INPUT] = "input",
    [HTP_DRAWING_OUTPUT] = "output",
};

/* Letters, digits, and characters without meaning in mermaid and Markdown. */
static bool is_plain(uint32_t code)
{
    static const char safe[] = "_ ,.:/()[]{}=+-";
    bool is_letter = (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
    bool is_digit = code >= '0' && code <= '9';
    return code >= 0x80 || is_letter || is_digit || (code > 0 && strchr(safe, (int)code));
}

/* A quoted text. Characters that are not plain become character references, which mermaid writes
 * with #. */
static void add_text(htp_text *text, const char *string)
{
    while (*string) {
        uint32_t code;
        size_t length = htp_text_utf8(string, &code);
        if (length == 0 || code < 0x20 || code == 0x7f) {
            htp_text_add(text, "\xef\xbf\xbd");
        } else if (is_plain(code)) {
            htp_text_add_bytes(text, string, length);
        } else {
            htp_text_addf(text, "#%" PRIu32 ";", code);
        }
        string += length ? length : 1;
    }
}

static void add_label(htp_text *text, const htp_drawing_label *label)
{
    const char *const parts[] = {label->path, label->detail};
    htp_text_add(text, "[\"<b>");
    add_text(text, *label->title ? label->title : " ");
    htp_text_add(text, "</b>");
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (*parts[i]) {
            htp_text_add(text, "<br/>");
            add_text(text, parts[i]);
        }
    }
    htp_text_add(text, "\"]");
}

static void add_box(htp_text *text, const htp_drawing_graph *drawing, uint32_t number)
{
    htp_drawing_label label = htp_drawing_label_box(text->arena, drawing, number);
    htp_text_addf(text, "b%" PRIu32, number);
    add_label(text, &label);
    const char *fill = htp_drawing_fill(text->arena, drawing, number);
    htp_text_addf(text, ":::%s\n", box_classes[drawing->boxes.items[number].kind]);
    if (fill) {
        htp_text_addf(text, "style b%" PRIu32 " fill:%s\n", number, fill);
    }
}

static void begin_frame(htp_text *text, const htp_drawing_graph *drawing, uint32_t number,
                        size_t depth)
{
    (void)depth;
    htp_drawing_label label = htp_drawing_label_frame(text->arena, drawing, number);
    htp_text_addf(text, "subgraph f%" PRIu32, number);
    add_label(text, &label);
    htp_text_add(text, "\n");
}

static const htp_drawing_nesting nesting = {begin_frame, add_box, "end\n"};

static void add_frame_class(htp_text *text, const htp_drawing_graph *drawing, uint32_t number)
{
    bool is_module = drawing->frames.items[number].kind == HTP_DRAWING_MODULE_FRAME;
    htp_text_addf(text, "class f%" PRIu32 " %s\n", number, is_module ? "frame" : "body");
}

static void add_arrow(htp_text *text, const htp_drawing_graph *drawing,
                      const htp_drawing_arrow *arrow)
{
    size_t shown = 0;
    htp_text_addf(text, "b%" PRIu32 " -->", arrow->from);
    for (size_t i = 0; i < arrow->values.count && i < HTP_DRAWING_SHOWN_VALUES; i++) {
        const char *type = htp_drawing_type(text->arena, drawing, arrow->values.items[i]);
        if (*type) {
            htp_text_add(text, shown++ == 0 ? "|\"" : "<br/>");
            add_text(text, type);
        }
    }
    if (shown > 0 && arrow->values.count > HTP_DRAWING_SHOWN_VALUES) {
        htp_text_addf(text, "<br/>and %zu more", arrow->values.count - HTP_DRAWING_SHOWN_VALUES);
    }
    htp_text_addf(text, "%s b%" PRIu32 "\n", shown > 0 ? "\"|" : "", arrow->to);
}

void htp_report_drawing_mermaid(htp_stream *stream, const htp_drawing_graph *drawing)
{
    htp_text *text = &stream->text;
    htp_text_add(text, header);
    htp_drawing_add_nested(stream, drawing, &nesting);
    for (uint32_t i = 0; i < drawing->frames.count && htp_stream_pass(stream); i++) {
        add_frame_class(text, drawing, i);
    }
    for (size_t i = 0; i < drawing->arrows.count && htp_stream_pass(stream); i++) {
        add_arrow(text, drawing, &drawing->arrows.items[i]);
    }
}
