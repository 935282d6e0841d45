/*
 * Pairs of inputs, outputs and functions of two models.
 */
#include "query/compare/compare.h"

#include <inttypes.h>
#include <string.h>

/* Inputs, outputs or functions of one model. */
struct things {
    size_t count;
    const char **names;
    const char **forms; /* to pair those without a common name; NULL: not compared */
    uint64_t *numbers;
};

static struct things new_things(htp_arena *arena, size_t count)
{
    return (struct things){.count = count,
                           .names = HTP_NEW_ARRAY(arena, const char *, count + 1),
                           .forms = HTP_NEW_ARRAY(arena, const char *, count + 1),
                           .numbers = HTP_NEW_ARRAY(arena, uint64_t, count + 1)};
}

/* Numbers the things without a number: equal texts get equal numbers, in order. */
static void pair_by(htp_arena *arena, struct things things[HTP_COMPARED], bool by_name,
                    uint64_t *number)
{
    struct things *a = &things[HTP_COMPARED_A];
    struct things *b = &things[HTP_COMPARED_B];
    uint32_t *next = HTP_NEW_ARRAY(arena, uint32_t, b->count + 1);
    htp_map heads = {0};
    for (size_t i = b->count; i-- > 0;) {
        const char *text = by_name ? b->names[i] : b->forms[i];
        uint32_t head = HTP_NONE;
        if (b->forms[i] && b->numbers[i] == 0) {
            (void)htp_map_get(&heads, text, &head);
            next[i] = head;
            htp_map_set(arena, &heads, text, (uint32_t)i);
        }
    }
    for (size_t i = 0; i < a->count; i++) {
        const char *text = by_name ? a->names[i] : a->forms[i];
        uint32_t head;
        if (a->forms[i] && a->numbers[i] == 0 && htp_map_get(&heads, text, &head) &&
            head != HTP_NONE) {
            htp_map_set(arena, &heads, text, next[head]);
            a->numbers[i] = b->numbers[head] = ++*number;
        }
    }
}

static void pair_things(htp_arena *arena, struct things things[HTP_COMPARED])
{
    uint64_t number = 0;
    pair_by(arena, things, true, &number);
    pair_by(arena, things, false, &number);
    for (int m = 0; m < HTP_COMPARED; m++) {
        for (size_t i = 0; i < things[m].count; i++) {
            things[m].numbers[i] = things[m].numbers[i] ? things[m].numbers[i] : ++number;
        }
    }
}

/* Inputs or outputs of the model, without the weights that old files list among the inputs. */
static struct things list_values(htp_arena *arena, const htp_view *view, htp_view_range range)
{
    struct things things = new_things(arena, range.count);
    for (uint32_t i = 0; i < range.count; i++) {
        uint32_t value = view->operands.items[range.first + i];
        const htp_view_value *listed = &view->values.items[value];
        bool is_weight = listed->maker == HTP_VIEW_BY_INPUT && listed->initializer != HTP_NONE;
        things.names[i] = htp_view_text(view, listed->name);
        things.forms[i] = is_weight ? NULL : "";
    }
    return things;
}

/* Functions without a common name are paired by size and operators. */
static struct things list_functions(htp_arena *arena, const htp_view *view)
{
    struct things things = new_things(arena, view->functions.count);
    for (size_t i = 0; i < view->functions.count; i++) {
        const htp_view_function *function = &view->functions.items[i];
        const htp_view_graph *graph = &view->graphs.items[function->graph];
        htp_digest sum = {0, 0};
        for (uint32_t n = graph->nodes.first; n < graph->nodes.first + graph->nodes.count; n++) {
            htp_digest_add(&sum, htp_fingerprint_name(view, 0, view->nodes.items[n].op_type));
        }
        things.names[i] = htp_arena_printf(
            arena, "%s\n%s\n%s", htp_view_text(view, function->domain),
            htp_view_text(view, function->name), htp_view_text(view, function->overload));
        things.forms[i] =
            htp_arena_printf(arena, "%" PRIu32 " %" PRIu32 " %" PRIx64 "%" PRIx64,
                             graph->inputs.count, graph->outputs.count, sum.low, sum.high);
    }
    return things;
}

void htp_compare_pair(htp_arena *arena, const htp_view *const views[HTP_COMPARED],
                      htp_pairing pairings[HTP_COMPARED])
{
    struct things inputs[HTP_COMPARED];
    struct things outputs[HTP_COMPARED];
    struct things functions[HTP_COMPARED];
    for (int m = 0; m < HTP_COMPARED; m++) {
        const htp_view_graph *graph = &views[m]->graphs.items[0];
        inputs[m] = list_values(arena, views[m], graph->inputs);
        outputs[m] = list_values(arena, views[m], graph->outputs);
        functions[m] = list_functions(arena, views[m]);
    }
    pair_things(arena, inputs);
    pair_things(arena, outputs);
    pair_things(arena, functions);
    for (int m = 0; m < HTP_COMPARED; m++) {
        pairings[m] = (htp_pairing){inputs[m].numbers, outputs[m].numbers, functions[m].numbers};
    }
}

/* ---- types and sources ---- */

