#include "report/tree/values.h"

#include "base/text.h"
#include "onnx/proto/tensor_type.h"

#include <inttypes.h>
#include <string.h>

void htp_report_made_of(htp_json *json, const htp_made_of *made_of)
{
    if (made_of->count == 0) {
        htp_json_null(json, "parameters");
        return;
    }
    htp_json_begin(json, "parameters", '[');
    for (size_t i = 0; i < made_of->count; i++) {
        htp_json_string(json, NULL, made_of->names[i]);
    }
    htp_json_end(json, ']');
}

void htp_report_type_json(htp_json *json, const htp_value_type *type)
{
    const char *dtype = NULL;
    if (type->is_known) {
        dtype = htp_arena_printf(json->text.arena, "%s%s", type->container,
                                 htp_tensor_type_name(type->data_type));
    }
    htp_json_string(json, "dtype", dtype);
    if (!type->has_dims) {
        htp_json_null(json, "dims");
        return;
    }
    htp_json_begin(json, "dims", '[');
    for (size_t i = 0; i < type->rank; i++) {
        const htp_value_dim *dim = &type->dims[i];
        if (dim->symbol || dim->size < 0) {
            htp_json_string(json, NULL, dim->symbol);
        } else {
            htp_json_number(json, NULL, dim->size);
        }
    }
    htp_json_end(json, ']');
}

/* The bytes of the first @p columns characters. */
static size_t bytes_of(const char *text, size_t columns)
{
    const char *at = text;
    uint32_t code;
    for (size_t i = 0; i < columns && *at; i++) {
        size_t length = htp_text_utf8(at, &code);
        at += length ? length : 1;
    }
    return (size_t)(at - text);
}

const char *htp_report_name(htp_arena *arena, const char *text, size_t length)
{
    return htp_text_printable(arena, htp_arena_copy(arena, text, length));
}

const char *htp_report_fit(htp_arena *arena, const char *text, size_t length, size_t columns)
{
    static const char gap[] = "...";
    const char *shown = htp_report_name(arena, text, length);
    size_t width = htp_text_width(shown);
    if (width <= columns || columns <= strlen(gap)) {
        return shown;
    }
    size_t head = (columns - strlen(gap)) / 2;
    size_t tail = columns - strlen(gap) - head;
    return htp_arena_printf(arena, "%.*s%s%s", (int)bytes_of(shown, head), shown, gap,
                            shown + bytes_of(shown, width - tail));
}

void htp_report_add_line(htp_text *text, const char *label, const char *content)
{
    htp_text_addf(text, "%-10s %s\n", label, htp_text_printable(text->arena, content));
}

const char *htp_report_bytes(htp_arena *arena, uint64_t bytes)
{
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    if (bytes < 1000) {
        return htp_arena_printf(arena, "%" PRIu64 " B", bytes);
    }
    double scaled = (double)bytes / 1000;
    size_t unit = 0;
    for (; scaled >= 1000 && unit + 1 < sizeof(units) / sizeof(units[0]); unit++) {
        scaled /= 1000;
    }
    return htp_arena_printf(arena, "%.1f %s", scaled, units[unit]);
}

void htp_report_add_pair(htp_text *text, const char *left, const char *right)
{
    enum { ROOM = 78 };
    left = htp_text_printable(text->arena, left);
    right = htp_text_printable(text->arena, right);
    if (*right == '\0') {
        htp_text_addf(text, "  %s\n", left);
    } else if (htp_text_width(left) + 2 + htp_text_width(right) <= ROOM) {
        htp_text_addf(text, "  %s  %s\n", left, right);
    } else {
        htp_text_addf(text, "  %s\n      %s\n", left, right);
    }
}

const char *htp_stage_name(htp_stage stage)
{
    static const char *const names[] = {
        [HTP_STAGE_LOADED] = "loaded",     [HTP_STAGE_INPUTS] = "inputs",
        [HTP_STAGE_TRACED] = "traced",     [HTP_STAGE_LOWERED] = "lowered",
        [HTP_STAGE_TAGGED] = "tagged",     [HTP_STAGE_WRITTEN] = "written",
        [HTP_STAGE_COMPARED] = "compared",
    };
    return (unsigned)stage < sizeof(names) / sizeof(names[0]) ? names[stage] : NULL;
}
