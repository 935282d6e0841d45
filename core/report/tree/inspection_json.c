#include "report/tree/inspection.h"

#include <inttypes.h>

static void add_key(htp_text *text, const char *separator, const char *key)
{
    htp_text_addf(text, "%s\"%s\": ", separator, key);
}

/* NULL becomes null. */
static void add_string(htp_text *text, const char *separator, const char *key, const char *value)
{
    add_key(text, separator, key);
    if (value) {
        htp_text_add_json(text, value);
    } else {
        htp_text_add(text, "null");
    }
}

static void add_bool(htp_text *text, const char *key, bool value)
{
    add_key(text, ", ", key);
    htp_text_add(text, value ? "true" : "false");
}

static void add_count(htp_text *text, const char *key, uint64_t value)
{
    add_key(text, ", ", key);
    htp_text_addf(text, "%" PRIu64, value);
}

static void add_method(htp_text *text, const htp_inspection *inspection)
{
    add_string(text, ", ", "method", inspection->method);
    add_string(text, ", ", "module", inspection->module);
    add_key(text, ", ", "methods");
    htp_text_add(text, "[");
    for (uint32_t i = 0; i < inspection->method_count; i++) {
        htp_text_add(text, i ? ", " : "");
        htp_text_add_json(text, inspection->methods[i]);
    }
    htp_text_add(text, "], \"arguments\": [");
    for (uint32_t i = 0; i < inspection->argument_count; i++) {
        const htp_argument *argument = &inspection->arguments[i];
        htp_text_add(text, i ? ", {" : "{");
        add_string(text, "", "name", argument->name);
        add_string(text, ", ", "type", argument->type);
        add_bool(text, "optional", argument->is_optional);
        add_string(text, ", ", "default", argument->default_value);
        htp_text_add(text, "}");
    }
    htp_text_add(text, "]");
    add_string(text, ", ", "returns", inspection->returns);
}

static void add_inputs(htp_text *text, const htp_inspection *inspection)
{
    add_string(text, ", ", "inputs_origin", inspection->inputs_origin);
    add_key(text, ", ", "inputs");
    htp_text_add(text, "[");
    for (size_t i = 0; i < inspection->inputs.count; i++) {
        const htp_inspected_input *input = &inspection->inputs.items[i];
        htp_text_add(text, i ? ", {" : "{");
        add_string(text, "", "name", input->name);
        add_string(text, ", ", "input", input->specification);
        add_bool(text, "left_out", input->is_left_out);
        add_bool(text, "complex", input->is_complex);
        add_string(text, ", ", "pass", input->form ? input->form + 1 : NULL);
        htp_text_add(text, "}");
    }
    htp_text_add(text, "]");
}

static void add_modules(htp_text *text, const htp_inspection *inspection)
{
    add_key(text, ", ", "modules");
    htp_text_add(text, "[");
    const uint32_t *depths = htp_inspection_depths(text->arena, inspection);
    for (uint32_t i = 0; i < inspection->hierarchy->module_count; i++) {
        const htp_parameter_count *parameters = &inspection->parameters->modules[i];
        if (htp_inspection_is_below(inspection, depths[i])) {
            continue;
        }
        htp_text_add(text, i ? ", {" : "{");
        add_string(text, "", "tag", inspection->hierarchy->modules[i].tag);
        add_string(text, ", ", "path", inspection->modules[i].path);
        add_string(text, ", ", "class", inspection->modules[i].qualified_class);
        add_count(text, "own_parameters", parameters->own);
        add_count(text, "parameters", parameters->total);
        htp_text_add(text, "}");
    }
    htp_text_add(text, "]");
}

static void add_operators(htp_text *text, const htp_inspection *inspection)
{
    add_key(text, ", ", "operators");
    htp_text_add(text, "[");
    for (uint32_t i = 0; i < inspection->operator_count; i++) {
        const htp_inspected_operator *used = &inspection->operators[i];
        htp_text_add(text, i ? ", {" : "{");
        add_string(text, "", "name", used->kind);
        add_count(text, "places", used->places);
        add_bool(text, "supported", !used->reason);
        add_string(text, ", ", "reason", used->reason);
        htp_text_add(text, "}");
    }
    htp_text_add(text, "]");
    add_count(text, "unsupported", htp_inspection_unsupported_count(inspection));
}

const char *htp_report_inspection_json(htp_arena *arena, const htp_inspection *inspection)
{
    htp_text text = {.arena = arena};
    htp_text_add(&text, "{");
    add_string(&text, "", "model", inspection->model_path);
    add_string(&text, ", ", "status", "ok");
    add_count(&text, "format_version", inspection->format_version);
    add_string(&text, ", ", "written_by", htp_inspection_writer(inspection));
    add_string(&text, ", ", "libtorch", inspection->libtorch_version);
    add_method(&text, inspection);
    add_inputs(&text, inspection);
    add_modules(&text, inspection);
    add_operators(&text, inspection);
    htp_text_add(&text, "}");
    return htp_text_string(&text);
}
