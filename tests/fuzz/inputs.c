/*
 * What --input takes, a line each, for a method with arguments of all kinds; or, if it begins with
 * a brace, the JSON of --inputs.
 */
#include "fuzz.h"

#include "source/inputs/inputs.h"

#include <string.h>

enum { MOST_LINES = 64 };

static const htp_argument tensor = {.name = "", .kind = HTP_TRACE_TENSOR, .type = "Tensor"};

static const htp_argument arguments[] = {
    {.name = "x", .kind = HTP_TRACE_TENSOR, .type = "Tensor"},
    {.name = "mask", .kind = HTP_TRACE_TENSOR, .type = "Optional[Tensor]", .is_optional = true},
    {.name = "n", .kind = HTP_TRACE_INT, .type = "int", .is_optional = true, .has_default = true},
    {.name = "scale", .kind = HTP_TRACE_FLOAT, .type = "float", .is_optional = true},
    {.name = "past",
     .kind = HTP_TRACE_LIST,
     .type = "List[Tensor]",
     .is_optional = true,
     .items = &tensor,
     .item_count = 1,
     .is_open = true},
    {.name = "named",
     .kind = HTP_TRACE_LIST,
     .type = "Dict[str, Tensor]",
     .is_optional = true,
     .items = &tensor,
     .item_count = 1,
     .is_open = true,
     .is_dict = true},
};

enum { ARGUMENTS = sizeof(arguments) / sizeof(arguments[0]) };

static htp_status parse(htp_arena *arena, char *text, htp_inputs *inputs)
{
    const char *lines[MOST_LINES];
    size_t count = 0;
    if (*text == '{') {
        return htp_inputs_parse_json(arena, "inputs", text, false, arguments, ARGUMENTS, inputs);
    }
    for (char *line = strtok(text, "\n"); line && count < MOST_LINES; line = strtok(NULL, "\n")) {
        lines[count++] = line;
    }
    return htp_inputs_parse(arena, lines, count, arguments, ARGUMENTS, inputs);
}

void fuzz_inputs(const uint8_t *data, size_t size)
{
    htp_arena arena;
    htp_inputs inputs = {.count = 0};
    htp_arena_init(&arena);
    if (htp_arena_recover(&arena) == 0 &&
        fuzz_is_ok(parse(&arena, htp_arena_copy(&arena, data, size), &inputs))) {
        FUZZ_CHECK(inputs.lane_count >= 1 && inputs.lane_count <= HTP_MAX_LANES);
        for (uint32_t i = 0; i < inputs.count; i++) {
            FUZZ_CHECK(inputs.items[i].rank <= HTP_MAX_RANK);
            FUZZ_CHECK(inputs.paths[i].argument < ARGUMENTS);
        }
    }
    htp_arena_free(&arena);
}
