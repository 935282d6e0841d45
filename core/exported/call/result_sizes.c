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

/* How an argument lists the sizes of the first result. */
typedef enum told_dims { TOLD_NONE, TOLD_ALL, TOLD_LAST } told_dims;

static told_dims find_told(const htp_exported_schema *schema, uint32_t index)
{
    const char *name = schema->parameters[index].name;
    if (strcmp(name, "output_size") == 0) { /* as of pooling and interpolation */
        return TOLD_LAST;
    }
    for (size_t i = 0; i < sizeof(told_rows) / sizeof(told_rows[0]); i++) {
        if (strcmp(told_rows[i].kind, schema->kind) == 0 && strcmp(told_rows[i].list, name) == 0) {
            return TOLD_ALL;
        }
    }
    return TOLD_NONE;
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

static bool are_as_told(const htp_tape *r, const htp_trace_value *list, told_dims told,
                        const htp_exported_value *declared, const htp_trace_value *result)
{
    const uint32_t count = list->element_count;
    bool are = told == TOLD_ALL ? count == declared->rank : count <= declared->rank;
    for (uint32_t i = 0; i < count && are; i++) {
        const uint32_t dim = declared->rank - count + i;
        are = htp_tape_is_of_data(r, &declared->sizes[dim]) ||
              is_as_told(r, &r->values.items[list->elements[i]], result, dim);
    }
    return are;
}

/* ---- sizes that the operator finds ---- */

/* Operators that give the elements of their first argument, of which -1 takes the rest. */
static bool keeps_elements(const htp_exported_schema *schema)
{
    static const char *const kinds[] = {"aten::_unsafe_view", "aten::reshape", "aten::view",
                                        "aten::view_copy"};
    bool keeps = false;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !keeps; i++) {
        keeps = strcmp(schema->kind, kinds[i]) == 0;
    }
    return keeps;
}

/* The product of all dims but one in the first lane; 0: unknown. */
static int64_t count_elements(const htp_trace_value *tensor, uint32_t but)
{
    int64_t product = 1;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (i != but && __builtin_mul_overflow(product, tensor->dims[0][i], &product)) {
            return 0;
        }
    }
    return product;
}

/* Whether -1 in a list stands for as many elements as are left. Made-up sizes need not divide. */
static bool is_rest(const htp_tape *r, const htp_trace_value *self, const htp_trace_value *list,
                    const htp_exported_value *declared, const htp_trace_value *result)
{
    uint32_t rest = HTP_NONE;
    for (uint32_t i = 0; i < declared->rank; i++) {
        const htp_trace_value *told = &r->values.items[list->elements[i]];
        rest = told->kind == HTP_TRACE_INT && told->is_constant && told->i[0] == -1 ? i : rest;
        if (htp_tape_is_of_data(r, &declared->sizes[i])) {
            return true;
        }
    }
    if (rest == HTP_NONE || self->kind != HTP_TRACE_TENSOR) {
        return true;
    }
    const int64_t all = count_elements(self, HTP_NONE);
    const int64_t others = count_elements(result, rest);
    return others <= 0 || all % others != 0 || result->dims[0][rest] == all / others;
}

/* ---- flattening ---- */

/* An argument that is a dim, from the front; -1: none, or out of range. */
static int64_t find_dim(const htp_tape *r, const htp_trace_node *made, uint32_t index)
{
    const htp_trace_value *self = &r->values.items[made->inputs[0]];
    const htp_trace_value *dim = &r->values.items[made->inputs[index]];
    if (self->kind != HTP_TRACE_TENSOR || dim->kind != HTP_TRACE_INT || !dim->is_constant) {
        return -1;
    }
    int64_t at = dim->i[0] < 0 ? dim->i[0] + self->rank : dim->i[0];
    return at < self->rank ? at : -1;
}

/* Whether a lane has the sizes of a tensor with its dims from @p start to @p end as one. */
static bool is_flat_in(const htp_trace_value *self, const htp_trace_value *result, uint32_t lane,
                       uint32_t start, uint32_t end)
{
    const int64_t *from = self->dims[lane];
    const int64_t *to = result->dims[lane];
    int64_t product = 1;
    bool is_told = true;
    for (uint32_t i = start; i <= end; i++) {
        is_told = is_told && !__builtin_mul_overflow(product, from[i], &product);
    }
    bool is = !is_told || to[start] == product;
    for (uint32_t i = 0; i < self->rank; i++) {
        is = is && ((i >= start && i <= end) || to[i < start ? i : i - (end - start)] == from[i]);
    }
    return is;
}

