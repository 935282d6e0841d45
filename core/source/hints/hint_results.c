/*
 * Results of operators whose operands are known.
 */
#include "base/text.h"
#include "source/hints/hint_scope.h"
#include "source/hints/hint_weights.h"

#include <string.h>

#define IS_ONE_OF(kind, kinds) htp_text_is_one_of(kind, kinds, sizeof(kinds) / sizeof((kinds)[0]))

static htp_hint_known part_of(htp_hint_search *f, const htp_hint_known *whole, const char *name)
{
    htp_hint_known part = HTP_HINT_UNKNOWN;
    part.argument = whole->argument;
    part.path = whole->path[0] ? htp_arena_printf(f->arena, "%s.%s", whole->path, name) : name;
    htp_hint_add_part(f, &part);
    return part;
}

/* The name of an element by the type of its container. */
static const char *element_name(const htp_hint_scope *s, uint32_t value, uint64_t number)
{
    const htp_program_type *type = &s->search->program->types[s->function.values[value].type];
    bool is_field = type->kind == HTP_TYPE_TUPLE && number < type->part_count;
    return is_field ? type->fields[number]
                    : htp_arena_printf(s->search->arena, "%llu", (unsigned long long)number);
}

/* Parts of a tuple, list or dict. @return whether the operator takes one */
static bool take_apart(const htp_hint_scope *s, const htp_hint_known *whole)
{
    const char *kind = s->node->kind;
    uint32_t value = s->node->inputs[0];
    if (strcmp(kind, "prim::TupleUnpack") == 0 || strcmp(kind, "prim::ListUnpack") == 0) {
        for (uint32_t i = 0; i < s->node->output_count; i++) {
            htp_hint_set_output(s, i, part_of(s->search, whole, element_name(s, value, i)));
        }
        return true;
    }
    if (strcmp(kind, "aten::__getitem__") != 0 && strcmp(kind, "prim::TupleIndex") != 0) {
        return false;
    }
    const htp_operands o = htp_hint_operands(s);
    const htp_program_data *key = htp_operands_constant(&o, s->node->inputs[1]);
    if (key && key->kind == HTP_DATA_STRING) {
        htp_hint_set_output(s, 0, part_of(s->search, whole, key->string));
    } else if (key && key->kind == HTP_DATA_INT && key->number >= 0) {
        const char *name = element_name(s, value, (uint64_t)key->number);
        htp_hint_set_output(s, 0, part_of(s->search, whole, name));
    }
    return true;
}

/* The result is the first input, of equal sizes. */
static bool keeps_sizes(const char *kind)
{
    static const char *const kinds[] = {
        "aten::to",       "aten::type_as",        "aten::contiguous", "aten::clone", "aten::float",
        "aten::detach",   "aten::dropout",        "aten::alias",      "aten::long",  "aten::clamp",
        "aten::_to_copy", "prim::unchecked_cast", "aten::sort"};
    return IS_ONE_OF(kind, kinds);
}

/* The dtype of the result says nothing about the input's. */
static bool converts(const char *kind)
{
    static const char *const kinds[] = {"aten::to", "aten::type_as", "aten::float", "aten::long",
                                        "aten::_to_copy"};
    return IS_ONE_OF(kind, kinds);
}

/* The result is the first input in another shape: uses of it are uses of the argument. */
static bool changes_shape(const char *kind)
{
    static const char *const kinds[] = {
        "aten::view",      "aten::reshape", "aten::unsqueeze",   "aten::squeeze",
        "aten::transpose", "aten::permute", "aten::slice",       "aten::select",
        "aten::expand",    "aten::flatten", "aten::pad",         "aten::constant_pad_nd",
        "aten::t",         "aten::narrow",  "aten::unflatten",   "aten::reflection_pad1d",
        "aten::unfold",    "aten::index",   "aten::index_select"};
    return IS_ONE_OF(kind, kinds);
}

/* Which of these operators may permute dims. */
static bool turns(const char *kind)
{
    static const char *const kinds[] = {"aten::view",    "aten::reshape", "aten::transpose",
                                        "aten::permute", "aten::t",       "aten::unflatten",
                                        "aten::flatten"};
    return IS_ONE_OF(kind, kinds);
}

/* The result is one operand, changed by a number or a weight. */
static bool shifts_or_scales(const char *kind)
{
    static const char *const kinds[] = {"aten::add", "aten::sub",  "aten::mul",
                                        "aten::div", "aten::rsub", "aten::floor_divide"};
    return IS_ONE_OF(kind, kinds);
}

static void pass_on_reshaped(const htp_hint_scope *s)
{
    const htp_operands o = htp_hint_operands(s);
    htp_hint_known k = *htp_hint_input(s, 0);
    k.shift += htp_hint_is_argument(&k) ? htp_hint_rank_change(&o) : 0;
    k.is_converted = k.is_converted || converts(s->node->kind);
    k.is_turned = k.is_turned || turns(s->node->kind);
    htp_hint_set_output(s, 0, k);
    if (htp_hint_is_argument(&k) && strcmp(s->node->kind, "aten::select") == 0) {
        htp_hint_note_pick(s, htp_hint_input(s, 0));
    } else if (htp_hint_is_argument(&k) && strcmp(s->node->kind, "aten::slice") == 0) {
        htp_hint_note_slice(s, htp_hint_input(s, 0));
    }
}

