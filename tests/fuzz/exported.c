/*
 * A program of torch.export: its JSON, and, where that is one, the numbers that its formulas have;
 * behind a '#' or a '?' a formula of sizes, or a guard, alone.
 */
#include "fuzz.h"

#include "exported/document/document.h"
#include "exported/symbols/symbols.h"

#include <string.h>

enum { SIZE = 7 };

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

/* Evaluates all formulas with nothing given: symbols that the data decides have numbers. */
static htp_status bind(htp_arena *arena, const htp_exported_program *program)
{
    htp_exported_symbols symbols;
    const char **paths = HTP_NEW_ARRAY(arena, const char *, (size_t)program->input_count + 1);
    const htp_input **given =
        HTP_NEW_ARRAY(arena, const htp_input *, (size_t)program->input_count + 1);
    HTP_TRY(htp_exported_symbols_read(arena, program, paths, &symbols));
    HTP_TRY(htp_exported_symbols_bind(&symbols, given, HTP_MAX_LANES));
    for (uint32_t i = 0; i < program->expressions.count; i++) {
        const htp_exported_size size = {.expression = i};
        (void)htp_exported_symbols_value(&symbols, &size, 0);
    }
    return HTP_OK;
}

static htp_status check(htp_arena *arena, htp_arena *scratch, const char *text, size_t size)
{
    htp_exported_program program = {.major = 0};
    if (*text == '#' || *text == '?') {
        return read_formula(arena, text + 1, *text == '?');
    }
    HTP_TRY(htp_document_read(arena, scratch, text, size, &program));
    htp_exported_signature signature;
    HTP_TRY(htp_exported_signature_read(arena, &program, &signature));
    return bind(arena, &program);
}

void fuzz_exported(const uint8_t *data, size_t size)
{
    htp_arena arena;
    htp_arena scratch;
    htp_arena_init(&arena);
    htp_arena_init(&scratch);
    if (htp_arena_recover(&arena) == 0 && htp_arena_recover(&scratch) == 0) {
        (void)fuzz_is_ok(check(&arena, &scratch, htp_arena_copy(&arena, data, size), size));
    }
    htp_arena_free(&scratch);
    htp_arena_free(&arena);
}
