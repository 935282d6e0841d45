/*
 * The sizes that a program runs at: its own, and others as small as possible.
 */
#include "api/reference/reference.h"
#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

/* A choice of sizes, and how large it is. */
struct choice {
    htp_program_candidate candidate;
    int64_t elements; /* of all axes, as a measure */
    bool is_guess;
    bool is_ones; /* all axes are 1: a path of its own in many programs */
};

/* About a half or a quarter of a size, or one that is a little larger, within bounds. */
static int64_t move_size(int64_t own, uint32_t guess, const htp_bound *bound)
{
    int64_t part = (int64_t)1 << guess;
    int64_t step = bound && bound->step > 1 ? bound->step : 1;
    int64_t least = bound && bound->least > 0 ? bound->least : 1;
    bool is_smaller = guess < HTP_PROGRAM_GUESSES && own >= 2 * part;
    int64_t size = is_smaller ? own / part + 1 : own + guess;
    if (step > 1) {
        size -= ((size - bound->rest) % step + step) % step;
    }
    if (least > INT32_MAX || step > INT32_MAX) {
        return own; /* no tensor of such a size is made */
    }
    if (size < least) {
        size += (least - size + step - 1) / step * step;
    }
    return size == own ? size + step : size;
}

static int64_t count_elements(const htp_inputs *inputs, const int64_t *sizes)
{
    int64_t count = 1;
    for (uint32_t i = 0; i < inputs->axis_count; i++) {
        bool fits = !inputs->axes[i].formula;
        count = fits && __builtin_mul_overflow(count, sizes[i], &count) ? INT64_MAX : count;
    }
    return count;
}

static struct choice choose(const htp_verify_program *program, uint32_t lane, uint32_t guess)
{
    const htp_inputs *inputs = &program->fresh.work.inputs;
    int64_t *sizes = HTP_NEW_ARRAY(program->arena, int64_t, (size_t)inputs->axis_count + 1);
    bool is_ones = true;
    for (uint32_t i = 0; i < inputs->axis_count; i++) {
        sizes[i] = lane == HTP_NONE ? move_size(inputs->axes[i].sizes[0], guess,
                                                inputs->bounds ? &inputs->bounds[i] : NULL)
                                    : inputs->axes[i].sizes[lane];
        is_ones = is_ones && sizes[i] == 1;
    }
    return (struct choice){.candidate = {sizes, lane},
                           .elements = count_elements(inputs, sizes),
                           .is_guess = lane == HTP_NONE,
                           .is_ones = is_ones};
}

/* Guesses first, which are small and may be refused; then lanes, which are not; small ones first.
 */
static int compare_choices(const void *a, const void *b)
{
    const struct choice *first = a;
    const struct choice *second = b;
    if (first->is_guess != second->is_guess) {
        return first->is_guess ? -1 : 1;
    }
    if (first->is_ones != second->is_ones) {
        return first->is_ones ? 1 : -1;
    }
    return (first->elements > second->elements) - (first->elements < second->elements);
}

/* Given inputs have one choice; calls of a program with state are all at its own sizes. */
void htp_verify_program_choose_sizes(htp_verify_program *program)
{
    const htp_inputs *inputs = &program->fresh.work.inputs;
    struct choice choices[HTP_PROGRAM_CANDIDATES];
    const struct choice own = choose(program, 0, 0);
    bool is_one = program->given.entries.count > 0 || inputs->lane_count < 2;
    bool has_states = program->fresh.work.graph->state_count > 0;
    uint32_t count = 0;
    for (uint32_t guess = 1; !is_one && !has_states && guess <= HTP_PROGRAM_GUESSES; guess++) {
        choices[count] = choose(program, HTP_NONE, guess);
        count += htp_inputs_take(program->arena, inputs, choices[count].candidate.sizes);
    }
    for (uint32_t lane = 1; !is_one && !has_states && lane < inputs->lane_count; lane++) {
        choices[count++] = choose(program, lane, 0);
    }
    qsort(choices, count, sizeof(*choices), compare_choices);
    program->candidates[0] = own.candidate;
    for (uint32_t i = 0; i < count; i++) {
        program->candidates[i + 1] = choices[i].candidate;
    }
    for (uint32_t call = 1; has_states && call < HTP_VERIFY_RUNS; call++) {
        program->candidates[call] = own.candidate;
        count = call;
    }
    program->reference.candidates = count + 1;
}

int64_t htp_verify_program_size(void *user, uint32_t candidate, const char *axis)
{
    const htp_verify_program *program = user;
    const htp_inputs *inputs = &program->fresh.work.inputs;
    for (uint32_t i = 0; i < inputs->axis_count; i++) {
        if (strcmp(inputs->axes[i].symbol, axis) == 0) {
            return program->candidates[candidate].sizes[i];
        }
    }
    return 0;
}
