/*
 * Programs of torch.export. The first byte of an input decides its kind: an archive; a pickle, read
 * as a state; after '#' a formula of sizes, after '?' a guard; anything else is the JSON of a
 * program, which is traced with the weights of fuzz_program_file().
 */
#include "fuzz.h"

#include "exported/exported.h"
#include "exported/expression/expression.h"
#include "source/pickle/pickle.h"
#include "storages.h"

#include <string.h>

enum { SIZE = 7 };

/* ---- formulas ---- */

static htp_status read_formula(htp_arena *arena, const char *text, bool is_guard)
{
    htp_interned symbols = {.arena = arena};
    htp_exported_formula formula;
    HTP_TRY(is_guard ? htp_exported_guard_read(&symbols, text, &formula)
                     : htp_exported_formula_read(&symbols, text, &formula));
    const uint32_t count = (uint32_t)symbols.strings.count;
    htp_exported_number *numbers = HTP_NEW_ARRAY(arena, htp_exported_number, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = htp_exported_integer(SIZE + i);
    }
    const htp_exported_number value = htp_exported_formula_value(&formula, numbers, count);
    FUZZ_CHECK(value.kind != HTP_EXPORTED_RATIO || value.over > 0);
    return HTP_OK;
}

/* ---- states ---- */

static htp_status read_state(htp_arena *arena, const uint8_t *bytes, size_t size)
{
    const htp_archive archive = fuzz_storages(arena);
    const htp_pickle pickle = {.path = "state",
                               .name = "data.pkl",
                               .bytes = bytes,
                               .count = (uint32_t)size,
                               .archive = &archive,
                               .storages = "data/",
                               .role = HTP_PICKLE_OF_STATE,
                               .kept = arena};
    htp_pickle_contents contents = {.cost = 0};
    HTP_TRY(htp_pickle_check(arena, &pickle, &contents));
    for (size_t i = 0; i < contents.tensors.count; i++) {
        const htp_pickle_tensor *tensor = &contents.tensors.items[i];
        FUZZ_CHECK(tensor->name + (size_t)tensor->name_bytes <= size &&
                   tensor->rank <= HTP_MAX_RANK);
        for (uint32_t k = 0; k < tensor->rank; k++) {
            FUZZ_CHECK(tensor->sizes[k] >= 0 && tensor->strides[k] >= 0);
        }
    }
    return HTP_OK;
}

/* ---- programs ---- */

/* Traces a second call, in which every other state that the first one changed is an input. */
static htp_status trace_again(htp_source *source, htp_arena *arena, htp_trace_request request,
                              const htp_trace *before)
{
    static const htp_trace_carry ways[] = {{.is_input = true}, {.is_input = false}};
    htp_trace_carried *carried =
        HTP_NEW_ARRAY(arena, htp_trace_carried, (size_t)before->state_count + 1);
    for (uint32_t i = 0; i < before->state_count; i++) {
        const htp_trace_state *state = &before->states[i];
        if (state->after != state->before) {
            carried[request.carried_count++] =
                (htp_trace_carried){.name = state->name, .parts = &ways[i % 2], .part_count = 1};
        }
    }
    request.carried = carried;
    htp_trace_result result;
    return request.carried_count > 0 ? htp_source_trace(source, &request, &result) : HTP_OK;
}

static htp_status find_calls(const htp_source *source, htp_arena *arena, const htp_trace *trace)
{
    htp_watch watch = {.label = "nodes"};
    htp_source_calls calls;
    HTP_TRY(htp_source_find_calls(source, arena, &watch, &calls));
    FUZZ_CHECK(calls.node_count == trace->node_count);
    return HTP_OK;
}

/* Traces calls with the sizes of the example, in several lanes if the data decides some. */
static htp_status trace(htp_source *source, htp_arena *arena)
{
    const htp_named_operator *operators;
    const htp_input *inputs;
    uint32_t count;
    HTP_TRY(htp_source_choose_method(source, 0, "forward"));
    HTP_TRY(htp_source_find_operators(source, &operators, &count));
    HTP_TRY(htp_source_find_inputs(source, &inputs, &count));
    htp_trace_request request = {.inputs = inputs, .input_count = count, .lane_count = 1};
    htp_trace_result result;
    htp_status status = htp_source_trace(source, &request, &result);
    if (result.needs_lanes) {
        htp_status_free(status);
        request.lane_count = HTP_MAX_LANES;
        status = htp_source_trace(source, &request, &result);
    }
    HTP_TRY(status);
    HTP_TRY(find_calls(source, arena, result.trace));
    return trace_again(source, arena, request, result.trace);
}

static htp_status open_and_trace(htp_source *source, htp_arena *arena, const char *path)
{
    static const htp_reader *const readers[] = {&htp_exported_reader, NULL};
    static const htp_source_options options = {.model = NULL};
    HTP_TRY(htp_source_open(source, arena, path, readers, &options));
    return trace(source, arena);
}

static void read_file(const char *path)
{
    htp_arena arena;
    htp_source source = {.path = NULL};
    htp_arena_init(&arena);
    if (htp_arena_recover(&arena) == 0) {
        (void)fuzz_is_ok(open_and_trace(&source, &arena, path));
    }
    htp_source_close(&source, false);
    htp_arena_free(&arena);
}

/* ---- all of them ---- */

static void read_alone(const uint8_t *data, size_t size)
{
    htp_arena arena;
    htp_arena_init(&arena);
    if (htp_arena_recover(&arena) == 0) {
        const uint8_t *copy = (const uint8_t *)htp_arena_copy(&arena, data, size);
        (void)fuzz_is_ok(*data == 0x80
                             ? read_state(&arena, copy, size)
                             : read_formula(&arena, (const char *)copy + 1, *data == '?'));
    }
    htp_arena_free(&arena);
}

void fuzz_exported(const uint8_t *data, size_t size)
{
    const uint8_t first = size > 0 ? *data : 0;
    if (first == '#' || first == '?' || first == 0x80) {
        read_alone(data, size);
    } else if (first == 'P') {
        read_file(fuzz_file(0, data, size));
    } else {
        read_file(fuzz_program_file(data, size));
    }
}