/* Whether aten::flatten(self, start_dim, end_dim) gives a result of the declared sizes. */
static bool is_flat(const htp_tape *r, const htp_trace_node *made,
                    const htp_exported_value *declared)
{
    const htp_trace_value *self = &r->values.items[made->inputs[0]];
    const int64_t start = find_dim(r, made, 1);
    const int64_t end = find_dim(r, made, 2);
    bool is_told = start >= 0 && end >= start; /* not a tensor without dims */
    for (uint32_t i = 0; i < declared->rank && is_told; i++) {
        is_told = !htp_tape_is_of_data(r, &declared->sizes[i]);
    }
    bool is = !is_told || declared->rank == self->rank - (uint32_t)(end - start);
    for (uint32_t lane = 0; is_told && is && lane < r->symbols->lane_count; lane++) {
        is = is_flat_in(self, &r->values.items[made->outputs[0]], lane, (uint32_t)start,
                        (uint32_t)end);
    }
    return is;
}

/* ---- all ---- */

static void fail(htp_tape *r, const htp_exported_value *declared, const char *told,
                 const htp_exported_node *from)
{
    htp_tape_fail(r, htp_status_make(HTP_CODE_BAD_INPUT,
                                     "damaged program: %s has other sizes than %s of %s; export it "
                                     "again",
                                     declared->name, told, from->target));
}

void htp_exported_check_sizes(htp_tape *r, const htp_exported_schema *schema,
                              const htp_exported_node *from, uint32_t node)
{
    const htp_trace_node *made = &r->nodes.items[node];
    bool has_result = !r->failure && made->output_count > 0 && from->output_count > 0 &&
                      from->outputs[0].kind == HTP_EXPORTED_VALUE;
    if (!has_result || r->values.items[made->outputs[0]].kind != HTP_TRACE_TENSOR) {
        return;
    }
    const htp_exported_value *declared = &r->program->values.items[from->outputs[0].value];
    if (strcmp(schema->kind, "aten::flatten.using_ints") == 0 && !is_flat(r, made, declared)) {
        fail(r, declared, "start_dim and end_dim", from);
    }
    for (uint32_t i = 0; i < schema->count; i++) {
        const htp_trace_value *list = &r->values.items[made->inputs[i]];
        const told_dims told = list->kind == HTP_TRACE_LIST ? find_told(schema, i) : TOLD_NONE;
        const htp_trace_value *result = &r->values.items[made->outputs[0]];
        if (told == TOLD_NONE) {
            continue;
        }
        bool are = are_as_told(r, list, told, declared, result);
        if (are && keeps_elements(schema)) {
            are = is_rest(r, &r->values.items[made->inputs[0]], list, declared, result);
        }
        if (!are) {
            fail(r, declared, schema->parameters[i].name, from);
        }
    }
}

void htp_exported_check_size(htp_tape *r, const htp_exported_node *node)
{
    bool is_size = node->input_count == 2 && node->inputs[0].kind == HTP_EXPORTED_VALUE &&
                   node->inputs[1].kind == HTP_EXPORTED_INT && node->output_count == 1 &&
                   node->outputs[0].kind == HTP_EXPORTED_VALUE;
    if (!is_size) {
        return;
    }
    const htp_exported_value *of = &r->program->values.items[node->inputs[0].value];
    const htp_exported_value *size = &r->program->values.items[node->outputs[0].value];
    int64_t dim = node->inputs[1].i + (node->inputs[1].i < 0 ? of->rank : 0);
    bool is = of->kind != HTP_TRACE_TENSOR || (dim >= 0 && dim < of->rank);
    bool is_told = is && of->kind == HTP_TRACE_TENSOR && size->kind == HTP_TRACE_INT &&
                   !htp_tape_is_of_data(r, &size->number) &&
                   !htp_tape_is_of_data(r, &of->sizes[dim]);
    for (uint32_t lane = 0; is_told && is && lane < r->symbols->lane_count; lane++) {
        htp_exported_number a = htp_exported_symbols_value(r->symbols, &of->sizes[dim], lane);
        htp_exported_number b = htp_exported_symbols_value(r->symbols, &size->number, lane);
        is = a.kind != b.kind || a.kind == HTP_EXPORTED_UNKNOWN || a.whole == b.whole;
    }
    if (!is) {
        htp_tape_fail(r, htp_status_make(HTP_CODE_BAD_INPUT,
                                         "damaged program: %s is not the size of dim %lld of %s; "
                                         "export it again",
                                         size->name, (long long)node->inputs[1].i, of->name));
    }
}
