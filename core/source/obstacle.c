/*
 * Two numbers must be equal for an operator to run. Where one of them is the same in all lanes and
 * the other one is not, a size was fixed when the program was made, and no choice of sizes helps.
 */
#include "source/obstacle.h"

#include "source/derive.h"

/* A number in each lane. */
typedef struct numbers {
    int64_t lane[HTP_INPUTS_LANES];
} numbers;

/* What must be equal, and is in the first lane alone. */
struct conflict {
    numbers moving;
    int64_t fixed;
};

static bool is_same(const numbers *n)
{
    return n->lane[0] == n->lane[1] && n->lane[0] == n->lane[2];
}

/* A pair of numbers as the lanes have it: whether it is a conflict. */
static bool read_conflict(const htp_fact *const pairs[HTP_INPUTS_LANES], struct conflict *conflict)
{
    numbers have = {{pairs[0]->have, pairs[1]->have, pairs[2]->have}};
    numbers want = {{pairs[0]->want, pairs[1]->want, pairs[2]->want}};
    bool must_agree = !pairs[0]->is_guess && !pairs[0]->is_least && !pairs[0]->is_rank;
    bool differs = have.lane[0] == want.lane[0] && have.lane[1] != want.lane[1] &&
                   have.lane[2] != want.lane[2];
    *conflict = (struct conflict){is_same(&want) ? have : want, have.lane[0]};
    return must_agree && differs && (is_same(&want) || is_same(&have));
}

static bool find_conflict(const htp_trace *trace, struct conflict *conflict)
{
    htp_fact pairs[HTP_INPUTS_LANES][HTP_PAIR_LIMIT];
    uint32_t count = htp_operands_compare(trace, 0, pairs[0]);
    bool are_alike = true;
    for (uint32_t lane = 1; lane < HTP_INPUTS_LANES; lane++) {
        are_alike = htp_operands_compare(trace, lane, pairs[lane]) == count && are_alike;
    }
    bool found = false;
    for (uint32_t i = 0; are_alike && i < count && !found; i++) {
        const htp_fact *const pair[] = {&pairs[0][i], &pairs[1][i], &pairs[2][i]};
        found = read_conflict(pair, conflict);
    }
    return found;
}

/* The axis that a number is a multiple of in all lanes. No two axes move alike. */
static uint32_t find_axis(const htp_inputs *inputs, const numbers *moving)
{
    uint32_t found = HTP_NONE;
    for (uint32_t i = 0; i < inputs->axis_count && found == HTP_NONE; i++) {
        const int64_t *sizes = inputs->axes[i].sizes;
        bool follows = true;
        for (uint32_t lane = 1; lane < HTP_INPUTS_LANES; lane++) {
            int64_t a = 0;
            int64_t b = 1;
            follows = follows && !__builtin_mul_overflow(sizes[lane], moving->lane[0], &a) &&
                      !__builtin_mul_overflow(sizes[0], moving->lane[lane], &b) && a == b;
        }
        found = follows ? i : HTP_NONE;
    }
    return found;
}

/* ---- where the size was fixed ---- */

static uint32_t count_moving_dims(const htp_trace_value *value)
{
    uint32_t count = 0;
    for (uint32_t d = 0; d < value->rank; d++) {
        count += !is_same(&(numbers){{value->dims[0][d], value->dims[1][d], value->dims[2][d]}});
    }
    return count;
}

/* Whether a tensor has the size that was fixed, as a dim or as its number of elements. */
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

/* The first tensor in a list of values, and in lists among them, that does not move, and has a size
 * where one is given (or NULL). */
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

/* Back from an operand that does not move: to a weight, or to the operator that gave it a size of
 * its own, which takes what moves, or no tensor at all. */
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

htp_obstacle htp_obstacle_read(htp_arena *arena, const htp_trace *trace, const char *message,
                               const htp_inputs *inputs, const htp_instance *modules)
{
    htp_obstacle obstacle = {.message = htp_arena_strdup(arena, message), .axis = HTP_NONE};
    struct conflict conflict;
    if (!trace || trace->node_count == 0 || inputs->lane_count < HTP_INPUTS_LANES ||
        !trace->nodes[trace->node_count - 1].failure || !find_conflict(trace, &conflict)) {
        return obstacle;
    }
    const htp_trace_node *last = &trace->nodes[trace->node_count - 1];
    htp_text text = {.arena = arena};
    htp_text_add(&text, message);
    add_origin(&text, trace, modules,
               find_tensor(trace, last->inputs, last->input_count, &conflict.fixed));
    obstacle.message = htp_text_string(&text);
    obstacle.is_fixed = true;
    obstacle.axis = find_axis(inputs, &conflict.moving);
    return obstacle;
}