/* Known dims must be equal; names of dims do not count. */
static bool is_other_type(const htp_value_type *a, const htp_value_type *b)
{
    if (!a->is_known || !b->is_known) {
        return false;
    }
    if (a->data_type != b->data_type || strcmp(a->container, b->container) != 0) {
        return true;
    }
    bool is_other = a->has_dims && b->has_dims && a->rank != b->rank;
    for (size_t i = 0; !is_other && a->has_dims && b->has_dims && i < a->rank; i++) {
        is_other =
            (a->dims[i].size >= 0 || b->dims[i].size >= 0) && a->dims[i].size != b->dims[i].size;
    }
    return is_other;
}

static void look_at_value(htp_arena *arena, htp_comparison *c, htp_compared_value *value,
                          const uint32_t positions[HTP_COMPARED])
{
    htp_value_type types[HTP_COMPARED];
    for (int m = 0; m < HTP_COMPARED; m++) {
        types[m] = htp_value_type_find(arena, c->views[m], value->values[m]);
    }
    value->has_other_type = is_other_type(&types[HTP_COMPARED_A], &types[HTP_COMPARED_B]);
    value->has_other_source =
        value->is_output &&
        !htp_correspondence_is_same_link(
            &c->correspondence,
            &c->fingerprints[HTP_COMPARED_A].outputs.items[positions[HTP_COMPARED_A]],
            &c->fingerprints[HTP_COMPARED_B].outputs.items[positions[HTP_COMPARED_B]]);
}

static bool is_weight(const htp_view *view, uint32_t value)
{
    return view->values.items[value].maker == HTP_VIEW_BY_INPUT &&
           view->values.items[value].initializer != HTP_NONE;
}

/* Pairs in the order of A, followed by those of B alone. */
static void compare_list(htp_arena *arena, htp_comparison *c, bool is_output,
                         const htp_view_range ranges[HTP_COMPARED],
                         const uint64_t *const numbers[HTP_COMPARED])
{
    const htp_view *b = c->views[HTP_COMPARED_B];
    htp_map by_number = {0};
    for (uint32_t i = 0; i < ranges[HTP_COMPARED_B].count; i++) {
        htp_map_set_bytes(arena, &by_number, &numbers[HTP_COMPARED_B][i], sizeof(uint64_t), i);
    }
    bool *is_paired = HTP_NEW_ARRAY(arena, bool, ranges[HTP_COMPARED_B].count + 1U);
    for (uint32_t i = 0; i < ranges[HTP_COMPARED_A].count; i++) {
        uint32_t value = c->views[HTP_COMPARED_A]->operands.items[ranges[HTP_COMPARED_A].first + i];
        htp_compared_value compared = {.is_output = is_output, .values = {value, HTP_NONE}};
        uint32_t positions[HTP_COMPARED] = {i, 0};
        if (!is_output && is_weight(c->views[HTP_COMPARED_A], value)) {
            continue;
        }
        if (htp_map_get_bytes(&by_number, &numbers[HTP_COMPARED_A][i], sizeof(uint64_t),
                              &positions[HTP_COMPARED_B])) {
            uint32_t position = positions[HTP_COMPARED_B];
            is_paired[position] = true;
            compared.values[HTP_COMPARED_B] =
                b->operands.items[ranges[HTP_COMPARED_B].first + position];
            look_at_value(arena, c, &compared, positions);
        }
        HTP_PUSH(arena, &c->values, compared);
    }
    for (uint32_t i = 0; i < ranges[HTP_COMPARED_B].count; i++) {
        uint32_t value = b->operands.items[ranges[HTP_COMPARED_B].first + i];
        if (!is_paired[i] && (is_output || !is_weight(b, value))) {
            const htp_compared_value compared = {.is_output = is_output,
                                                 .values = {HTP_NONE, value}};
            HTP_PUSH(arena, &c->values, compared);
        }
    }
}

/* Compares the outputs of functions. */
static void compare_functions(htp_arena *arena, htp_comparison *c)
{
    const htp_fingerprint *a = &c->fingerprints[HTP_COMPARED_A];
    const htp_fingerprint *b = &c->fingerprints[HTP_COMPARED_B];
    htp_map known = {0};
    for (uint32_t i = b->model_outputs; i < b->outputs.count; i++) {
        htp_map_set_bytes(arena, &known, &b->outputs.items[i].what, sizeof(htp_digest), i);
    }
    for (uint32_t i = a->model_outputs; i < a->outputs.count; i++) {
        const htp_link *link = &a->outputs.items[i];
        uint32_t other;
        c->function_outputs +=
            !htp_map_get_bytes(&known, &link->what, sizeof(link->what), &other) ||
            !htp_correspondence_is_same_link(&c->correspondence, link, &b->outputs.items[other]);
    }
}

void htp_compare_values(htp_arena *arena, htp_comparison *comparison,
                        const htp_pairing pairings[HTP_COMPARED])
{
    htp_view_range inputs[HTP_COMPARED];
    htp_view_range outputs[HTP_COMPARED];
    for (int m = 0; m < HTP_COMPARED; m++) {
        inputs[m] = comparison->views[m]->graphs.items[0].inputs;
        outputs[m] = comparison->views[m]->graphs.items[0].outputs;
    }
    const uint64_t *const of_inputs[] = {pairings[0].inputs, pairings[1].inputs};
    const uint64_t *const of_outputs[] = {pairings[0].outputs, pairings[1].outputs};
    compare_list(arena, comparison, false, inputs, of_inputs);
    compare_list(arena, comparison, true, outputs, of_outputs);
    compare_functions(arena, comparison);
}
