/*
 * Differences of modules alone.
 */
#include "verify/work.h"

#include <stdlib.h>
#include <string.h>

/* A module of A, and the part of B that computes its outputs. */
struct alone {
    uint32_t module;
    htp_numbers nodes;                 /* of B */
    htp_numbers inputs;                /* values of B: each has a counterpart in A */
    htp_numbers outputs[HTP_COMPARED]; /* side by side */
};

struct finding {
    htp_verify_work *work;
    htp_flow flow;        /* of B */
    htp_numbers *reads;   /* by node of B's graph 0: values that it and its bodies read */
    uint32_t *seen_value; /* by value of B: module + 1 of the walk that saw it */
    uint32_t *seen_node;  /* by node of B */
    int32_t *in_types;    /* by value of B */
    bool *is_needed;      /* by value of A */
    htp_numbers needed;   /* values of A that the group reads */
    HTP_VECTOR(struct alone) group;
    const htp_array *const *of_a[HTP_VERIFY_RUNS]; /* by value of A: what it computes */
    const htp_array **of_b; /* by value of B: what comes into the part that runs */
};

/* ---- the part of B ---- */

static void note_read(void *user, uint32_t node, uint32_t value)
{
    struct finding *f = user;
    uint32_t top = f->flow.top[node];
    if (top != HTP_NONE && f->flow.view->values.items[value].graph == 0) {
        HTP_PUSH(f->work->arena, &f->reads[top], value);
    }
}

/* Whether A computes the counterpart of a value outside of the module: then it comes in. */
static bool comes_in(const struct finding *f, uint32_t module, uint32_t value)
{
    const htp_verify_work *work = f->work;
    uint32_t a = work->counterparts.of_b[value];
    if (a == HTP_NONE) {
        return false;
    }
    bool is_input = work->sides[HTP_COMPARED_A].view->values.items[a].maker == HTP_VIEW_BY_INPUT &&
                    f->flow.view->values.items[value].maker == HTP_VIEW_BY_INPUT;
    return is_input || (work->carried[a].is_known && !htp_module_makes(&work->borders, module, a));
}

/* Looks at a value that the part reads. @return why there is no such part; or NULL */
static const char *look_at(struct finding *f, struct alone *alone, uint32_t value)
{
    const htp_view *view = f->flow.view;
    const htp_view_value *made = &view->values.items[value];
    if (f->seen_value[value] == alone->module + 1 || made->initializer != HTP_NONE) {
        return NULL;
    }
    f->seen_value[value] = alone->module + 1;
    if (made->maker == HTP_VIEW_BY_NODE && htp_flow_is_constant(view, made->node)) {
        return NULL;
    }
    if (comes_in(f, alone->module, value)) {
        HTP_PUSH(f->work->arena, &alone->inputs, value);
    } else if (made->maker != HTP_VIEW_BY_NODE) {
        return htp_arena_printf(f->work->arena, "it depends on '%s' of B, which has no counterpart",
                                htp_view_text(view, made->name));
    } else if (f->seen_node[made->node] != alone->module + 1) {
        f->seen_node[made->node] = alone->module + 1;
        HTP_PUSH(f->work->arena, &alone->nodes, made->node);
    }
    return NULL;
}

/* A constant that stands for an output of the module is part of it. */
static void add_constant(struct finding *f, struct alone *alone, uint32_t value)
{
    const htp_view_value *made = &f->flow.view->values.items[value];
    if (made->maker == HTP_VIEW_BY_NODE && htp_flow_is_constant(f->flow.view, made->node) &&
        f->seen_node[made->node] != alone->module + 1) {
        f->seen_node[made->node] = alone->module + 1;
        HTP_PUSH(f->work->arena, &alone->nodes, made->node);
    }
}

static const char *find_part(struct finding *f, struct alone *alone)
{
    const htp_verify_work *work = f->work;
    const htp_numbers *outputs = &work->borders.outputs[alone->module];
    const char *why = NULL;
    for (size_t i = 0; i < outputs->count; i++) {
        uint32_t value = outputs->items[i];
        if (work->carried[value].is_known) {
            uint32_t other = work->counterparts.of_a[value];
            HTP_PUSH(work->arena, &alone->outputs[HTP_COMPARED_A], value);
            HTP_PUSH(work->arena, &alone->outputs[HTP_COMPARED_B], other);
            add_constant(f, alone, other);
            const char *failed = look_at(f, alone, other);
            why = why ? why : failed;
        }
    }
    for (size_t i = 0; i < alone->nodes.count && !why; i++) { /* the list grows on the way */
        const htp_numbers *reads = &f->reads[alone->nodes.items[i]];
        for (size_t k = 0; k < reads->count && !why; k++) {
            why = look_at(f, alone, reads->items[k]);
        }
    }
    return alone->outputs[0].count == 0 ? "B has no counterpart of what it returns"
           : alone->nodes.count == 0    ? "B has no nodes for it"
                                        : why;
}

