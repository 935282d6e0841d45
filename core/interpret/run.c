/*
 * Runs the method.
 */
#include "interpret/method.h"

#include "interpret/control/blocks.h"
#include "interpret/lists/lists.h"
#include "interpret/memory/memory.h"

static void note_argument(htp_machine *m, htp_item *argument)
{
    htp_items_push(m, &m->control.arguments, argument);
    for (size_t i = 0; i < argument->elements.count; i++) {
        note_argument(m, argument->elements.items[i]);
    }
}

/* Converts the outputs of the method. @p is_side if another side may return lists of other lengths
 */
static htp_outcome as_outputs(htp_machine *m, htp_items *outputs, const htp_place *place,
                              bool is_side)
{
    for (size_t i = 0; i < outputs->count; i++) {
        htp_item **output = &outputs->items[i];
        htp_item *now = NULL;
        HTP_DO(htp_memory_current(m, *output, place, &now));
        HTP_DO(htp_sequence_as_output(m, now, place, is_side, output));
    }
    return HTP_GOES_ON;
}

/* ---- sides that cannot meet before the method returns ---- */

typedef struct ending {
    htp_path_split split;
    htp_place place;
} ending;

static htp_outcome finish(htp_machine *m, const htp_place *place, htp_outcome outcome,
                          htp_items *outputs);

static htp_outcome run_to_end(htp_machine *m, const void *data, bool side, htp_items *outputs)
{
    const ending *last = data;
    htp_outcome outcome = last->split.side.run(m, last->split.side.data, side, outputs);
    HTP_DO(finish(m, &last->place, outcome, outputs));
    return as_outputs(m, outputs, &last->place, true);
}

/* Returns the method's results, depending on how its run ended. If the sides of a branch end with
 * lists of different lengths, these become sequences. */
static htp_outcome finish(htp_machine *m, const htp_place *place, htp_outcome outcome,
                          htp_items *outputs)
{
    if (outcome != HTP_PATH_SPLITS || m->control.path_splits == HTP_MAX_PATH_SPLITS) {
        return outcome;
    }
    ending *last = HTP_NEW(m->arena, ending);
    *last = (ending){m->split, *place};
    *outputs = (htp_items){0};
    m->control.path_splits++;
    outcome = htp_branch_run(m, last->split.condition, &last->split.place,
                             (htp_side){run_to_end, last}, m->recording.items.count, outputs);
    m->control.path_splits--;
    return outcome;
}

/* ---- the method ---- */

/*
 * @param arguments  with self
 * @param scope  of the run
 */
static htp_outcome run_method(htp_machine *m, const htp_items *arguments, uint32_t scope,
                              const htp_carried_state *carried, size_t carried_count,
                              htp_items *outputs)
{
    const htp_place place = {.scope = scope, .function = HTP_NONE, .node = HTP_NONE, .file = ""};
    HTP_DO(htp_states_begin(m, carried, carried_count, &place));
    htp_outcome outcome = htp_control_call(m, m->function, arguments, scope, 0, outputs);
    outcome = finish(m, &place, outcome, outputs);
    if (outcome == HTP_PATH_SPLITS) {
        return htp_machine_refuse(m, &m->split.place, "%s", m->split.reason);
    }
    HTP_DO(outcome);
    return as_outputs(m, outputs, &place, false);
}

htp_outcome htp_method_run(htp_machine *m, const htp_items *arguments,
                           const htp_carried_state *carried, size_t carried_count,
                           htp_items *outputs)
{
    uint32_t module = htp_instances_module(m->instances, m->program->owner);
    if (module >= m->module_count) {
        return htp_machine_stop(m, HTP_FAILS, "the method belongs to no module");
    }
    m->recording.calls = HTP_NEW_ARRAY(m->arena, uint32_t, m->module_count);
    uint32_t scope = htp_control_enter(m, module, HTP_NONE, 0);
    htp_item *self = htp_item_make(m, HTP_ITEM_OBJECT);
    self->object = m->program->owner;
    htp_items all = HTP_ITEMS(m, self);
    htp_items_add(m, &all, arguments);
    for (size_t i = 0; i < all.count; i++) {
        note_argument(m, all.items[i]);
    }
    htp_loaded_function *code = NULL;
    HTP_DO(htp_machine_load(m, m->function, &code));
    htp_passed_note(m, code->function.schema, &all);
    return run_method(m, &all, scope, carried, carried_count, outputs);
}
