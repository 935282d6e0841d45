#include "interpret/interpret.h"

#include "interpret/method.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Loops with fewer iterations are unrolled. */
enum { LONG_LOOP = 256, FIRST_PRIME = 7 };

/* An interpreted call, and the state that it leaves. */
typedef struct call {
    htp_arena arena; /* for the machine; freed once the trace is made */
    htp_arena told;  /* for the trace */
    htp_arena kept;  /* for data that outlives both: carried states */
    uint32_t lane_count;
    htp_recorded_states states;
    const htp_trace *trace; /* NULL: none */
    const htp_trace_stand *calls;
    const htp_trace_stand *nodes;
} call;

struct htp_interpreter {
    htp_interpreted of;
    htp_weight_list weights; /* constants that any call needed */
    call *last;              /* NULL */
    call *first;             /* the first call after loading: NULL, or equal to the last one */
    uint64_t empty;          /* the runner's mark before anything ran */
    uint64_t begun;          /* the mark after the objects that later calls need */
};

/* A call in progress: one machine after another, until one finishes. */
typedef struct following {
    htp_interpreter *interpreter;
    const htp_trace_request *request;
    bool needs_lanes, lacks_memory, has_flats;
    call *previous; /* its states are carried; or NULL */
    call *made;
    htp_machine *machine; /* the current one */
    htp_carried_state *found;
    HTP_VECTOR(htp_object_attribute) early; /* attributes to read before anything runs */
    HTP_VECTOR(htp_holder) early_holders;
    bool prefers_loops; /* even if the trip count is known */
} following;

static void free_call(call *ended)
{
    if (ended) {
        htp_arena_free(&ended->arena);
        htp_arena_free(&ended->told);
        htp_arena_free(&ended->kept);
        free(ended);
    }
}

const htp_interpreted *htp_interpreter_of(const htp_interpreter *interpreter)
{
    return &interpreter->of;
}

htp_interpreter *htp_interpreter_open(const htp_interpreted *of)
{
    htp_interpreter *interpreter = calloc(1, sizeof(*interpreter));
    if (interpreter) {
        interpreter->of = *of;
        htp_weight_list_open(&interpreter->weights, of->instances);
        interpreter->empty = of->runner->mark(of->runner->self);
        interpreter->begun = interpreter->empty;
    }
    return interpreter;
}

static void free_calls(htp_interpreter *interpreter)
{
    if (interpreter->first != interpreter->last) {
        free_call(interpreter->first);
    }
    free_call(interpreter->last);
    interpreter->first = NULL;
    interpreter->last = NULL;
}

void htp_interpreter_close(htp_interpreter *interpreter)
{
    if (interpreter) {
        free_calls(interpreter);
        htp_weight_list_close(&interpreter->weights);
        free(interpreter);
    }
}

void htp_interpreter_stands(const htp_interpreter *interpreter, const htp_trace_stand **calls,
                            uint32_t *call_count, const htp_trace_stand **nodes,
                            uint32_t *node_count)
{
    const call *last = interpreter->last;
    *calls = last ? last->calls : NULL;
    *call_count = last ? last->trace->call_count : 0;
    *nodes = last ? last->nodes : NULL;
    *node_count = last ? last->trace->node_count : 0;
}

/* ---- what is carried ---- */

static int compare_names(const void *left, const void *right)
{
    const htp_carried_state *a = left;
    const htp_carried_state *b = right;
    return strcmp(a->name, b->name);
}

/* Finds the carried states, by name, among those that the last call left. @return whether all are
 * there */