/* ---- runs ---- */

/* A tensor of another element type. */
static void cast_tensor(htp_arena *arena, const htp_array *given, int32_t type, htp_array *made)
{
    *made = *given;
    made->data_type = type;
    void *data = htp_arena_alloc(arena, htp_array_bytes(made) + 1);
    (void)htp_measure_cast(given, type, data);
    made->data = data;
}

/* Whether a tensor, or one of a list, has another element type. */
static bool is_of_other_type(const htp_array *given, int32_t type)
{
    bool is_other = !given->tensors && given->data_type != type;
    for (size_t i = 0; given->tensors && i < given->count && !is_other; i++) {
        is_other = given->tensors[i].data_type != type;
    }
    return is_other;
}

/* A tensor or a list of another element type. */
static const htp_array *cast_array(htp_arena *arena, const htp_array *given, int32_t type)
{
    htp_array *made = HTP_NEW(arena, htp_array);
    if (!given->tensors) {
        cast_tensor(arena, given, type, made);
        return made;
    }
    htp_array *tensors = HTP_NEW_ARRAY(arena, htp_array, given->count + 1);
    for (size_t i = 0; i < given->count; i++) {
        cast_tensor(arena, &given->tensors[i], type, &tensors[i]);
    }
    *made = *given;
    made->tensors = tensors;
    return made;
}

static void release_tensor(htp_arena *arena, const htp_array *made)
{
    htp_arena_release(arena, made->data, htp_array_bytes(made) + 1);
}

/* What comes into the part, as it takes it. */
static void cast_inputs(struct finding *f, const struct alone *alone, const htp_array *const *of_a)
{
    htp_verify_work *work = f->work;
    for (size_t i = 0; i < alone->inputs.count; i++) {
        uint32_t value = alone->inputs.items[i];
        const htp_array *given = of_a[work->counterparts.of_b[value]];
        int32_t type = f->in_types[value] & ~HTP_PART_LIST;
        bool is_other = type != 0 && is_of_other_type(given, type);
        f->of_b[value] = is_other ? cast_array(work->arena, given, type) : given;
    }
}

static void release_inputs(struct finding *f, const struct alone *alone,
                           const htp_array *const *of_a)
{
    htp_arena *arena = f->work->arena;
    for (size_t i = 0; i < alone->inputs.count; i++) {
        uint32_t value = alone->inputs.items[i];
        const htp_array *made = f->of_b[value];
        if (made == of_a[f->work->counterparts.of_b[value]]) {
            continue;
        }
        for (size_t k = 0; made->tensors && k < made->count; k++) {
            release_tensor(arena, &made->tensors[k]);
        }
        if (!made->tensors) {
            release_tensor(arena, made);
        }
    }
}

static htp_status run_at(struct finding *f, const struct alone *alone,
                         const htp_side_session *session, const htp_array *const *of_a)
{
    htp_verify_work *work = f->work;
    htp_verify_module *module = &work->modules[alone->module];
    htp_fetched *fetched = NULL;
    cast_inputs(f, alone, of_a);
    htp_status status = htp_side_run(&work->sides[HTP_COMPARED_B], work->arena, session, f->of_b,
                                     &alone->outputs[HTP_COMPARED_B], &fetched);
    for (size_t i = 0; !status && i < alone->outputs[0].count; i++) {
        uint32_t value = alone->outputs[HTP_COMPARED_A].items[i];
        const htp_array *a = of_a[value];
        const htp_array *b = htp_fetched_array(fetched, i);
        if (htp_measure_can(a, b)) {
            module->own = htp_measure_worse(module->own, htp_verify_measure(work, value, a, b));
        }
    }
    htp_fetched_free(fetched);
    release_inputs(f, alone, of_a); /* lists that came out may hold tensors that came in */
    return status;
}

