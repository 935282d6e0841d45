/*
 * Two numbers must be equal for an operator to run. If they depend on different axes, these are
 * related; if one is equal in all lanes, the program fixes a size.
 */
#include "source/tracing/shape_conflict.h"

#include "source/input_search/bounds.h"
#include "source/input_search/pairs.h"

static bool is_same(const int64_t *numbers)
{
    return numbers[0] == numbers[1] && numbers[0] == numbers[2];
}

/* A size of 1 in the example is broadcast, and cannot become the other size. */
static void keep_one(htp_pair *pair)
{
    bool is_one = pair->is_one[0] && pair->have[0] != pair->want[0];
    for (uint32_t lane = 0; is_one && lane < HTP_MAX_LANES; lane++) {
        *(pair->have[0] == 1 ? &pair->want[lane] : &pair->have[lane]) = 1;
    }
}

/* Below this size, smaller lanes may not show anything. */
enum { LEAST_LIMIT = 16 };

/* Whether the fixed number may be a maximum of the other one: no lane is below it. A table of
 * positions that is sliced to the length of a sequence is such a maximum. */
static bool may_be_limit(const htp_pair *pair)
{
    const int64_t *moving = is_same(pair->want) ? pair->have : pair->want;
    const int64_t *limit = is_same(pair->want) ? pair->want : pair->have;
    return is_same(limit) && limit[0] >= LEAST_LIMIT && moving[1] > limit[1] &&
           moving[2] > limit[2];
}

/* ---- the origin of a fixed size ---- */

static uint32_t count_moving_dims(const htp_trace_value *value)
{
    uint32_t count = 0;
    for (uint32_t d = 0; d < value->rank; d++) {
        const int64_t sizes[] = {value->dims[0][d], value->dims[1][d], value->dims[2][d]};
        count += !is_same(sizes);
    }
    return count;
}

/* Whether a tensor has the fixed size, as a dim or as its number of elements. */
static bool has_size(const htp_trace_value *value, int64_t size)
{
    int64_t elements = 1;
    bool found = false;
    for (uint32_t d = 0; d < value->rank; d++) {
        found = found || value->dims[0][d] == size;
        elements = __builtin_mul_overflow(elements, value->dims[0][d], &elements) ? 0 : elements;
    }
    return found || (value->rank > 0 && elements == size);
}

/* The first static tensor in a list of values and nested lists; with @p size, the first of that
 * size. */
static uint32_t find_tensor(const htp_trace *trace, const uint32_t *values, uint32_t count,
                            const int64_t *size)
{
    uint32_t found = HTP_NONE;
    for (uint32_t i = 0; i < count && found == HTP_NONE; i++) {
        const htp_trace_value *value = &trace->values[values[i]];
        if (value->kind == HTP_TRACE_LIST) {
            found = find_tensor(trace, value->elements, value->element_count, size);
        } else if (value->kind == HTP_TRACE_TENSOR && count_moving_dims(value) == 0 &&
                   (!size || has_size(value, *size))) {
            found = values[i];
        }
    }
    return found;
}

static bool has_moving_tensor(const htp_trace *trace, const uint32_t *values, uint32_t count)
{
    bool found = false;
    for (uint32_t i = 0; i < count && !found; i++) {
        const htp_trace_value *value = &trace->values[values[i]];
        if (value->kind == HTP_TRACE_LIST) {
            found = has_moving_tensor(trace, value->elements, value->element_count);
        } else {
            found = value->kind == HTP_TRACE_TENSOR && count_moving_dims(value) > 0;
        }
    }
    return found;
}

/* Walks from a fixed operand back to a weight, or to the operator that introduced its size from
 * dynamic operands or from none. */
static void add_origin(htp_text *text, const htp_trace *trace, const htp_instance *modules,
                       uint32_t id)
{
    const htp_trace_node *node = NULL;
    while (id != HTP_NONE && trace->values[id].weight == HTP_NONE) {
        uint32_t producer = trace->values[id].producer;
        node = producer < trace->node_count ? &trace->nodes[producer] : NULL; /* an argument */
        bool is_origin = !node || has_moving_tensor(trace, node->inputs, node->input_count);
        id = is_origin ? HTP_NONE : find_tensor(trace, node->inputs, node->input_count, NULL);
    }
    if (id != HTP_NONE) {
        htp_text_addf(text, "; fixed by the size of %s",
                      trace->weights[trace->values[id].weight].name);
    } else if (node) {
        const char *path = modules[trace->scopes[node->scope].module].path;
        htp_text_addf(text, "; fixed by %s in %s", node->kind, *path ? path : "the root module");
        if (*node->source_file) {
            htp_text_addf(text, " (%s:%u)", node->source_file, node->source_line);
        }
    }
}

