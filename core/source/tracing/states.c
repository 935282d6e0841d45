#include "source/tracing/states.h"

#include "base/bits.h"

#include <string.h>

/* Counters and growing caches settle in three calls; each dependence on another state takes one
 * more. */
enum { MAX_CALLS = 8 };

typedef HTP_VECTOR(uint32_t) id_list;

/* The planned value of a state in the next call. */
typedef struct plan {
    const char *name;
    HTP_VECTOR(htp_trace_carry) parts;
} plan;

typedef struct settling {
    const htp_tracer *tracer;
    uint32_t lane_count;
    const htp_trace *trace; /* the last one */
    HTP_VECTOR(plan) plans;
    htp_map by_name;
    uint32_t open_sizes;   /* so far: see htp_trace_carry */
    htp_map growths;       /* of the last call: from the change of a size to the number of the open
                              size */
    htp_map numbers;       /* numbers that some growth uses */
    bool keeps_all;        /* the method returns nothing, so its state is its result */
    const char *unsettled; /* a state that the last call changed */
} settling;

static const htp_trace_value *value_of(const htp_trace *trace, uint32_t id)
{
    return &trace->values[id];
}

/* The tensors, numbers, strings and Nones of a value, in depth-first order. */
static void list_leaves(htp_arena *arena, const htp_trace *trace, uint32_t id, id_list *leaves)
{
    const htp_trace_value *value = value_of(trace, id);
    if (value->kind != HTP_TRACE_LIST) {
        HTP_PUSH(arena, leaves, id);
        return;
    }
    for (uint32_t i = 0; i < value->element_count; i++) {
        list_leaves(arena, trace, value->elements[i], leaves);
    }
}

static bool is_number(const htp_trace_value *value)
{
    return value->kind == HTP_TRACE_INT || value->kind == HTP_TRACE_FLOAT ||
           value->kind == HTP_TRACE_BOOL;
}

/* Whether a number is the size of an input in every lane. */
static bool is_size(const settling *s, const htp_trace_value *number)
{
    id_list leaves = {0};
    for (uint32_t i = 0; i < s->trace->input_count; i++) {
        list_leaves(s->tracer->arena, s->trace, s->trace->inputs[i], &leaves);
    }
    for (size_t i = 0; i < leaves.count; i++) {
        const htp_trace_value *input = value_of(s->trace, leaves.items[i]);
        for (uint32_t dim = 0; input->kind == HTP_TRACE_TENSOR && dim < input->rank; dim++) {
            bool is_equal = true;
            for (uint32_t lane = 0; lane < s->lane_count; lane++) {
                is_equal = is_equal && input->dims[lane][dim] == number->i[lane];
            }
            if (is_equal) {
                return true;
            }
        }
    }
    return false;
}

/* The plan for a part that a call left for the first time, or with another kind than before. */
static htp_trace_carry begin_part(const settling *s, const htp_trace_value *left)
{
    bool is_known =
        is_number(left) && !s->tracer->flags_are_inputs && !s->keeps_all &&
        (left->is_constant || (left->kind == HTP_TRACE_INT && left->has_lanes && is_size(s, left)));
    bool is_input = left->kind == HTP_TRACE_TENSOR || (is_number(left) && !is_known);
    return (htp_trace_carry){.is_input = is_input};
}

static void begin_plan(settling *s, plan *plan, const id_list *left)
{
    plan->parts.count = 0;
    for (size_t i = 0; i < left->count; i++) {
        htp_trace_carry part = begin_part(s, value_of(s->trace, left->items[i]));
        HTP_PUSH(s->tracer->arena, &plan->parts, part);
    }
}

static bool is_same_number(const settling *s, const htp_trace_value *a, const htp_trace_value *b)
{
    bool is_same = a->is_constant == b->is_constant && a->has_lanes && b->has_lanes;
    for (uint32_t lane = 0; is_same && lane < s->lane_count; lane++) {
        is_same = a->kind == HTP_TRACE_FLOAT ? htp_bits_are_equal(a->f[lane], b->f[lane])
                                             : a->i[lane] == b->i[lane];
    }
    return is_same;
}