static bool find_carried(following *f)
{
    const call *last = f->interpreter->last;
    htp_arena *arena = &f->made->kept;
    htp_map by_name = {0};
    if (f->request->carried_count == 0) {
        return true;
    }
    if (!last || last->lane_count != f->request->lane_count) {
        return false;
    }
    for (size_t i = 0; i < last->states.count; i++) {
        htp_map_set(arena, &by_name, last->states.items[i].name, (uint32_t)i);
    }
    f->found = HTP_NEW_ARRAY(arena, htp_carried_state, f->request->carried_count);
    for (uint32_t i = 0; i < f->request->carried_count; i++) {
        const htp_trace_carried *carried = &f->request->carried[i];
        uint32_t index = 0;
        if (!htp_map_get(&by_name, carried->name, &index) || index >= last->states.count) {
            return false;
        }
        const htp_recorded_state *state = &last->states.items[index];
        f->found[i] = (htp_carried_state){.name = state->name,
                                          .attribute = state->attribute,
                                          .holder = state->holder,
                                          .left = &state->left,
                                          .parts = carried->parts,
                                          .part_count = carried->part_count};
    }
    qsort(f->found, f->request->carried_count, sizeof(*f->found), compare_names);
    return true;
}

/* Frees the traces that are not needed: carried states are read again. */
static void let_go(following *f)
{
    htp_interpreter *interpreter = f->interpreter;
    if (f->request->carried_count == 0) {
        free_calls(interpreter);
        return;
    }
    f->previous = interpreter->last;
    interpreter->last = NULL;
    if (f->previous != interpreter->first) {
        htp_arena_free(&f->previous->told);
    }
}

/* Whether an image refers to data of the runner. */
static bool needs_runner(const htp_image *image)
{
    bool is_needed = image->lane[0].kind == HTP_OPERAND_OTHER;
    for (size_t i = 0; !is_needed && i < image->part_count; i++) {
        is_needed = needs_runner(&image->parts[i]);
    }
    return is_needed;
}

/* Makes the new call the last one, if it produced a trace. */
static void settle(following *f, bool is_whole)
{
    htp_interpreter *interpreter = f->interpreter;
    const htp_runner *runner = interpreter->of.runner;
    if (f->previous != interpreter->first) {
        free_call(f->previous);
    }
    if (!f->made->trace) {
        free_call(f->made);
        return;
    }
    bool is_first = f->request->carried_count == 0 && is_whole;
    bool stays = is_first;
    for (size_t i = 0; !stays && i < f->made->states.count; i++) {
        stays = needs_runner(&f->made->states.items[i].left);
    }
    htp_arena_free(&f->made->arena);
    interpreter->last = f->made;
    interpreter->first = is_first ? f->made : interpreter->first;
    interpreter->begun = stays ? runner->mark(runner->self) : interpreter->begun;
}

/* ---- one machine ---- */

htp_machine *htp_machine_make(htp_arena *arena, htp_interpreter *interpreter, uint32_t lane_count)
{
    const htp_interpreted *of = &interpreter->of;
    htp_machine *m = HTP_NEW(arena, htp_machine);
    m->arena = arena;
    m->program = of->program;
    m->runner = of->runner;
    m->places = of->places;
    m->instances = of->instances;
    m->modules = of->instances->modules.items;
    m->module_count = (uint32_t)of->instances->modules.count;
    m->weight_list = &interpreter->weights;
    m->method = of->method;
    m->devices = &of->devices;
    m->limits = of->limits;
    m->budget.limits = of->limits;
    m->is_inference = of->is_inference;
    m->function = of->program->method;
    m->lane_count = lane_count;
    m->longest_unrolled = LONG_LOOP;
    m->recording.last_prime = FIRST_PRIME;
    HTP_PUSH(arena, &m->recording.blocks,
             (htp_recorded_block){.inputs = {0}}); /* the method's own block */
    return m;
}

static htp_machine *make_machine(const following *f)
{
    htp_machine *m = htp_machine_make(&f->made->arena, f->interpreter, f->request->lane_count);
    m->tick = f->request->tick;
    m->user = f->request->user;
    m->longest_unrolled = f->prefers_loops ? 0 : LONG_LOOP;
    m->sizes.has_last_lanes = f->request->has_last_lanes;
    return m;
}

