/*
 * Hints about arguments from operators that take them.
 */
#include "base/text.h"
#include "source/hints/hint_scope.h"
#include "source/hints/hint_weights.h"

#include <string.h>

/* Names the part that the next hint is about, and how many dims more than that the operand has. */
void htp_hint_add_part(htp_hint_search *f, const htp_hint_known *k)
{
    HTP_PUSH(f->arena, &f->hints,
             (htp_hint){
                 .argument = k->argument,
                 .kind = "part",
                 .position = k->path,
                 .weight_dims = {k->shift, k->joined, k->is_converted},
             });
}

static void add_hint(htp_hint_search *f, const htp_hint_known *k, const char *kind,
                     const char *position, htp_hint hint)
{
    if (k->path[0] || k->shift != 0 || k->joined != 1 || k->is_converted) {
        htp_hint_add_part(f, k);
    }
    hint.argument = k->argument;
    hint.kind = kind;
    hint.position = position;
    HTP_PUSH(f->arena, &f->hints, hint);
}

/* Notes a weight, up to two. */
static void note_weight(htp_hint_weights *weights, const htp_program_data *data)
{
    if (data->kind != HTP_DATA_TENSOR) {
        return;
    }
    if (!weights->first) {
        weights->first = data->tensor;
    } else if (!weights->second) {
        weights->second = data->tensor;
    }
}

/* Tensors in the code are weights, too: those of a frozen module are constants. */
static void note_weights_of(const htp_hint_scope *s, uint32_t value, htp_hint_weights *weights)
{
    const htp_operands o = htp_hint_operands(s);
    const htp_program_data *all = s->search->program->data;
    const htp_program_data *constant = htp_operands_constant(&o, value);
    if (constant && constant->kind == HTP_DATA_TENSOR && constant->tensor->rank > 0) {
        note_weight(weights, constant);
        return;
    }
    if (s->values[value].weights == HTP_NONE) {
        return;
    }
    const htp_program_data *held = &all[s->values[value].weights];
    note_weight(weights, held);
    for (uint32_t i = 0; i < held->element_count && !weights->second; i++) {
        note_weight(weights, &all[held->elements[i]]);
    }
}

static htp_hint_weights find_weights(const htp_hint_scope *s)
{
    const htp_operands o = htp_hint_operands(s);
    htp_hint_weights weights = {NULL, NULL};
    for (uint32_t i = 0; i < s->node->input_count; i++) {
        uint32_t count = 0;
        const uint32_t *elements = htp_operands_elements(&o, &s->node->inputs[i], &count);
        for (uint32_t k = 0; k < count && !weights.second; k++) {
            note_weights_of(s, elements[k], &weights);
        }
    }
    return weights;
}

/* Operators with a schema take arguments, or lists of them. */
void htp_hint_note_operands(const htp_hint_scope *s)
{
    const htp_operands o = htp_hint_operands(s);
    if (s->node->schema == HTP_NONE) {
        return;
    }
    const htp_program_schema *schema = &s->search->program->schemas[s->node->schema];
    htp_hint_weights weights = {NULL, NULL};
    bool has_weights = false;
    for (uint32_t i = 0; i < s->node->input_count && i < schema->argument_count; i++) {
        uint32_t count = 0;
        const uint32_t *elements = htp_operands_elements(&o, &s->node->inputs[i], &count);
        for (uint32_t k = 0; k < count; k++) {
            if (htp_hint_is_argument(&s->values[elements[k]])) {
                htp_hint hint = {0};
                weights = has_weights ? weights : find_weights(s);
                has_weights = true;
                htp_hint_find_weight(&o, &weights, i, &hint);
                if (!s->values[elements[k]].is_turned) {
                    htp_hint_note_order(&o, &hint);
                }
                add_hint(s->search, &s->values[elements[k]], s->node->kind,
                         schema->arguments[i].name, hint);
            }
        }
    }
}

/* The hint is that of int(x): the overload for tensors. */
void htp_hint_note_converted(const htp_hint_scope *s)
{
    static const char *const kinds[] = {"aten::Int", "aten::Float", "aten::Bool"};
    if (s->node->input_count == 1 && htp_hint_is_number(htp_hint_input(s, 0)) &&
        htp_text_is_one_of(s->node->kind, kinds, sizeof(kinds) / sizeof(kinds[0]))) {
        add_hint(s->search, htp_hint_input(s, 0), s->node->kind, "a", (htp_hint){0});
    }
}

