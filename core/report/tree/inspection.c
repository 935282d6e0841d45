#include "report/tree/inspection.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* A longer name exceeds its column. */
enum { WIDEST_NAME = 80, DEEPEST_INDENTATION = 40, INDENTATION = 2 };

uint32_t htp_inspection_unsupported_count(const htp_inspection *inspection)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < inspection->operator_count; i++) {
        count += inspection->operators[i].reason != NULL;
    }
    return count;
}

const uint32_t *htp_inspection_depths(htp_arena *arena, const htp_inspection *inspection)
{
    const htp_hierarchy *hierarchy = inspection->hierarchy;
    uint32_t *depths = HTP_NEW_ARRAY(arena, uint32_t, (size_t)hierarchy->module_count + 1);
    for (uint32_t i = 1; i < hierarchy->module_count; i++) {
        uint32_t parent = inspection->modules[i].parent;
        depths[i] = depths[parent] + (hierarchy->modules[parent].is_eligible ? 1 : 0);
    }
    return depths;
}

bool htp_inspection_is_below(const htp_inspection *inspection, uint32_t depth)
{
    return inspection->depth >= 0 && depth > (uint32_t)inspection->depth;
}

const char *htp_inspection_writer(const htp_inspection *inspection)
{
    return inspection->has_serialization_id ? "PyTorch 2" : NULL;
}

/* Adds a name from the file, always as one line. */
static void add(htp_text *text, const char *string)
{
    htp_text_add(text, htp_text_printable(text->arena, string));
}

/* ---- the archive and the signature ---- */

static void add_archive(htp_text *text, const htp_inspection *inspection)
{
    const char *writer = htp_inspection_writer(inspection);
    htp_text_add(text, "model    ");
    add(text, inspection->model_path);
    htp_text_addf(text, "\narchive  format %" PRIu64 "%s%s, ", inspection->format_version,
                  writer ? ", written by " : "", writer ? writer : "");
    if (inspection->libtorch_version) {
        htp_text_addf(text, "read with libtorch %s\n", inspection->libtorch_version);
    } else {
        htp_text_add(text, "read without libtorch\n");
    }
}

static void add_signature(htp_text *text, const htp_inspection *inspection)
{
    htp_text_add(text, "method   ");
    add(text, inspection->module);
    htp_text_add(text, *inspection->module ? "." : "");
    add(text, inspection->method);
    htp_text_add(text, "(");
    for (uint32_t i = 0; i < inspection->argument_count; i++) {
        const htp_argument *argument = &inspection->arguments[i];
        htp_text_add(text, i ? ", " : "");
        add(text, argument->name);
        htp_text_add(text, ": ");
        add(text, argument->type);
        if (argument->default_value) {
            htp_text_add(text, " = ");
            add(text, argument->default_value);
        }
    }
    htp_text_add(text, ") -> ");
    add(text, inspection->returns);
    htp_text_add(text, "\n");
}

static void add_methods(htp_text *text, const htp_inspection *inspection)
{
    const char *separator = "others   ";
    for (uint32_t i = 0; i < inspection->method_count; i++) {
        const char *method = inspection->methods[i];
        if (strcmp(method, inspection->method) != 0) {
            htp_text_add(text, separator);
            add(text, method);
            separator = ", ";
        }
    }
    htp_text_add(text, *separator == ',' ? "\n" : "");
}

/* ---- inputs ---- */

static void add_input(htp_text *text, const htp_inspected_input *input)
{
    htp_text_add(text, "  ");
    if (input->specification) {
        htp_text_add(text, "--input ");
        add(text, input->specification);
        htp_text_add(text, input->is_complex ? "  (the model takes real and imaginary parts in a "
                                               "last dim of 2)"
                                             : "");
    } else {
        add(text, input->name);
        htp_text_add(text, input->is_left_out ? " stays out"
                           : input->form      ? " cannot be derived; pass"
                                              : " cannot be a model's input");
        add(text, input->form ? input->form : "");
    }
    htp_text_add(text, "\n");
}

