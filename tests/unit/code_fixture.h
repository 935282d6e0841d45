/*
 * Code of a record, read as contents.c reads it, and its tree as text.
 */
#ifndef HTP_TESTS_CODE_FIXTURE_H
#define HTP_TESTS_CODE_FIXTURE_H

#include "base/text.h"
#include "source/code/code_syntax.h"
#include "source/code/code_tokens.h"

#include <string.h>

/** Checks and reads code, of which a copy of its own size is made, so that checkers see reads
 * beyond the end. */
static inline htp_status code_read(htp_arena *arena, const char *text, htp_syntax_module *module)
{
    const size_t count = strlen(text);
    char *copy = htp_arena_alloc(arena, count ? count : 1);
    memcpy(copy, text, count);
    const htp_code_record code = {"model.pt", "code/m.py", copy, count};
    htp_code_token_list tokens = {0};
    htp_status status = htp_code_check(arena, &code, &tokens);
    if (status == HTP_OK) {
        status = htp_syntax_read(arena, &code, &tokens, module);
        module->qualifier = "__torch__.m";
    }
    return status;
}

static inline const char *code_kind(htp_syntax_kind kind)
{
    static const char *const names[] = {
        [HTP_SYNTAX_SEQUENCE] = "row",
        [HTP_SYNTAX_TUPLE] = "tuple",
        [HTP_SYNTAX_LIST] = "list",
        [HTP_SYNTAX_DICT] = "dict",
        [HTP_SYNTAX_LIST_COMPREHENSION] = "list-of",
        [HTP_SYNTAX_DICT_COMPREHENSION] = "dict-of",
        [HTP_SYNTAX_ATTRIBUTE] = "attribute",
        [HTP_SYNTAX_SUBSCRIPT] = "subscript",
        [HTP_SYNTAX_SLICE] = "slice",
        [HTP_SYNTAX_CALL] = "call",
        [HTP_SYNTAX_KEYWORD] = "keyword",
        [HTP_SYNTAX_STARRED] = "starred",
        [HTP_SYNTAX_CONDITIONAL] = "choose",
        [HTP_SYNTAX_EXPRESSION] = "do",
        [HTP_SYNTAX_ASSIGNMENT] = "assign",
        [HTP_SYNTAX_RETURN] = "return",
        [HTP_SYNTAX_RAISE] = "raise",
        [HTP_SYNTAX_ASSERT] = "assert",
        [HTP_SYNTAX_DELETE] = "del",
        [HTP_SYNTAX_GLOBAL] = "global",
        [HTP_SYNTAX_PASS] = "pass",
        [HTP_SYNTAX_BREAK] = "break",
        [HTP_SYNTAX_CONTINUE] = "continue",
        [HTP_SYNTAX_IF] = "if",
        [HTP_SYNTAX_WHILE] = "while",
        [HTP_SYNTAX_FOR] = "for",
        [HTP_SYNTAX_WITH] = "with",
        [HTP_SYNTAX_WITH_ITEM] = "item",
        [HTP_SYNTAX_FUNCTION] = "def",
        [HTP_SYNTAX_PARAMETER] = "parameter",
        [HTP_SYNTAX_CLASS] = "class",
    };
    return names[kind];
}

/** Writes a tree as "(kind parts)", with names in front of the parts, "-" for what is not there. */
static inline void code_write(htp_text *text, const htp_syntax_module *module,
                              const htp_syntax_node *node)
{
    char buffer[2];
    if (!node) {
        htp_text_add(text, "-");
        return;
    }
    if (node->kind >= HTP_SYNTAX_NAME && node->kind <= HTP_SYNTAX_ELLIPSIS) {
        htp_text_add_bytes(text, module->code.text + node->start, node->end - node->start);
        return;
    }
    htp_text_add(text, "(");
    if (node->kind == HTP_SYNTAX_AUGMENTED_ASSIGNMENT) {
        htp_text_add(text, "assign ");
    }
    htp_text_add(text, node->operation && node->kind != HTP_SYNTAX_STARRED
                           ? htp_code_token_name(node->operation, buffer)
                           : code_kind(node->kind));
    if (node->name_bytes > 0) {
        htp_text_add(text, " ");
        htp_text_add_bytes(text, module->code.text + node->name, node->name_bytes);
    }
    for (uint32_t i = 0; i < node->count; i++) {
        htp_text_add(text, " ");
        code_write(text, module, node->parts[i]);
    }
    htp_text_add(text, ")");
}

#endif