static htp_trace_stand stand_of(const htp_place *place)
{
    uint32_t function = place->node == HTP_NONE ? HTP_NONE : place->function;
    return (htp_trace_stand){function, place->node, place->call};
}

static void list_stands(const htp_machine *m, call *made)
{
    htp_trace_stand *calls =
        HTP_NEW_ARRAY(&made->told, htp_trace_stand, m->recording.calls_made.count);
    htp_trace_stand *nodes = HTP_NEW_ARRAY(&made->told, htp_trace_stand, m->recording.nodes.count);
    for (size_t i = 0; i < m->recording.calls_made.count; i++) {
        calls[i] = stand_of(&m->recording.calls_made.items[i]);
    }
    for (size_t i = 0; i < m->recording.nodes.count; i++) {
        nodes[i] = stand_of(&m->recording.nodes.items[i].place);
    }
    made->calls = calls;
    made->nodes = nodes;
}

static htp_outcome leave_trace(const following *f, const htp_items *given, const htp_items *outputs)
{
    htp_machine *m = f->machine;
    htp_arena *told = &f->made->told;
    htp_trace *trace = HTP_NEW(told, htp_trace);
    HTP_DO(htp_trace_make(m, told, given, outputs, &f->made->states, trace));
    list_stands(m, f->made);
    f->made->trace = trace;
    return HTP_GOES_ON;
}

static htp_outcome follow_method(const following *f, const htp_items *arguments,
                                 const htp_items *given)
{
    htp_machine *m = f->machine;
    htp_items outputs = {0};
    HTP_DO(htp_attributes_load_early(m, f->early.items, f->early_holders.items, f->early.count));
    HTP_DO(htp_method_run(m, arguments, f->found, f->request->carried_count, &outputs));
    HTP_DO(
        htp_states_find(m, f->found, f->request->carried_count, &f->made->kept, &f->made->states));
    return leave_trace(f, given, &outputs);
}

/* Makes a trace of the part that ran before the method refused its inputs. */
static htp_outcome leave_refusal(const following *f, const htp_items *given, htp_outcome refusal)
{
    const htp_items none = {0};
    const char *message = f->machine->message;
    f->made->states = (htp_recorded_states){0};
    HTP_DO(leave_trace(f, given, &none));
    f->machine->message = message;
    return refusal;
}

/* Records attributes first read within a branch or loop; the next machine reads them in advance. */
static htp_outcome note_late(following *f)
{
    htp_machine *m = f->machine;
    htp_arena *arena = &f->made->kept;
    for (size_t i = 0; i < m->state.late.count; i++) {
        htp_holder holder = {.path = ""};
        (void)htp_attribute_holder(m, m->state.late.items[i].object, &holder);
        holder.path = htp_arena_strdup(arena, holder.path);
        HTP_PUSH(arena, &f->early, m->state.late.items[i]);
        HTP_PUSH(arena, &f->early_holders, holder);
    }
    return m->state.late.count > 0
               ? HTP_NEEDS_EARLIER
               : htp_machine_stop(m, HTP_FAILS, "an attribute is changed before it is read");
}

static htp_outcome follow_once(following *f)
{
    const htp_interpreter *interpreter = f->interpreter;
    const htp_runner *runner = interpreter->of.runner;
    htp_items arguments = {0};
    htp_items given = {0};
    htp_arena_free(&f->made->arena);
    htp_arena_free(&f->made->told);
    f->made->states = (htp_recorded_states){0};
    runner->release(runner->self,
                    f->request->carried_count ? interpreter->begun : interpreter->empty);
    htp_machine *m = make_machine(f);
    f->machine = m;
    HTP_DO(htp_arguments_make(m, f->request->inputs, f->request->input_count, &arguments));
    for (size_t i = 0; i < arguments.count; i++) {
        htp_items_push(m, &given, htp_item_as_given(m, arguments.items[i]));
    }
    htp_outcome outcome = follow_method(f, &arguments, &given);
    if (outcome == HTP_NEEDS_EARLIER) {
        return note_late(f);
    }
    return HTP_IS_REFUSAL(outcome) ? leave_refusal(f, &given, outcome) : outcome;
}

