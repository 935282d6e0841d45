/*
 * A run in progress, and its values. Private to core/replay.
 */
#ifndef HTP_REPLAY_RUN_H
#define HTP_REPLAY_RUN_H

#include "base/numbers.h"
#include "replay/replay.h"

struct htp_replay {
    htp_replay_means *means;
    const htp_graph *graph;
    htp_numbers *nodes;   /* by block: those that run */
    htp_node_id *last;    /* by value: the last node of block 0 that reads it, or whose bodies do */
    htp_numbers *dropped; /* by node of block 0: values of which it is the last reader */
    uint32_t *schemas;    /* by node: of its operator; HTP_NONE */
    uint32_t *lists;      /* by node: of an operator on lists, htp_replay_list_row(); HTP_NONE */
    uint32_t cast, number; /* schemas: aten::to.dtype, prim::NumToTensor */
};

/** A run. */
typedef struct htp_replay_state {
    const htp_replay *replay;
    const htp_replay_request *request;
    htp_operand *operands; /* by value */
    bool *is_made;         /* by value */
    uint32_t depth;        /* of bodies under way */
    htp_numbers within;    /* values that bodies under way made */
    htp_replay_gap *gap;
    htp_status failure; /* of take() */
    htp_error reason;   /* why the last operator did not run */
} htp_replay_state;

/** The operand of a value. @return false where it is unknown */
bool htp_replay_read(htp_replay_state *state, htp_value_id id, htp_operand *operand);

/** Sets a value, and hands it over if it is wanted. */
void htp_replay_set(htp_replay_state *state, htp_value_id id, const htp_operand *operand);

/** Another tensor on the same memory, so that one may be dropped without the other; one more holder
 * of a list; other operands themselves. */
bool htp_replay_alias(htp_replay_state *state, htp_operand *operand);

/** Frees the memory of a value. */
void htp_replay_drop(htp_replay_state *state, htp_value_id id);

/** Runs an operator. @param outputs  owned by the runner */
bool htp_replay_call(htp_replay_state *state, uint32_t schema, const htp_operand *inputs,
                     uint32_t count, const htp_operand **outputs, uint32_t *output_count);

/** Whether an argument of an operator is an object with packed weights. @param name  without
 * overload */
bool htp_replay_is_packed(const char *name, const char *argument);

/** Makes that object of the weights that the node reads. */
bool htp_replay_pack(htp_replay_state *state, const htp_trace_node *node, const char *name,
                     const char *argument, htp_operand *object);

/** Notes why an operator does not run. @return false */
bool htp_replay_fails(htp_replay_state *state, const char *reason);

/** An empty list as the operand of a value of HTP_TRACE_SEQUENCE, with room for @p room tensors. */
htp_operand htp_replay_list_make(const htp_replay_state *state, uint32_t room);

/** Such a list of tensors, which it owns from then on. */
htp_operand htp_replay_list_new(const htp_replay_state *state, const htp_operand *elements,
                                uint32_t count);

/** Whether an element can be appended without copying the others. */
bool htp_replay_list_has_room(const htp_operand *list);

/** Appends a tensor, which the list owns from then on, to one that has room. */
void htp_replay_list_push(htp_operand *list, const htp_operand *element);

/** Whether an operand is such a list: others have no memory of their own. */
bool htp_replay_list_is(const htp_operand *operand);

/** One more holder of a list, each of which drops it. */
void htp_replay_list_hold(const htp_operand *list);

/** Drops it. The last holder frees its tensors. */
void htp_replay_list_drop(const htp_replay_state *state, const htp_operand *list);

/** The number of an operator on such lists; HTP_NONE for other kinds. */
uint32_t htp_replay_list_row(const char *kind);

/** Runs one. */
bool htp_replay_list_run(htp_replay_state *state, uint32_t row, const htp_trace_node *node);

/** Runs the nodes of a block. */
void htp_replay_block(htp_replay_state *state, uint32_t block);

/** Runs a prim::If or prim::Loop. @return false where its condition or operands are unknown */
bool htp_replay_control(htp_replay_state *state, const htp_trace_node *node);

#endif
