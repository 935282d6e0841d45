/*
 * Reads a model's own fields, and helpers for all messages.
 */
#include "onnx/reader/view_read.h"

#include "base/text.h"

#include <string.h>

/* Reference: onnx.proto. */
enum {
    MODEL_IR_VERSION = 1,
    MODEL_PRODUCER_NAME = 2,
    MODEL_PRODUCER_VERSION = 3,
    MODEL_DOMAIN = 4,
    MODEL_VERSION = 5,
    MODEL_GRAPH = 7,
    MODEL_IMPORT = 8,
    MODEL_PROPERTY = 14,
    MODEL_FUNCTION = 25,
    MODEL_LAST = 26,

    IMPORT_DOMAIN = 1,
    IMPORT_VERSION = 2,

    ENTRY_KEY = 1,
    ENTRY_VALUE = 2,

    FUNCTION_NAME = 1,
    FUNCTION_INPUT = 4,
    FUNCTION_OUTPUT = 5,
    FUNCTION_DOMAIN = 10,
    FUNCTION_OVERLOAD = 13,
    FUNCTION_PROPERTY = 14,
};

/* ---- what all messages are read with ---- */

/* Whether a file is a zip archive, as PyTorch's are. */
static bool is_archive(const htp_view *view)
{
    static const char begin[] = "PK\3\4";
    return view->bytes.bytes >= strlen(begin) && memcmp(view->bytes.at, begin, strlen(begin)) == 0;
}

htp_status htp_view_damaged(const htp_view *view, const unsigned char *at, const char *what)
{
    if (is_archive(view)) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "%s: a zip archive, no ONNX model; if it is a model of PyTorch, "
                               "export it first: htp-trace FILE --out MODEL.onnx",
                               view->path);
    }
    bool is_in_file = at >= view->bytes.at && at <= view->bytes.at + view->bytes.bytes;
    const char *place = is_in_file ? htp_arena_printf(view->arena, "byte %llu",
                                                      (unsigned long long)(at - view->bytes.at))
                                   : "in what its functions make";
    return htp_status_make(HTP_CODE_BAD_INPUT, "%s: not an ONNX model, or a damaged one: %s (%s)",
                           view->path, what, place);
}

htp_status htp_view_end(const htp_view *view, const htp_wire *wire, const char *what)
{
    if (!wire->is_broken) {
        return HTP_OK;
    }
    return htp_view_damaged(view, wire->at,
                            htp_arena_printf(view->arena, "%s is cut short or garbled", what));
}

/* The slot of a text among recent ones: by its length, first and last byte. */
static size_t recent_place(htp_span text)
{
    uint64_t ends[2] = {0, 0};
    size_t bytes = text.bytes < sizeof(ends[0]) ? text.bytes : sizeof(ends[0]);
    if (bytes > 0) {
        memcpy(&ends[0], text.at, bytes);
        memcpy(&ends[1], text.at + text.bytes - bytes, bytes);
    }
    uint64_t mixed = (ends[0] ^ (ends[1] * 0x9e3779b97f4a7c15U) ^ text.bytes) * 0xff51afd7ed558ccdU;
    return (size_t)(mixed >> 32) % HTP_VIEW_RECENT;
}

/* Whether a name has this text. */
static bool is_name(const htp_view *view, htp_view_name name, htp_span text)
{
    const char *known = htp_view_text(view, name);
    return strncmp(known, (const char *)text.at, text.bytes) == 0 &&
           !memchr(text.at, '\0', text.bytes) && known[text.bytes] == '\0';
}

htp_status htp_view_intern(htp_view *view, htp_span text, htp_view_name *name)
{
    if (text.bytes == 0) {
        *name = 0;
        return HTP_OK;
    }
    htp_view_name *recent = &view->recent[recent_place(text)];
    if (is_name(view, *recent, text)) {
        *name = *recent;
        return HTP_OK;
    }
    *name = (htp_view_name)view->names.count;
    const void **key =
        htp_map_add_bytes(view->arena, &view->name_numbers, text.at, text.bytes, name);
    *recent = *name;
    if (!key) {
        return HTP_OK;
    }
    view->name_bytes += text.bytes;
    HTP_TRY(htp_view_check_costs(view));
    const char *copy = htp_arena_copy(view->arena, text.at, text.bytes);
    *key = copy;
    HTP_PUSH(view->arena, &view->names, copy);
    if (strlen(copy) != text.bytes) {
        return htp_view_damaged(view, text.at, "a name holds a NUL");
    }
    return htp_text_is_utf8(copy, text.bytes)
               ? HTP_OK
               : htp_view_damaged(view, text.at, "a name is not UTF-8");
}

