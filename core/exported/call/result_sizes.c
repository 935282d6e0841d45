#include "exported/call/result_sizes.h"

#include <string.h>

/* An argument of this name lists the sizes of the result, as in aten::view and aten::full. */
static bool lists_sizes(const char *name)
{
    return strcmp(name, "size") == 0 || strcmp(name, "shape") == 0;
}

/* Whether a size is as told; -1 stands for what the operator finds itself. */
static bool is_as_told(const htp_tape *r, const htp_trace_value *told,
                       const htp_trace_value *result, uint32_t dim)
{
    bool is_known = told->kind == HTP_TRACE_INT && told->has_lanes;
    bool is_as_told = true;
    for (uint32_t lane = 0; is_known && lane < r->symbols->lane_count; lane++) {
        is_as_told = is_as_told && (told->i[lane] < 0 || told->i[lane] == result->dims[lane][dim]);
    }
    return is_as_told;
}

static bool are_as_told(const htp_tape *r, const htp_trace_value *list,
                        const htp_exported_value *declared, const htp_trace_value *result)
{
    bool are = list->element_count == declared->rank;
    for (uint32_t i = 0; i < declared->rank && are; i++) {
        are = htp_tape_is_of_data(r, &declared->sizes[i]) ||
              is_as_told(r, &r->values.items[list->elements[i]], result, i);
    }
    return are;
}

void htp_exported_check_sizes(htp_tape *r, const htp_exported_schema *schema,
                              const htp_exported_node *from, uint32_t node)
{
    const htp_trace_node *made = &r->nodes.items[node];
    bool has_result = !r->failure && made->output_count == 1 && from->output_count == 1 &&
                      from->outputs[0].kind == HTP_EXPORTED_VALUE;
    if (!has_result || r->values.items[made->outputs[0]].kind != HTP_TRACE_TENSOR) {
        return;
    }
    const htp_exported_value *declared = &r->program->values.items[from->outputs[0].value];
    for (uint32_t i = 0; i < schema->count; i++) {
        const htp_trace_value *list = &r->values.items[made->inputs[i]];
        if (list->kind == HTP_TRACE_LIST && lists_sizes(schema->parameters[i].name) &&
            !are_as_told(r, list, declared, &r->values.items[made->outputs[0]])) {
            htp_tape_fail(r, htp_status_make(HTP_CODE_BAD_INPUT,
                                             "damaged program: %s has other sizes than %s of %s; "
                                             "export it again",
                                             declared->name, schema->parameters[i].name,
                                             from->target));
        }
    }
}