/* The change of a dim's size in a call. Dims with equal changes have one size. */
typedef struct growth {
    uint32_t number; /* of the open size; 0: static */
    uint32_t unused;
    int64_t before[HTP_MAX_LANES];
    int64_t after[HTP_MAX_LANES];
} growth;

/* The number of an open size in the next calls. */
static uint32_t number_growth(settling *s, const growth *change)
{
    htp_arena *arena = s->tracer->arena;
    uint32_t number;
    if (htp_map_get_bytes(&s->growths, change, sizeof(*change), &number)) {
        return number;
    }
    bool is_new = change->number == 0 ||
                  htp_map_get_bytes(&s->numbers, &change->number, sizeof(change->number), NULL);
    number = is_new ? ++s->open_sizes : change->number;
    const void *key = htp_arena_copy(arena, change, sizeof(*change));
    htp_map_set_bytes(arena, &s->growths, key, sizeof(*change), number);
    htp_map_set_bytes(arena, &s->numbers, &number, sizeof(number), 1);
    return number;
}

/* Opens the dims whose size a call changed. @return true if there are none */
static bool settle_dims(settling *s, htp_trace_carry *part, const htp_trace_value *before,
                        const htp_trace_value *after)
{
    bool is_settled = true;
    for (uint32_t dim = 0; dim < after->rank; dim++) {
        growth change = {.number = part->open_dims[dim]};
        bool is_kept = true;
        for (uint32_t lane = 0; lane < s->lane_count; lane++) {
            change.before[lane] = before->dims[lane][dim];
            change.after[lane] = after->dims[lane][dim];
            is_kept = is_kept && change.before[lane] == change.after[lane];
        }
        if (part->open_dims[dim] || !is_kept) {
            uint32_t number = number_growth(s, &change);
            is_settled = is_settled && number == part->open_dims[dim];
            part->open_dims[dim] = number;
        }
    }
    return is_settled;
}

/* Whether a call left a part as it found it; if not, opens dims, and turns a number into an
 * input. */
static bool settle_part(settling *s, htp_trace_carry *part, const htp_trace_value *before,
                        const htp_trace_value *after)
{
    bool was_input = part->is_input;
    if (after->kind == HTP_TRACE_TENSOR) {
        return settle_dims(s, part, before, after);
    }
    if (is_number(after) && !part->is_input) {
        part->is_input = !is_same_number(s, before, after);
    }
    return was_input == part->is_input;
}

bool htp_states_are_together(const htp_trace_value *a, const htp_trace_value *b)
{
    return a->device && b->device ? strcmp(a->device, b->device) == 0 : a->device == b->device;
}

static bool is_same_kind(const htp_trace_value *a, const htp_trace_value *b)
{
    bool is_same = a->kind == b->kind && htp_states_are_together(a, b);
    if (is_same && a->kind == HTP_TRACE_TENSOR) {
        return a->dtype == b->dtype && a->rank == b->rank;
    }
    if (is_same && a->kind == HTP_TRACE_STRING) {
        return a->s_bytes == b->s_bytes && memcmp(a->s, b->s, a->s_bytes) == 0;
    }
    return is_same;
}

