/*
 * A record of code: its tokens, tree, declarations, and the cost of its tuples.
 */
#include "fuzz.h"

#include "source/code/code_tokens.h"
#include "source/code/code_tuples.h"
#include "source/code/code_values.h"

static htp_status check(htp_arena *arena, const htp_code_record *code)
{
    htp_syntax_module module;
    htp_code_token_list tokens = {0};
    HTP_TRY(htp_code_check(arena, code, &tokens));
    HTP_TRY(htp_syntax_read(arena, code, &tokens, &module));
    HTP_TRY(htp_values_check(&module));
    module.qualifier = "__torch__";
    return htp_tuples_check(arena, "model.pt", &module, 1, 0);
}

void fuzz_code(const uint8_t *data, size_t size)
{
    const htp_code_record code = {"model.pt", "code/__torch__.py", (const char *)data, size};
    htp_arena arena;
    htp_arena_init(&arena);
    if (htp_arena_recover(&arena) == 0) {
        (void)fuzz_is_ok(check(&arena, &code));
    }
    htp_arena_free(&arena);
}
