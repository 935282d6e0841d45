/*
 * prim::If: one side if the condition is known, or both.
 */
#include "interpret/control/blocks.h"
#include "interpret/sizes/sizes.h"

#include <string.h>

static bool raises(const htp_program_function *function, uint32_t block)
{
    const htp_program_block *code = &function->blocks[block];
    for (uint32_t i = 0; i < code->node_count; i++) {
        if (strcmp(function->nodes[code->first_node + i].kind, "prim::RaiseException") == 0) {
            return true;
        }
    }
    return false;
}

/* Finds the side to take of a check, whose other side raises: one on sizes that passes in every
 * lane, or one on data. @return whether it is a check */
static bool find_check(const htp_machine *m, const htp_step *step, bool *side)
{
    const htp_item *condition = step->inputs.items[0];
    if (!htp_is_bool(condition)) {
        return false;
    }
    const htp_program_function *function = &step->frame->code->function;
    bool first_raises = raises(function, step->node->blocks[0]);
    if (first_raises == raises(function, step->node->blocks[1])) {
        return false;
    }
    *side = !first_raises;
    bool passes = true;
    for (uint32_t lane = 0; htp_has_lanes(condition) && lane < m->lane_count; lane++) {
        passes = passes && htp_branch_is_side(condition, lane, *side);
    }
    return passes;
}

/* A branch whose two sides run. */
typedef struct conditional {
    const htp_program_node *node;
    htp_frame *frame;
    htp_place place;
} conditional;

static htp_outcome run_branch(htp_machine *m, const void *data, bool side, htp_items *outputs)
{
    const conditional *branch = data;
    return htp_control_run_block(m, branch->frame, branch->node->blocks[side ? 0 : 1],
                                 &branch->place, outputs);
}

htp_outcome htp_do_if(htp_machine *m, htp_step *step, htp_items *outputs)
{
    if (step->inputs.count == 0 || step->node->block_count < 2) {
        return htp_machine_stop(m, HTP_FAILS, "a branch has no condition or no sides");
    }
    m->recording.has_control = true;
    htp_item *condition = step->inputs.items[0];
    bool side = false;
    bool is_check = find_check(m, step, &side);
    if (!is_check && !htp_is_decided(condition) && condition->kind == HTP_ITEM_PLAIN) {
        conditional *branch = HTP_NEW(m->arena, conditional);
        *branch = (conditional){step->node, step->frame, step->place};
        return htp_branch_run(m, condition, &branch->place, (htp_side){run_branch, branch},
                              HTP_ALL_LIVE, outputs);
    }
    HTP_DO(is_check ? htp_sizes_learn(m, condition, side)
                    : htp_item_require_flag(m, condition, &step->place, &side));
    return htp_control_run_block(m, step->frame, step->node->blocks[side ? 0 : 1], &step->place,
                                 outputs);
}
