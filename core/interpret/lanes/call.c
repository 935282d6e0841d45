/*
 * Facts about a call from its operator.
 */
#include "interpret/lanes/call_facts.h"

#include <string.h>

htp_call htp_call_make(const htp_machine *m, uint32_t schema, const htp_program_node *node,
                       const htp_items *inputs, const htp_place *place)
{
    htp_call call = {.schema_number = schema,
                     .schema = m->program->schemas[schema],
                     .node = node,
                     .inputs = *inputs,
                     .place = place};
    const char *colons = strstr(call.schema.name, "::");
    call.base_name = colons ? colons + 2 : call.schema.name;
    call.facts = htp_operator_facts(call.schema.name);
    return call;
}

bool htp_call_has_fact(const htp_call *call, unsigned facts)
{
    return (call->facts & facts) != 0;
}

htp_call htp_call_with(const htp_call *call, const htp_items *inputs)
{
    htp_call other = *call;
    other.inputs = *inputs;
    other.absent = 0;
    memset(other.storages, 0, sizeof(other.storages));
    memset(other.storages_elsewhere, 0, sizeof(other.storages_elsewhere));
    return other;
}

size_t htp_call_output_count(const htp_machine *m, const htp_call *call)
{
    (void)m;
    return call->node ? call->node->output_count : call->schema.return_count;
}

uint32_t htp_call_output_type(const htp_machine *m, const htp_call *call, size_t index)
{
    if (index >= htp_call_output_count(m, call)) {
        return HTP_NONE;
    }
    if (!call->node) {
        return call->schema.returns[index].type;
    }
    const htp_program_function *function = &m->program->functions[call->place->function];
    return function->values[call->node->outputs[index]].type;
}

bool htp_call_is_nondeterministic(const htp_call *call)
{
    return call->node && call->node->is_nondeterministic;
}