/* Picking an element by its index: select(self, dim, index). */
void htp_hint_note_pick(const htp_hint_scope *s, const htp_hint_known *k)
{
    const htp_operands o = htp_hint_operands(s);
    const htp_program_data *dim = htp_operands_constant(&o, s->node->inputs[1]);
    const htp_program_data *index = htp_operands_constant(&o, s->node->inputs[2]);
    if (dim && index && dim->kind == HTP_DATA_INT && index->kind == HTP_DATA_INT) {
        htp_hint hint = {.weight_rank = 2, .weight_dims = {dim->number, index->number}};
        add_hint(s->search, k, "pick", "", hint);
    }
}

/* slice(self, dim, start, end, step). */
void htp_hint_note_slice(const htp_hint_scope *s, const htp_hint_known *k)
{
    const htp_operands o = htp_hint_operands(s);
    if (s->node->input_count < 3) {
        return;
    }
    const htp_program_data *dim = htp_operands_constant(&o, s->node->inputs[1]);
    const htp_program_data *start = htp_operands_constant(&o, s->node->inputs[2]);
    if (dim && start && dim->kind == HTP_DATA_INT && start->kind == HTP_DATA_INT) {
        htp_hint hint = {.weight_rank = 2, .weight_dims = {dim->number, start->number}};
        add_hint(s->search, k, "slice", "", hint);
    }
}

/* Operands used as positions: in comparisons, or as indices in a list. */
void htp_hint_note_positions(const htp_hint_scope *s)
{
    static const char *const comparisons[] = {"aten::lt", "aten::le", "aten::gt", "aten::ge"};
    const htp_operands o = htp_hint_operands(s);
    bool is_index = s->node->input_count == 2 && strcmp(s->node->kind, "aten::index") == 0;
    bool is_comparison = htp_text_is_one_of(s->node->kind, comparisons,
                                            sizeof(comparisons) / sizeof(comparisons[0]));
    const htp_program_node *list = is_index ? htp_operands_list(&o, s->node->inputs[1]) : NULL;
    const htp_program_node *taking = list ? list : is_comparison ? s->node : NULL;
    bool has_positions = false;
    for (uint32_t i = 0; taking && i < taking->input_count; i++) {
        has_positions = has_positions || s->values[taking->inputs[i]].is_positions;
    }
    for (uint32_t i = 0; has_positions && i < taking->input_count; i++) {
        htp_hint_known k = s->values[taking->inputs[i]];
        if (htp_hint_is_argument(&k)) {
            k.shift = 0; /* one number per sequence, however it was unsqueezed */
            add_hint(s->search, &k, "positions", "", (htp_hint){0});
        }
    }
}

/* Arguments joined with other values, as a cache is with new keys. */
void htp_hint_note_joined(const htp_hint_scope *s)
{
    const htp_operands o = htp_hint_operands(s);
    bool is_join = s->node->input_count > 0 && strcmp(s->node->kind, "aten::cat") == 0;
    const htp_program_node *list = is_join ? htp_operands_list(&o, s->node->inputs[0]) : NULL;
    bool has_other = false;
    for (uint32_t i = 0; list && i < list->input_count; i++) {
        has_other = has_other || !htp_hint_is_argument(&s->values[list->inputs[i]]);
    }
    for (uint32_t i = 0; has_other && i < list->input_count; i++) {
        const htp_hint_known *k = &s->values[list->inputs[i]];
        if (htp_hint_is_argument(k)) {
            add_hint(s->search, k, "joined", "", (htp_hint){0});
        }
    }
}

/* Arguments that one operator takes element-wise, or joins, have similar shapes. */
void htp_hint_note_beside(const htp_hint_scope *s)
{
    static const char *const kinds[] = {
        "aten::add", "aten::sub", "aten::mul",     "aten::div",     "aten::where",
        "aten::gt",  "aten::lt",  "aten::maximum", "aten::minimum", "aten::mse_loss",
        "aten::ge",  "aten::le",  "aten::eq",      "aten::ne",      "aten::cat"};
    const htp_operands o = htp_hint_operands(s);
    if (s->node->input_count == 0 ||
        !htp_text_is_one_of(s->node->kind, kinds, sizeof(kinds) / sizeof(kinds[0]))) {
        return;
    }
    const htp_program_node *list = htp_operands_list(&o, s->node->inputs[0]);
    const htp_program_node *taking = list ? list : s->node;
    const htp_hint_known *first = NULL;
    for (uint32_t i = 0; i < taking->input_count; i++) {
        const htp_hint_known *k = &s->values[taking->inputs[i]];
        if (!htp_hint_is_argument(k)) {
            continue;
        }
        if (first && (k->argument != first->argument || strcmp(k->path, first->path) != 0)) {
            htp_hint hint = {.weight_rank = 2, .weight_dims = {first->argument, first->shift}};
            add_hint(s->search, k, "beside", first->path, hint);
        }
        first = first ? first : k;
    }
}