/* Updates the plan of a state. @return whether the call left it as it found it, and as planned */
static bool settle_state(settling *s, const htp_trace_state *state)
{
    htp_arena *arena = s->tracer->arena;
    id_list before = {0};
    id_list after = {0};
    list_leaves(arena, s->trace, state->before, &before);
    list_leaves(arena, s->trace, state->after, &after);
    uint32_t index;
    if (!htp_map_get(&s->by_name, state->name, &index) || !s->plans.items) {
        index = (uint32_t)s->plans.count;
        const char *name = htp_arena_strdup(arena, state->name); /* the next trace frees the
                                                                    original */
        htp_map_set(arena, &s->by_name, name, index);
        HTP_PUSH(arena, &s->plans, (plan){.name = name});
        begin_plan(s, &s->plans.items[index], &after);
        return false;
    }
    plan *planned = &s->plans.items[index];
    bool is_same = before.count == after.count;
    for (size_t i = 0; is_same && i < after.count; i++) {
        is_same =
            is_same_kind(value_of(s->trace, before.items[i]), value_of(s->trace, after.items[i]));
    }
    if (!is_same) {
        begin_plan(s, planned, &after);
        return false;
    }
    bool is_settled = true;
    for (size_t i = 0; planned->parts.items && i < after.count; i++) {
        bool is_left = settle_part(s, &planned->parts.items[i], value_of(s->trace, before.items[i]),
                                   value_of(s->trace, after.items[i]));
        is_settled = is_settled && is_left;
    }
    return is_settled;
}

static bool settle_all(settling *s)
{
    bool is_settled = true;
    s->growths = (htp_map){0};
    s->numbers = (htp_map){0};
    for (uint32_t i = 0; i < s->trace->state_count; i++) {
        if (!settle_state(s, &s->trace->states[i])) {
            s->unsettled = htp_arena_strdup(s->tracer->arena, s->trace->states[i].name);
            is_settled = false;
        }
    }
    return is_settled;
}

static htp_status run(settling *s, htp_trace_result *last)
{
    const htp_tracer *t = s->tracer;
    htp_trace_carried *carried = HTP_NEW_ARRAY(t->arena, htp_trace_carried, s->plans.count + 1);
    for (size_t i = 0; i < s->plans.count; i++) {
        const plan *planned = &s->plans.items[i];
        carried[i] = (htp_trace_carried){planned->name, planned->parts.items,
                                         (uint32_t)planned->parts.count};
    }
    const htp_trace_request request = {.inputs = t->inputs,
                                       .input_count = t->input_count,
                                       .lane_count = s->lane_count,
                                       .carried = carried,
                                       .carried_count = (uint32_t)s->plans.count,
                                       .has_last_lanes = t->has_last_lanes,
                                       .tick = t->tick,
                                       .user = t->user};
    htp_status status = htp_source_trace(t->source, &request, last);
    s->trace = last->trace;
    return status;
}

/* ---- inputs of the settled call ---- */

static void mark(const htp_trace *trace, uint32_t id, bool *is_read)
{
    if (id == HTP_NONE || is_read[id]) {
        return;
    }
    is_read[id] = true;
    const htp_trace_value *value = value_of(trace, id);
    for (uint32_t i = 0; i < value->element_count && value->kind == HTP_TRACE_LIST; i++) {
        mark(trace, value->elements[i], is_read);
    }
}

static bool *find_read(htp_arena *arena, const htp_trace *trace)
{
    bool *is_read = HTP_NEW_ARRAY(arena, bool, (size_t)trace->value_count + 1);
    for (uint32_t i = 0; i < trace->node_count; i++) {
        for (uint32_t k = 0; k < trace->nodes[i].input_count; k++) {
            mark(trace, trace->nodes[i].inputs[k], is_read);
        }
    }
    for (uint32_t i = 0; i < trace->block_count; i++) {
        for (uint32_t k = 0; k < trace->blocks[i].output_count; k++) {
            mark(trace, trace->blocks[i].outputs[k], is_read);
        }
    }
    for (uint32_t i = 0; i < trace->output_count; i++) {
        mark(trace, trace->outputs[i], is_read);
    }
    return is_read;
}

/* A state passed on to another state counts as read. */
static void mark_passed_on(htp_arena *arena, const htp_trace *trace, bool *is_read)
{
    for (uint32_t i = 0; i < trace->state_count; i++) {
        id_list before = {0};
        id_list after = {0};
        list_leaves(arena, trace, trace->states[i].before, &before);
        list_leaves(arena, trace, trace->states[i].after, &after);
        for (size_t k = 0; k < after.count; k++) {
            bool is_kept = k < before.count && before.items[k] == after.items[k];
            if (!is_kept) {
                mark(trace, after.items[k], is_read);
            }
        }
    }
}

