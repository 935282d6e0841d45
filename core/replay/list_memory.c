/*
 * Memory of lists whose length depends on the data.
 *
 * A list is the beginning of a block of elements. What is appended goes into the same block where
 * the list is all of it, so that a loop that appends takes linear time. The operand of such a list
 * has the bytes of its block, which those of other lists do not have.
 */
#include "replay/run.h"

#include <stddef.h>

/* Elements, which the block owns. */
struct block {
    uint32_t users; /* lists that begin with its elements */
    uint32_t used;
    uint32_t room;
    htp_operand elements[];
};

static struct block *block_of(const htp_operand *list)
{
    return (struct block *)((char *)list->as.elements - offsetof(struct block, elements));
}

static size_t block_bytes(uint32_t room)
{
    return sizeof(struct block) + room * sizeof(htp_operand);
}

htp_operand htp_replay_list_make(const htp_replay_state *state, uint32_t room)
{
    struct block *block = htp_arena_alloc(state->replay->means->arena, block_bytes(room));
    *block = (struct block){.users = 1, .room = room};
    return (htp_operand){.kind = HTP_OPERAND_LIST,
                         .type = HTP_NONE,
                         .as.elements = block->elements,
                         .bytes = block_bytes(room)};
}

bool htp_replay_list_is(const htp_operand *operand)
{
    return operand->kind == HTP_OPERAND_LIST && operand->bytes > 0;
}

bool htp_replay_list_has_room(const htp_operand *list)
{
    const struct block *block = block_of(list);
    return list->count == block->used && block->used < block->room;
}

void htp_replay_list_push(htp_operand *list, const htp_operand *element)
{
    struct block *block = block_of(list);
    block->elements[block->used++] = *element;
    list->count++;
}

htp_operand htp_replay_list_new(const htp_replay_state *state, const htp_operand *elements,
                                uint32_t count)
{
    htp_operand list = htp_replay_list_make(state, count);
    for (uint32_t i = 0; i < count; i++) {
        htp_replay_list_push(&list, &elements[i]);
    }
    return list;
}

void htp_replay_list_hold(const htp_operand *list)
{
    block_of(list)->users++;
}

void htp_replay_list_drop(const htp_replay_state *state, const htp_operand *list)
{
    const htp_runner *runner = state->replay->means->runner;
    struct block *block = block_of(list);
    if (--block->users > 0) {
        return;
    }
    for (uint32_t i = 0; i < block->used; i++) {
        if (block->elements[i].kind == HTP_OPERAND_TENSOR) {
            runner->drop(runner->self, block->elements[i].as.tensor);
        }
    }
    htp_arena_release(state->replay->means->arena, block, block_bytes(block->room));
}