/* Whether the part can run on what A computes: the runtime makes no list without tensors. */
static bool can_run_at(const struct finding *f, const struct alone *alone,
                       const htp_array *const *of_a)
{
    bool can = true;
    for (size_t i = 0; i < alone->inputs.count && can; i++) {
        uint32_t value = alone->inputs.items[i];
        const htp_array *given = of_a[f->work->counterparts.of_b[value]];
        can = !given->tensors || (given->count > 0 && f->in_types[value] != HTP_PART_LIST);
    }
    return can;
}

static htp_status run_part(struct finding *f, const struct alone *alone)
{
    htp_verify_work *work = f->work;
    htp_side_session session = {.session = NULL};
    bool can_run[HTP_VERIFY_RUNS] = {false};
    bool can = false;
    for (uint32_t r = 0; r < work->runs; r++) {
        can_run[r] = can_run_at(f, alone, f->of_a[r]);
        can = can || can_run[r];
    }
    if (!can) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "a list that it reads is empty, and ONNX Runtime takes no such one");
    }
    htp_status status = htp_side_open(&work->sides[HTP_COMPARED_B], work->arena, &alone->nodes,
                                      &alone->outputs[HTP_COMPARED_B], f->in_types, &session);
    for (uint32_t r = 0; r < work->runs && !status; r++) {
        status = can_run[r] ? run_at(f, alone, &session, f->of_a[r]) : HTP_OK;
    }
    htp_side_close(&session);
    return status;
}

/* ---- groups ---- */

/* A module whose part does not run has a reason. */
static htp_status run_parts(struct finding *f)
{
    htp_verify_work *work = f->work;
    htp_status stopped = HTP_OK;
    for (size_t i = 0; i < f->group.count && !stopped; i++) {
        uint32_t m = f->group.items[i].module;
        htp_verify_module *module = &work->modules[m];
        htp_status status = run_part(f, &f->group.items[i]);
        if (htp_status_code(status) == HTP_CODE_INTERNAL) { /* no fault of the module */
            return status;
        }
        const htp_view *b = work->sides[HTP_COMPARED_B].view;
        htp_status changed = status ? htp_input_file_check(&b->file) : HTP_OK;
        if (changed) {
            htp_status_free(status);
            return htp_status_prefix(changed, b->path);
        }
        if (status) {
            module->own = (htp_difference_of){.is_known = false};
            module->no_own = htp_status_keep_message(work->arena, status);
        }
        stopped = htp_verify_tick(work, "modules", m + 1U, work->borders.tree->module_count);
    }
    return stopped;
}

/* A's tensors of one group, in all runs. */
static htp_status run_group(struct finding *f)
{
    htp_verify_work *work = f->work;
    htp_side *side = &work->sides[HTP_COMPARED_A];
    size_t count = side->view->values.count;
    htp_fetched *fetched[HTP_VERIFY_RUNS] = {NULL};
    htp_side_session session = {.session = NULL};
    int32_t *types = HTP_NEW_ARRAY(work->arena, int32_t, count + 1);
    HTP_TRY(htp_side_open(side, work->arena, NULL, &f->needed, types, &session));
    for (uint32_t r = 0; r < work->runs; r++) {
        HTP_TRY(htp_side_run(side, work->arena, &session, work->arrays[HTP_COMPARED_A][r],
                             &f->needed, &fetched[r]));
        const htp_array **of_a = HTP_NEW_ARRAY(work->arena, const htp_array *, count + 1);
        memcpy(of_a, work->arrays[HTP_COMPARED_A][r], count * sizeof(*of_a));
        for (size_t i = 0; i < f->needed.count; i++) {
            of_a[f->needed.items[i]] = htp_fetched_array(fetched[r], i);
        }
        f->of_a[r] = of_a;
    }
    htp_side_close(&session);
    htp_status stopped = run_parts(f);
    for (uint32_t r = 0; r < work->runs; r++) {
        htp_fetched_free(fetched[r]);
    }
    for (size_t i = 0; i < f->needed.count; i++) {
        f->is_needed[f->needed.items[i]] = false;
    }
    f->needed.count = 0;
    f->group.count = 0;
    return stopped;
}

static uint64_t need(struct finding *f, uint32_t value)
{
    const htp_verify_work *work = f->work;
    bool is_new =
        htp_counterparts_can_fetch(work->sides[HTP_COMPARED_A].view, value) && !f->is_needed[value];
    if (is_new) {
        f->is_needed[value] = true;
        HTP_PUSH(work->arena, &f->needed, value);
    }
    return is_new ? work->bytes[value] : 0;
}