/* A number, a constant or a weight. */
static bool is_plain(const htp_hint_scope *s, uint32_t number)
{
    const htp_operands o = htp_hint_operands(s);
    uint32_t value = s->node->inputs[number];
    return s->values[value].is_weight || htp_operands_constant(&o, value) ||
           s->search->program->types[s->function.values[value].type].kind != HTP_TYPE_TENSOR;
}

static void pass_on_scaled(const htp_hint_scope *s)
{
    uint32_t kept = htp_hint_is_argument(htp_hint_input(s, 0)) ? 0 : 1;
    if (is_plain(s, 1 - kept) || htp_hint_is_argument(htp_hint_input(s, 1 - kept))) {
        htp_hint_set_output(s, 0, *htp_hint_input(s, kept));
    }
}

/* If only arguments are joined, the result counts as the first. */
static void pass_on_joined(const htp_hint_scope *s)
{
    const htp_operands o = htp_hint_operands(s);
    const htp_program_node *list = htp_operands_list(&o, s->node->inputs[0]);
    bool are_all = list != NULL;
    for (uint32_t i = 0; are_all && i < list->input_count; i++) {
        are_all = htp_hint_is_argument(&s->values[list->inputs[i]]);
    }
    if (are_all) {
        htp_hint_known k = *htp_hint_input(s, 0);
        k.joined = htp_hint_joins_features(&o) ? list->input_count : 1;
        htp_hint_set_output(s, 0, k);
    }
}

/* The number in a tensor of one element. */
static bool reads_number(const char *kind)
{
    static const char *const kinds[] = {"aten::item", "aten::ScalarImplicit"};
    return IS_ONE_OF(kind, kinds);
}

static void pass_on_number(const htp_hint_scope *s)
{
    htp_hint_known k = *htp_hint_input(s, 0);
    k.is_number = true;
    htp_hint_set_output(s, 0, k);
}

/* A list or tuple counts as the first argument in it. */
static void pass_on_built(const htp_hint_scope *s)
{
    for (uint32_t i = 0; i < s->node->input_count; i++) {
        if (htp_hint_is_argument(htp_hint_input(s, i))) {
            htp_hint_known list = HTP_HINT_UNKNOWN;
            list.argument = htp_hint_input(s, i)->argument;
            list.path = htp_hint_input(s, i)->path;
            list.shift = htp_hint_input(s, i)->shift;
            htp_hint_set_output(s, 0, list);
            return;
        }
    }
}

void htp_hint_pass_on(const htp_hint_scope *s)
{
    const char *kind = s->node->kind;
    if (s->node->input_count == 0 || s->node->output_count == 0 ||
        (htp_hint_is_argument(htp_hint_input(s, 0)) && take_apart(s, htp_hint_input(s, 0)))) {
        return;
    }
    if (strcmp(kind, "aten::arange") == 0) {
        s->values[s->node->outputs[0]].is_positions = true;
    } else if (keeps_sizes(kind) || (changes_shape(kind) && !htp_hint_input(s, 0)->is_weight)) {
        pass_on_reshaped(s);
    } else if (s->node->input_count > 1 && shifts_or_scales(kind)) {
        pass_on_scaled(s);
    } else if (htp_hint_is_argument(htp_hint_input(s, 0)) && strcmp(kind, "aten::cat") == 0) {
        pass_on_joined(s);
    } else if (htp_hint_is_argument(htp_hint_input(s, 0)) && reads_number(kind)) {
        pass_on_number(s);
    } else if (strcmp(kind, "prim::ListConstruct") == 0 ||
               strcmp(kind, "prim::TupleConstruct") == 0) {
        pass_on_built(s);
    }
}

/* Whether a side passes on the same argument with fewer dims added. The side that adds a batch dim
 * does so for an argument without one; the other shows the usual rank. */
static bool has_fewer_dims(const htp_hint_known *found, const htp_hint_known *merged)
{
    return htp_hint_is_argument(found) && found->argument == merged->argument &&
           strcmp(found->path, merged->path) == 0 && found->shift >= 0 &&
           found->shift < merged->shift;
}

/* The result of a branch is the first known one of its sides; arguments take precedence. */
void htp_hint_merge_branches(const htp_hint_scope *s)
{
    for (uint32_t i = 0; i < s->node->output_count; i++) {
        htp_hint_known *merged = &s->values[s->node->outputs[i]];
        for (uint32_t k = 0; k < s->node->block_count; k++) {
            const htp_program_block *branch = &s->function.blocks[s->node->blocks[k]];
            const htp_hint_known *found = &s->values[branch->outputs[i]];
            bool is_first = !htp_hint_is_argument(merged) &&
                            (htp_hint_is_argument(found) || merged->weights == HTP_NONE);
            if (is_first || has_fewer_dims(found, merged)) {
                *merged = *found;
            }
        }
    }
}
