#include "exported/call/result_sizes.h"

#include <string.h>

/* Operators whose result has the sizes that an argument lists. Others list sizes of something else:
 * aten::as_strided_scatter those of a part, aten::affine_grid_generator those of a picture. */
static const struct told_row {
    const char *kind;
    const char *list;
} told_rows[] = {
    {"aten::_reshape_alias", "size"}, {"aten::_unsafe_view", "size"},
    {"aten::as_strided", "size"},     {"aten::as_strided_copy", "size"},
    {"aten::broadcast_to", "size"},   {"aten::empty.memory_format", "size"},
    {"aten::empty_strided", "size"},  {"aten::expand", "size"},
    {"aten::expand_copy", "size"},    {"aten::full", "size"},
    {"aten::new_empty", "size"},      {"aten::new_empty_strided", "size"},
    {"aten::new_full", "size"},       {"aten::new_ones", "size"},
    {"aten::new_zeros", "size"},      {"aten::ones", "size"},
    {"aten::reshape", "shape"},       {"aten::sum_to_size", "size"},
    {"aten::view", "size"},           {"aten::view_copy", "size"},
    {"aten::zeros", "size"},
};

/* The argument that lists the sizes of the result; NULL: none does. */
static const char *find_list(const char *kind)
{
    for (size_t i = 0; i < sizeof(told_rows) / sizeof(told_rows[0]); i++) {
        if (strcmp(told_rows[i].kind, kind) == 0) {
            return told_rows[i].list;
        }
    }
    return NULL;
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
    const char *name = find_list(schema->kind);
    bool has_result = name && !r->failure && made->output_count == 1 && from->output_count == 1 &&
                      from->outputs[0].kind == HTP_EXPORTED_VALUE;
    if (!has_result || r->values.items[made->outputs[0]].kind != HTP_TRACE_TENSOR) {
        return;
    }
    const htp_exported_value *declared = &r->program->values.items[from->outputs[0].value];
    for (uint32_t i = 0; i < schema->count; i++) {
        const htp_trace_value *list = &r->values.items[made->inputs[i]];
        if (list->kind == HTP_TRACE_LIST && strcmp(schema->parameters[i].name, name) == 0 &&
            !are_as_told(r, list, declared, &r->values.items[made->outputs[0]])) {
            htp_tape_fail(r, htp_status_make(HTP_CODE_BAD_INPUT,
                                             "damaged program: %s has other sizes than %s of %s; "
                                             "export it again",
                                             declared->name, name, from->target));
        }
    }
}