htp_status htp_view_read_operands(htp_view *view, const htp_wire_runs *runs, uint32_t number,
                                  htp_view_range *range)
{
    htp_wire wire = htp_wire_begin(runs->of[number]);
    htp_wire_field field;
    range->first = (uint32_t)view->operands.count;
    while (htp_wire_next(&wire, &field)) {
        if (htp_wire_is_bytes(&field, number)) {
            htp_view_name name;
            HTP_TRY(htp_view_intern(view, field.content, &name));
            HTP_PUSH(view->arena, &view->operands, name);
            HTP_TRY(htp_view_check_costs(view));
        }
    }
    range->count = (uint32_t)view->operands.count - range->first;
    return HTP_OK;
}

static htp_status read_property(htp_view *view, htp_span whole)
{
    htp_view_property property = {.whole = whole, .value = {whole.at, 0}};
    htp_wire wire = htp_wire_begin(htp_wire_content(whole));
    htp_wire_field field;
    while (htp_wire_next(&wire, &field)) {
        if (htp_wire_is_bytes(&field, ENTRY_KEY)) {
            HTP_TRY(htp_view_intern(view, field.content, &property.key));
        } else if (htp_wire_is_bytes(&field, ENTRY_VALUE)) {
            property.value = field.content;
        }
    }
    HTP_TRY(htp_view_end(view, &wire, "an entry of metadata"));
    HTP_PUSH(view->arena, &view->property_list, property);
    return htp_view_check_costs(view);
}

htp_status htp_view_read_properties(htp_view *view, const htp_wire_runs *runs, uint32_t number,
                                    htp_view_range *range)
{
    htp_wire wire = htp_wire_begin(runs->of[number]);
    htp_wire_field field;
    range->first = (uint32_t)view->property_list.count;
    while (htp_wire_next(&wire, &field)) {
        if (htp_wire_is_bytes(&field, number)) {
            HTP_TRY(read_property(view, field.whole));
        }
    }
    range->count = (uint32_t)view->property_list.count - range->first;
    return HTP_OK;
}

/* ---- the model ---- */

static htp_status read_import(htp_view *view, htp_span whole)
{
    htp_view_import import = {.whole = whole};
    htp_wire wire = htp_wire_begin(htp_wire_content(whole));
    htp_wire_field field;
    while (htp_wire_next(&wire, &field)) {
        if (htp_wire_is_bytes(&field, IMPORT_DOMAIN)) {
            HTP_TRY(htp_view_intern(view, field.content, &import.domain));
        } else if (htp_wire_is_varint(&field, IMPORT_VERSION)) {
            import.version = (int64_t)field.value;
        }
    }
    HTP_TRY(htp_view_end(view, &wire, "an imported set of operators"));
    HTP_PUSH(view->arena, &view->imports, import);
    return htp_view_check_costs(view);
}

/* Adds an outermost graph. */
static uint32_t add_graph(htp_view *view, htp_span whole, uint32_t function)
{
    HTP_PUSH(view->arena, &view->graphs,
             (htp_view_graph){.whole = whole,
                              .parent = HTP_NONE,
                              .attribute = HTP_NONE,
                              .node = HTP_NONE,
                              .function = function});
    return (uint32_t)view->graphs.count - 1;
}