/* Whether an operand is a weight of this size. It is not sliced to the size of the other one. */
static bool is_of_weight(const htp_trace *trace, int64_t size)
{
    const htp_trace_node *node = &trace->nodes[trace->node_count - 1];
    bool found = false;
    for (uint32_t i = 0; i < node->input_count && !found; i++) {
        const htp_trace_value *value = &trace->values[node->inputs[i]];
        found =
            value->kind == HTP_TRACE_TENSOR && value->weight != HTP_NONE && has_size(value, size);
    }
    return found;
}

/* Whether the numbers are equal in the example, and refused in distant lanes. */
static bool is_conflict(const htp_trace *trace, const htp_pair *pair)
{
    bool is_exact = !pair->is_limit && is_of_weight(trace, pair->have[0]);
    bool is_open = may_be_limit(pair) && !is_exact;
    return !is_open && pair->have[0] == pair->want[0] && pair->have[1] != pair->want[1] &&
           !pair->is_one[1] && pair->have[2] != pair->want[2];
}

/* The text about the origin of a fixed number. */
static const char *tell(htp_arena *arena, const htp_trace *trace, const char *message,
                        const htp_pair *pair, const htp_instance *modules)
{
    const htp_trace_node *last = &trace->nodes[trace->node_count - 1];
    htp_text text = {.arena = arena};
    htp_text_add(&text, message);
    if (is_same(pair->have) || is_same(pair->want)) {
        size_t length = text.length;
        add_origin(&text, trace, modules,
                   find_tensor(trace, last->inputs, last->input_count, &pair->have[0]));
        if (text.length == length) { /* the text so far may be about other sizes */
            htp_text_addf(&text, "; needed is a size of %lld", (long long)pair->have[0]);
        }
    }
    return htp_text_string(&text);
}

static void add_condition(htp_arena *arena, htp_shape_conflict *conflict, const htp_trace *trace,
                          const char *message, const htp_inputs *inputs, const htp_pair *pair,
                          const htp_instance *modules)
{
    htp_condition condition;
    bool is_read = htp_equation_read(inputs, pair->have, pair->want, &condition.equation);
    bool is_fixed = is_same(pair->have) || is_same(pair->want);
    if (!is_read && !is_fixed) {
        return;
    }
    condition.message = tell(arena, trace, message, pair, modules);
    if (conflict->condition_count == 0 && !conflict->is_fixed) {
        conflict->message = condition.message;
    }
    conflict->is_fixed = conflict->is_fixed || is_fixed;
    if (is_read && conflict->condition_count < HTP_MAX_CONDITIONS) {
        conflict->conditions[conflict->condition_count++] = condition;
    }
}

htp_shape_conflict htp_shape_conflict_read(htp_arena *arena, const htp_trace *trace,
                                           const char *message, const htp_inputs *inputs,
                                           const htp_instance *modules)
{
    htp_shape_conflict conflict = {.message = htp_arena_strdup(arena, message)};
    htp_pair pairs[HTP_PAIR_LIMIT];
    uint32_t count = htp_pairs_read(trace, inputs->lane_count, pairs);
    for (uint32_t i = 0; i < count; i++) {
        if (pairs[i].kind != HTP_PAIR_EQUAL) {
            continue;
        }
        keep_one(&pairs[i]);
        if (is_conflict(trace, &pairs[i])) {
            add_condition(arena, &conflict, trace, message, inputs, &pairs[i], modules);
        }
    }
    return conflict;
}

void htp_shape_conflict_bound(htp_arena *arena, htp_shape_conflict *conflict,
                              const htp_inputs *inputs)
{
    for (uint32_t i = 0; i < inputs->axis_count; i++) {
        const htp_bound *bound = &inputs->bounds[i];
        if (inputs->axes[i].formula || !bound->message || htp_inputs_may_move(arena, inputs, i) ||
            conflict->condition_count == HTP_MAX_CONDITIONS) {
            continue;
        }
        htp_condition *condition = &conflict->conditions[conflict->condition_count++];
        condition->message = bound->message;
        condition->equation = (htp_equation){.count = 1, .number = -inputs->axes[i].sizes[0]};
        condition->equation.terms[0].axis = i;
        condition->equation.terms[0].factor = 1;
        if (conflict->condition_count == 1 && !conflict->is_fixed) {
            conflict->message = bound->message;
        }
    }
}
