/*
 * Constants, weights and operators of a trace, on real tensors. Private to the core.
 */
#ifndef HTP_REPLAY_OPERATORS_H
#define HTP_REPLAY_OPERATORS_H

#include "onnx/builder/builder.h"

#include <htp/program.h>
#include <htp/runner.h>

/** What operators run with. */
typedef struct htp_replay_means {
    htp_arena *arena;
    htp_builder *model; /* of the graph, whose weights are read */
    const htp_program *program;
    const htp_runner *runner;
    struct htp_payload *payload; /* reads weights; made on first use */
} htp_replay_means;

/** The index of an operator, "aten::add.Tensor", among the program's schemas; HTP_NONE: this
 * libtorch does not have it. */
uint32_t htp_replay_find(const htp_replay_means *means, const char *kind);

/** Whether an operator may run on contents: it makes its outputs from its operands, checks them, or
 * has checks here, and does nothing else. */
bool htp_replay_may_run(const htp_program_schema *schema);

/** Whether contents that its kernel takes as positions, or sizes that it trusts, are checked
 * before it runs. */
bool htp_replay_has_check(const htp_program_schema *schema);

/** Whether the operands pass these checks. @param schema  index of the operator
 * @param reason  receives a line if not */
bool htp_replay_check(const htp_replay_means *means, uint32_t schema, const htp_operand *inputs,
                      uint32_t count, htp_error *reason);

/** Whether an operator may run on these operands: all checks pass. Parameters as in
 * htp_replay_check() */
bool htp_replay_allows(const htp_replay_means *means, uint32_t schema, const htp_operand *inputs,
                       uint32_t count, htp_error *reason);

/** Gives empty lists among the operands their types, and makes numbers lists where the schema has
 * lists of fixed length. */
void htp_replay_declare_lists(htp_arena *arena, const htp_program_schema *schema,
                              htp_operand *inputs, uint32_t count);

/** None, a text or a number as an operand, in a lane. @return false for other kinds */
bool htp_replay_plain(const htp_trace_value *value, uint32_t lane, htp_operand *operand);

/** Whether the runner has done something. If it ran out of memory, so does the arena. */
static inline bool htp_replay_has_run(const htp_replay_means *means, htp_run_code code)
{
    if (code == HTP_RUN_NO_MEMORY) {
        htp_arena_exhaust(means->arena);
    }
    return code == HTP_RUN_OK;
}

/** A tensor of the value's dtype and rank, made of its bytes. */
bool htp_replay_tensor(const htp_replay_means *means, const htp_trace_value *value,
                       const int64_t *dims, const void *bytes, size_t count, htp_operand *operand);

/** A copy of a weight of at most @p most bytes. */
bool htp_replay_weight(htp_replay_means *means, const htp_trace_value *value, uint64_t most,
                       htp_operand *operand);

#endif