/* ---- all of them ---- */

static htp_outcome follow_early(following *f)
{
    htp_outcome outcome = HTP_NEEDS_EARLIER;
    while (outcome == HTP_NEEDS_EARLIER) {
        outcome = follow_once(f);
    }
    return outcome;
}

static htp_outcome follow(following *f)
{
    htp_outcome outcome = follow_early(f);
    if (outcome != HTP_TOO_MANY_PATH_SPLITS) {
        return outcome;
    }
    f->prefers_loops = true; /* unrolled, it splits paths in each iteration */
    return follow_early(f);
}

htp_status htp_machine_end(const htp_machine *m, htp_outcome outcome)
{
    if (outcome == HTP_GOES_ON) {
        return HTP_OK;
    }
    if (outcome == HTP_NEEDS_LANES) {
        return htp_status_make(HTP_CODE_INTERNAL, "a size depends on the data");
    }
    htp_code code = HTP_IS_UNSUPPORTED(outcome) ? HTP_CODE_UNSUPPORTED
                    : HTP_IS_REFUSAL(outcome)   ? HTP_CODE_USAGE
                                                : HTP_CODE_INTERNAL;
    return htp_status_make(code, "%s",
                           m->message ? m->message : "the interpretation stops without a reason");
}

static htp_status run(following *f)
{
    uint32_t lane_count = f->request->lane_count;
    if (!find_carried(f)) {
        return htp_status_make(HTP_CODE_INTERNAL,
                               "a state is carried that the last trace did not have");
    }
    let_go(f);
    if (lane_count < 1 || lane_count > HTP_MAX_LANES) {
        return htp_status_make(HTP_CODE_INTERNAL, "a trace has 1 to 4 lanes");
    }
    htp_outcome outcome = follow(f);
    f->needs_lanes = outcome == HTP_NEEDS_LANES;
    f->lacks_memory = outcome == HTP_BREAKS;
    f->has_flats = f->machine->sizes.has_flats;
    return htp_machine_end(f->machine, outcome);
}

static htp_status no_memory(following *f)
{
    f->made->trace = NULL;
    f->lacks_memory = true;
    return htp_status_make(HTP_CODE_INTERNAL, "out of memory");
}

/* The call is dropped, whichever memory ran out. */
static htp_status run_guarded(following *f)
{
    if (htp_arena_recover(&f->made->kept) != 0) {
        return no_memory(f);
    }
    if (htp_arena_recover(&f->made->told) != 0) {
        return no_memory(f);
    }
    if (htp_arena_recover(&f->made->arena) != 0) {
        return no_memory(f);
    }
    return run(f);
}

htp_status htp_interpreter_run(htp_interpreter *interpreter, const htp_trace_request *request,
                               htp_trace_result *result)
{
    const htp_runner *runner = interpreter->of.runner;
    following f = {.interpreter = interpreter, .request = request, .made = calloc(1, sizeof(call))};
    *result = (htp_trace_result){.trace = NULL, .lacks_memory = !f.made};
    if (!f.made) {
        return htp_status_make(HTP_CODE_INTERNAL, "out of memory");
    }
    f.made->lane_count = request->lane_count;
    runner->begin(runner->self);
    htp_status status = run_guarded(&f);
    if (runner->lacks_memory(runner->self)) { /* a look-up that failed has another reason */
        htp_status_free(status);
        status = no_memory(&f);
    }
    runner->end(runner->self);
    result->trace = f.made->trace;
    result->needs_lanes = f.needs_lanes;
    result->lacks_memory = f.lacks_memory;
    result->has_flats = f.has_flats;
    settle(&f, !status);
    return status;
}
