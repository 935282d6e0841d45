/*
 * Lists whose length depends on the data. The trace has the operators that change them; each makes
 * another list, and leaves the one that it reads. Elements are copied; their contents are not.
 */
#include "replay/run.h"

#include <string.h>

/* Elements of a list, at most; and room that is made for the first ones. */
enum { MOST_ELEMENTS = 1 << 24, FIRST_ROOM = 8 };

/* Appends other tensors on the memory of some elements. */
static bool push_aliases(htp_replay_state *state, htp_operand *list, const htp_operand *elements,
                         uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        htp_operand element = elements[i];
        if (element.kind != HTP_OPERAND_TENSOR) {
            return htp_replay_fails(state, "its list holds something else than tensors");
        }
        if (!htp_replay_alias(state, &element)) {
            return false;
        }
        htp_replay_list_push(list, &element);
    }
    return true;
}

/* Operands of an operator. */
struct call {
    htp_replay_state *state;
    const htp_operand *operands;
    uint32_t count;
};

/* The place in the list, operand 0, that operand 1 names; it may lie outside.
 * @return false where it is none */
static bool read_place(const struct call *call, int64_t *place)
{
    int64_t length = call->operands[0].count;
    if (call->operands[1].kind != HTP_OPERAND_INT) {
        return htp_replay_fails(call->state, "its position is not known");
    }
    *place = call->operands[1].as.i;
    *place += *place < 0 ? length : 0;
    return true;
}

static bool read_element(const struct call *call, int64_t *place)
{
    return read_place(call, place) &&
           ((*place >= 0 && *place < call->operands[0].count) ||
            htp_replay_fails(call->state, "its list has no such element"));
}

static bool construct(const struct call *call, htp_operand *made)
{
    *made = htp_replay_list_make(call->state, call->count);
    return push_aliases(call->state, made, call->operands, call->count);
}

static bool append(const struct call *call, htp_operand *made)
{
    const htp_operand *list = &call->operands[0];
    if (list->count >= MOST_ELEMENTS) {
        return htp_replay_fails(call->state, "its list does not end");
    }
    if (htp_replay_list_has_room(list)) {
        *made = *list;
        htp_replay_list_hold(list);
    } else {
        *made = htp_replay_list_make(call->state,
                                     list->count > FIRST_ROOM / 2 ? 2 * list->count : FIRST_ROOM);
        if (!push_aliases(call->state, made, list->as.elements, list->count)) {
            return false;
        }
    }
    return push_aliases(call->state, made, &call->operands[1], 1);
}

/* A list whose elements from @p first to @p next - 1 give way to others. */
static bool replace(const struct call *call, uint32_t first, uint32_t next,
                    const htp_operand *elements, uint32_t count, htp_operand *made)
{
    const htp_operand *list = &call->operands[0];
    *made = htp_replay_list_make(call->state, first + count + (list->count - next));
    return push_aliases(call->state, made, list->as.elements, first) &&
           push_aliases(call->state, made, elements, count) &&
           push_aliases(call->state, made, list->as.elements + next, list->count - next);
}

static bool set_item(const struct call *call, htp_operand *made)
{
    int64_t place = 0;
    return read_element(call, &place) &&
           replace(call, (uint32_t)place, (uint32_t)place + 1, &call->operands[2], 1, made);
}

static bool insert(const struct call *call, htp_operand *made)
{
    int64_t length = call->operands[0].count;
    int64_t place = 0;
    if (!read_place(call, &place)) {
        return false;
    }
    uint32_t at = (uint32_t)(place < 0 ? 0 : place > length ? length : place);
    return replace(call, at, at, &call->operands[2], 1, made);
}

static bool erase(const struct call *call, htp_operand *made)
{
    int64_t place = 0;
    return read_element(call, &place) &&
           replace(call, (uint32_t)place, (uint32_t)place + 1, NULL, 0, made);
}

static bool get_item(const struct call *call, htp_operand *made)
{
    int64_t place = 0;
    if (!read_element(call, &place)) {
        return false;
    }
    *made = call->operands[0].as.elements[place];
    return htp_replay_alias(call->state, made);
}

static bool measure(const struct call *call, htp_operand *made)
{
    *made =
        (htp_operand){.kind = HTP_OPERAND_INT, .type = HTP_NONE, .as.i = call->operands[0].count};
    return true;
}

/* Operators on lists, as interpret/lists records them. The first operand is the list, of all but
 * the one that makes a list. */
static const struct {
    const char *kind;
    uint32_t operands; /* 0: any number, the elements */
    bool (*run)(const struct call *call, htp_operand *made);
} rows[] = {
    {"prim::ListConstruct", 0, construct}, {"aten::append.t", 2, append},
    {"aten::_set_item.t", 3, set_item},    {"aten::insert.t", 3, insert},
    {"aten::Delete.t", 2, erase},          {"aten::__getitem__.t", 2, get_item},
    {"aten::len.t", 1, measure},
};

uint32_t htp_replay_list_row(const char *kind)
{
    for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strcmp(rows[i].kind, kind) == 0) {
            return i;
        }
    }
    return HTP_NONE;
}

bool htp_replay_list_run(htp_replay_state *state, uint32_t row, const htp_trace_node *node)
{
    htp_operand *operands =
        HTP_NEW_ARRAY(state->replay->means->arena, htp_operand, (size_t)node->input_count + 1);
    htp_operand made = {.kind = HTP_OPERAND_NONE, .type = HTP_NONE};
    const struct call call = {state, operands, node->input_count};
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (!htp_replay_read(state, node->inputs[i], &operands[i])) {
            return htp_replay_fails(state, "what it reads is not known");
        }
    }
    bool fits = rows[row].operands == 0 ||
                (node->input_count == rows[row].operands && htp_replay_list_is(&operands[0]));
    if (!fits || node->output_count != 1) {
        return htp_replay_fails(state, "it reads no list");
    }
    if (!rows[row].run(&call, &made)) {
        if (htp_replay_list_is(&made)) {
            htp_replay_list_drop(state, &made);
        }
        return false;
    }
    htp_replay_set(state, node->outputs[0], &made);
    return true;
}