static void add_inputs(htp_text *text, const htp_inspection *inspection)
{
    bool is_guess = strcmp(inspection->inputs_origin, "derived") == 0;
    htp_text_addf(text, "\ninputs (%s%s)\n", inspection->inputs_origin,
                  is_guess ? ": a first guess, that an export improves on" : "");
    for (size_t i = 0; i < inspection->inputs.count; i++) {
        add_input(text, &inspection->inputs.items[i]);
    }
}

/* ---- modules and operators ---- */

/* A line: a name and a count. */
struct row {
    const char *name;
    uint32_t indentation;
    const char *count;
    const char *note;
};

static void add_rows(htp_text *text, const struct row *rows, size_t count)
{
    size_t name_width = 0;
    size_t count_width = 0;
    for (size_t i = 0; i < count; i++) {
        size_t name = rows[i].indentation + htp_text_width(rows[i].name);
        size_t number = strlen(rows[i].count);
        name = name < WIDEST_NAME ? name : WIDEST_NAME;
        name_width = name > name_width ? name : name_width;
        count_width = number > count_width ? number : count_width;
    }
    for (size_t i = 0; i < count; i++) {
        size_t used = rows[i].indentation + htp_text_width(rows[i].name);
        int padding = used < name_width ? (int)(name_width - used) : 0;
        htp_text_addf(text, "%*s%s%*s  %*s%s%s\n", (int)rows[i].indentation, "", rows[i].name,
                      padding, "", (int)count_width, rows[i].count, rows[i].note ? "  " : "",
                      rows[i].note ? rows[i].note : "");
    }
}

static void add_modules(htp_text *text, const htp_inspection *inspection)
{
    const htp_hierarchy *hierarchy = inspection->hierarchy;
    htp_arena *arena = text->arena;
    const uint32_t *depths = htp_inspection_depths(arena, inspection);
    struct row *rows = HTP_NEW_ARRAY(arena, struct row, (size_t)hierarchy->module_count + 1);
    size_t count = 0;
    rows[count++] = (struct row){"module", 0, "parameters", NULL};
    for (uint32_t i = 0; i < hierarchy->module_count; i++) {
        if (!hierarchy->modules[i].is_eligible || htp_inspection_is_below(inspection, depths[i])) {
            continue;
        }
        uint32_t depth = depths[i] < DEEPEST_INDENTATION ? depths[i] : DEEPEST_INDENTATION;
        rows[count++] = (struct row){
            .name = strrchr(hierarchy->modules[i].tag, '/'),
            .indentation = depth * INDENTATION,
            .count = htp_text_grouped(arena, inspection->parameters->modules[i].total),
        };
    }
    htp_text_add(text, "\n");
    add_rows(text, rows, count);
}

static void add_operators(htp_text *text, const htp_inspection *inspection)
{
    htp_arena *arena = text->arena;
    struct row *rows = HTP_NEW_ARRAY(arena, struct row, (size_t)inspection->operator_count + 1);
    uint32_t unsupported = htp_inspection_unsupported_count(inspection);
    rows[0] = (struct row){"operator", 0, "places", NULL};
    for (uint32_t i = 0; i < inspection->operator_count; i++) {
        const htp_inspected_operator *used = &inspection->operators[i];
        rows[i + 1] = (struct row){
            .name = htp_text_printable(arena, used->kind),
            .count = htp_text_grouped(arena, used->places),
            .note =
                used->reason ? htp_arena_printf(arena, "NOT SUPPORTED: %s", used->reason) : NULL,
        };
    }
    htp_text_add(text, "\n");
    add_rows(text, rows, (size_t)inspection->operator_count + 1);
    htp_text_addf(text, "%" PRIu32 " operators, %" PRIu32 " not supported%s\n",
                  inspection->operator_count, unsupported,
                  unsupported ? ": an export fails if one runs on values that depend on inputs"
                              : "");
}

const char *htp_report_inspection(htp_arena *arena, const htp_inspection *inspection)
{
    htp_text text = {.arena = arena};
    add_archive(&text, inspection);
    add_signature(&text, inspection);
    add_methods(&text, inspection);
    add_inputs(&text, inspection);
    add_modules(&text, inspection);
    add_operators(&text, inspection);
    return htp_text_string(&text);
}