static htp_status read_function(htp_view *view, htp_span whole)
{
    htp_view_function function = {.graph = add_graph(view, whole, (uint32_t)view->functions.count)};
    htp_wire_runs runs = {0};
    htp_wire wire = htp_wire_begin(htp_wire_content(whole));
    htp_wire_field field;
    while (htp_wire_next(&wire, &field)) {
        htp_wire_runs_add(&runs, &field);
        htp_view_name *name = htp_wire_is_bytes(&field, FUNCTION_NAME)       ? &function.name
                              : htp_wire_is_bytes(&field, FUNCTION_DOMAIN)   ? &function.domain
                              : htp_wire_is_bytes(&field, FUNCTION_OVERLOAD) ? &function.overload
                                                                             : NULL;
        if (name) {
            HTP_TRY(htp_view_intern(view, field.content, name));
        }
    }
    HTP_TRY(htp_view_end(view, &wire, "a function"));
    htp_view_graph *graph = &view->graphs.items[function.graph];
    graph->name = function.name;
    HTP_TRY(htp_view_read_operands(view, &runs, FUNCTION_INPUT, &graph->inputs));
    HTP_TRY(htp_view_read_operands(view, &runs, FUNCTION_OUTPUT, &graph->outputs));
    HTP_TRY(htp_view_read_properties(view, &runs, FUNCTION_PROPERTY, &function.properties));
    HTP_PUSH(view->arena, &view->functions, function);
    return htp_view_check_costs(view);
}

static htp_status read_text_field(htp_view *view, const htp_wire_field *field)
{
    htp_view_name *name = field->number == MODEL_PRODUCER_NAME      ? &view->producer_name
                          : field->number == MODEL_PRODUCER_VERSION ? &view->producer_version
                          : field->number == MODEL_DOMAIN           ? &view->domain
                                                                    : NULL;
    return name ? htp_view_intern(view, field->content, name) : HTP_OK;
}

static htp_status read_field(htp_view *view, const htp_wire_field *field)
{
    if (htp_wire_is_varint(field, MODEL_IR_VERSION)) {
        view->ir_version = (int64_t)field->value;
    } else if (htp_wire_is_varint(field, MODEL_VERSION)) {
        view->model_version = (int64_t)field->value;
    } else if (htp_wire_is_bytes(field, MODEL_GRAPH)) {
        if (view->graphs.count > 0) {
            return htp_view_damaged(view, field->whole.at, "there is a second graph");
        }
        (void)add_graph(view, field->whole, HTP_NONE);
    } else if (htp_wire_is_bytes(field, MODEL_IMPORT)) {
        return view->flat ? HTP_OK : read_import(view, field->whole);
    } else if (field->type == HTP_WIRE_BYTES) {
        return read_text_field(view, field);
    }
    return HTP_OK;
}

static htp_status read_functions(htp_view *view)
{
    htp_wire wire = htp_wire_begin(view->bytes);
    htp_wire_field field;
    size_t number = 0;
    while (htp_wire_next(&wire, &field)) {
        if (htp_wire_is_bytes(&field, MODEL_FUNCTION)) {
            bool is_left_out = view->flat && view->flat->is_left_out[number];
            number++;
            HTP_TRY(is_left_out ? HTP_OK : read_function(view, field.whole));
        }
    }
    return HTP_OK;
}

htp_status htp_view_read_model(htp_view *view)
{
    htp_wire_runs runs = {0};
    htp_wire wire = htp_wire_begin(view->bytes);
    htp_wire_field field;
    while (htp_wire_next(&wire, &field)) {
        htp_wire_runs_add(&runs, &field);
        HTP_TRY(read_field(view, &field));
    }
    HTP_TRY(htp_view_end(view, &wire, "the model"));
    if (view->graphs.count == 0) {
        return htp_view_damaged(view, wire.end, "there is no graph");
    }
    for (size_t i = 0; view->flat && i < view->flat->imports.count; i++) {
        HTP_TRY(read_import(view, view->flat->imports.items[i]));
    }
    HTP_TRY(read_functions(view));
    return htp_view_read_properties(view, &runs, MODEL_PROPERTY, &view->properties);
}

bool htp_view_is_onnx(const unsigned char *begin, size_t bytes)
{
    static const unsigned char archive[] = {'P', 'K'};
    if (bytes == 0 || (bytes >= sizeof(archive) && memcmp(begin, archive, sizeof(archive)) == 0)) {
        return false;
    }
    unsigned type = begin[0] & 7;
    unsigned number = begin[0] < 0x80 ? begin[0] >> 3
                      : bytes > 1     ? (begin[0] & 0x7f) >> 3 | (unsigned)begin[1] << 4
                                      : 0;
    bool is_number = number == MODEL_IR_VERSION || number == MODEL_VERSION;
    return number > 0 && number <= MODEL_LAST &&
           type == (is_number ? HTP_WIRE_VARINT : HTP_WIRE_BYTES);
}
