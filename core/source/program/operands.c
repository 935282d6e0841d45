#include "source/program/operands.h"

#include <string.h>

uint32_t htp_operands_find(const htp_operands *o, const char *name)
{
    if (o->node->schema == HTP_NONE) {
        return HTP_NONE;
    }
    const htp_program_schema *schema = &o->program->schemas[o->node->schema];
    for (uint32_t i = 0; i < schema->argument_count && i < o->node->input_count; i++) {
        if (strcmp(schema->arguments[i].name, name) == 0) {
            return o->node->inputs[i];
        }
    }
    return HTP_NONE;
}

static const htp_program_node *producer_of(const htp_operands *o, uint32_t value)
{
    uint32_t producer = o->function->values[value].producer;
    return producer == HTP_NONE ? NULL : &o->function->nodes[producer];
}

const htp_program_data *htp_operands_constant(const htp_operands *o, uint32_t value)
{
    const htp_program_node *made = producer_of(o, value);
    return made && made->data != HTP_NONE ? &o->program->data[made->data] : NULL;
}

int64_t htp_operands_number(const htp_operands *o, uint32_t value, int64_t otherwise)
{
    const htp_program_data *known = value == HTP_NONE ? NULL : htp_operands_constant(o, value);
    bool is_number = known && (known->kind == HTP_DATA_INT || known->kind == HTP_DATA_BOOL);
    return is_number ? known->number : otherwise;
}

const htp_program_node *htp_operands_list(const htp_operands *o, uint32_t value)
{
    const htp_program_node *made = producer_of(o, value);
    return made && strcmp(made->kind, "prim::ListConstruct") == 0 ? made : NULL;
}

const uint32_t *htp_operands_elements(const htp_operands *o, const uint32_t *value, uint32_t *count)
{
    const htp_program_node *list = htp_operands_list(o, *value);
    *count = list ? list->input_count : 1;
    return list ? list->inputs : value;
}