static void begin(struct finding *f, htp_verify_work *work)
{
    const htp_view *b = work->sides[HTP_COMPARED_B].view;
    *f = (struct finding){
        .work = work,
        .flow = htp_flow_find(work->arena, b, NULL, 0),
        .reads = HTP_NEW_ARRAY(work->arena, htp_numbers, b->nodes.count + 1),
        .seen_value = HTP_NEW_ARRAY(work->arena, uint32_t, b->values.count + 1),
        .seen_node = HTP_NEW_ARRAY(work->arena, uint32_t, b->nodes.count + 1),
        .of_b = HTP_NEW_ARRAY(work->arena, const htp_array *, b->values.count + 1),
        .in_types = work->types,
        .is_needed =
            HTP_NEW_ARRAY(work->arena, bool, work->sides[HTP_COMPARED_A].view->values.count + 1),
    };
    for (uint32_t n = 0; n < b->nodes.count; n++) {
        htp_flow_each_read(b, n, note_read, f);
    }
}

/* ---- which modules ---- */

/* A module runs alone with all that it holds, so deep nesting would run a node as often as it is
 * deep: all modules together may have this many times the nodes of the model. */
enum { MOST_TIMES = 8 };

struct sized {
    uint64_t nodes;
    uint32_t module;
};

static int compare_sizes(const void *a, const void *b)
{
    const struct sized *first = a;
    const struct sized *second = b;
    if (first->nodes != second->nodes) {
        return first->nodes < second->nodes ? -1 : 1;
    }
    return first->module < second->module ? -1 : 1;
}

/* By module: whether it may run alone. Small ones come first. */
static const bool *choose_modules(const htp_verify_work *work)
{
    const htp_view *view = work->borders.view;
    const htp_tree *tree = work->borders.tree;
    struct sized *sizes = HTP_NEW_ARRAY(work->arena, struct sized, tree->module_count + 1U);
    bool *may_run = HTP_NEW_ARRAY(work->arena, bool, tree->module_count + 1U);
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        if (work->borders.innermost[n] != HTP_NONE) {
            sizes[work->borders.innermost[n]].nodes++;
        }
    }
    for (uint32_t m = tree->module_count; m-- > 0;) { /* parents precede children */
        uint32_t parent = tree->modules[m].parent;
        sizes[m].module = m;
        if (parent != HTP_NONE) {
            sizes[parent].nodes += sizes[m].nodes;
        }
    }
    qsort(sizes, tree->module_count, sizeof(*sizes), compare_sizes);
    uint64_t left = MOST_TIMES * (uint64_t)view->nodes.count;
    for (uint32_t i = 0; i < tree->module_count && sizes[i].nodes <= left; i++) {
        may_run[sizes[i].module] = true;
        left -= sizes[i].nodes;
    }
    return may_run;
}

/* The root alone is all of the model: what it adds is what came out, unless states came in. */
static bool is_whole(const htp_verify_work *work, uint32_t module)
{
    if (work->request->reference && work->request->reference->state_count > 0) {
        return false;
    }
    return work->sides[HTP_COMPARED_A].tree->modules[module].parent == HTP_NONE && module == 0;
}

htp_status htp_verify_own(htp_verify_work *work)
{
    struct finding f;
    uint64_t bytes = 0;
    const bool *may_run = choose_modules(work);
    begin(&f, work);
    for (uint32_t m = 0; m < work->sides[HTP_COMPARED_A].tree->module_count; m++) {
        struct alone alone = {.module = m};
        htp_verify_module *module = &work->modules[m];
        if (is_whole(work, m) || !module->has_nodes) {
            module->own = module->carried;
            module->no_own = module->has_nodes ? NULL : "it runs in no node outside of bodies";
            continue;
        }
        module->no_own = may_run[m] ? find_part(&f, &alone)
                                    : "modules are nested so deeply that only those inside of it "
                                      "run alone";
        if (module->no_own) {
            continue;
        }
        for (size_t i = 0; i < alone.inputs.count; i++) {
            bytes += need(&f, work->counterparts.of_b[alone.inputs.items[i]]);
        }
        for (size_t i = 0; i < alone.outputs[0].count; i++) {
            bytes += need(&f, alone.outputs[HTP_COMPARED_A].items[i]);
        }
        HTP_PUSH(work->arena, &f.group, alone);
        if (bytes > work->request->memory) {
            HTP_TRY(run_group(&f));
            bytes = 0;
        }
    }
    return f.group.count > 0 ? run_group(&f) : HTP_OK;
}