static void add_parts(settling *s, const htp_trace_state *state, const bool *is_read,
                      htp_states *states)
{
    htp_arena *arena = s->tracer->arena;
    uint32_t index = 0;
    (void)htp_map_get(&s->by_name, state->name, &index);
    const plan *planned = &s->plans.items[index];
    id_list before = {0};
    id_list after = {0};
    id_list loaded = {0};
    list_leaves(arena, s->trace, state->before, &before);
    list_leaves(arena, s->trace, state->after, &after);
    list_leaves(arena, s->trace, state->loaded, &loaded);
    bool is_list = value_of(s->trace, state->before)->kind == HTP_TRACE_LIST;
    for (size_t i = 0; i < planned->parts.count && i < before.count; i++) {
        const htp_trace_carry *part = &planned->parts.items[i];
        states->has_known = states->has_known || !part->is_input;
        if (!part->is_input || (!is_read[before.items[i]] && !s->keeps_all)) {
            continue;
        }
        const char *name =
            is_list ? htp_arena_printf(arena, "%s.%zu", state->name, i) : state->name;
        HTP_PUSH(arena, &states->parts,
                 (htp_state_part){.name = name,
                                  .module = state->module,
                                  .before = before.items[i],
                                  .after = after.items[i],
                                  .loaded = i < loaded.count && loaded.count == before.count
                                                ? loaded.items[i]
                                                : HTP_NONE,
                                  .open_dims = part->open_dims});
    }
}

static void find_parts(settling *s, htp_states *states)
{
    bool *is_read = find_read(s->tracer->arena, s->trace);
    mark_passed_on(s->tracer->arena, s->trace, is_read);
    for (uint32_t i = 0; i < s->trace->state_count; i++) {
        add_parts(s, &s->trace->states[i], is_read, states);
    }
}

/* Whether something left by the last call is unknown, because its operator failed. */
static bool has_unknown(const settling *s)
{
    for (uint32_t i = 0; i < s->trace->state_count; i++) {
        id_list leaves = {0};
        list_leaves(s->tracer->arena, s->trace, s->trace->states[i].after, &leaves);
        for (size_t k = 0; k < leaves.count; k++) {
            if (value_of(s->trace, leaves.items[k])->kind == HTP_TRACE_UNKNOWN) {
                return true;
            }
        }
    }
    return false;
}

static bool returns_nothing(const htp_trace *trace)
{
    for (uint32_t i = 0; i < trace->output_count; i++) {
        const htp_trace_value *output = value_of(trace, trace->outputs[i]);
        if (output->kind == HTP_TRACE_TENSOR || is_number(output)) {
            return false;
        }
    }
    return true;
}

htp_status htp_states_settle(const htp_tracer *tracer, uint32_t lane_count, htp_states *states,
                             htp_trace_result *last)
{
    settling s = {.tracer = tracer, .lane_count = lane_count};
    *states = (htp_states){0};
    htp_status status = run(&s, last);
    states->first = s.trace;
    states->settled = s.trace;
    bool goes_on = !tracer->calls_once && !status;
    s.keeps_all = goes_on && s.trace && returns_nothing(s.trace);
    for (int calls = 1; goes_on && s.trace; calls++) {
        if (has_unknown(&s)) {
            states->is_unknown = true;
            break;
        }
        if (settle_all(&s)) {
            states->settled = s.trace;
            find_parts(&s, states);
            return HTP_OK;
        }
        if (calls == MAX_CALLS) {
            return htp_status_make(HTP_CODE_UNSUPPORTED,
                                   "the attribute \"%s\", which the next call reads, is of another "
                                   "kind or length after each call",
                                   s.unsettled);
        }
        status = run(&s, last);
        goes_on = !status;
    }
    states->settled = s.trace;
    return status;
}
