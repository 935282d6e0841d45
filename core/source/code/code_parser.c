#include "source/code/code_parser.h"

#include <string.h>

/* Of the parser's calls and of trees. libtorch's compiler overflows its stack at a multiple of it.
 */
enum { DEPTH_LIMIT = 2500 };

/* ---- tokens ---- */

void htp_parser_begin(htp_parser *parser, htp_arena *arena, const htp_code_record *code,
                      const htp_code_token_list *tokens)
{
    *parser = (htp_parser){.arena = arena, .code = code, .next = tokens->items};
    htp_parser_advance(parser);
}

htp_status htp_parser_fail(const htp_parser *parser, const char *wanted)
{
    const htp_code_record *code = parser->code;
    char buffer[2];
    return htp_status_make(HTP_CODE_BAD_INPUT,
                           "%s: expected %s but found '%s' here, in %s, line %zu", code->path,
                           wanted, htp_code_token_name(parser->current.kind, buffer), code->name,
                           htp_code_line(code, parser->current.start));
}

htp_status htp_parser_expect(htp_parser *parser, uint32_t kind)
{
    char buffer[2];
    if (!htp_parser_is_at(parser, kind)) {
        return htp_parser_fail(parser, htp_code_token_name(kind, buffer));
    }
    htp_parser_advance(parser);
    return HTP_OK;
}

/* ---- nodes ---- */

static htp_status refuse_depth(const htp_parser *parser, uint32_t offset)
{
    return htp_code_refuse(parser->code, offset, "levels of code are", DEPTH_LIMIT);
}

htp_status htp_parser_enter(htp_parser *parser)
{
    return ++parser->depth > DEPTH_LIMIT ? refuse_depth(parser, parser->current.start) : HTP_OK;
}

void htp_parser_push_nothing(htp_parser *parser)
{
    HTP_PUSH(parser->arena, &parser->stack, NULL);
}

htp_status htp_parser_fold(htp_parser *parser, htp_syntax_kind kind, const htp_code_token *token,
                           uint32_t count)
{
    htp_syntax_node *node = htp_arena_alloc(
        parser->arena, sizeof(htp_syntax_node) + (size_t)count * sizeof(node->parts[0]));
    node->kind = kind;
    node->start = token->start;
    node->end = token->end;
    node->height = 1;
    node->count = count;
    parser->stack.count -= count;
    for (uint32_t i = 0; i < count; i++) {
        const htp_syntax_node *part = parser->stack.items[parser->stack.count + i];
        node->parts[i] = part;
        if (part) {
            node->start = part->start < node->start ? part->start : node->start;
            node->end = part->end > node->end ? part->end : node->end;
            node->height = part->height >= node->height ? part->height + 1 : node->height;
        }
    }
    HTP_PUSH(parser->arena, &parser->stack, node);
    return node->height > DEPTH_LIMIT ? refuse_depth(parser, node->start) : HTP_OK;
}

void htp_parser_name(htp_parser *parser, const htp_code_token *token)
{
    htp_syntax_node *node = htp_parser_top(parser);
    node->name = token->start;
    node->name_bytes = token->end - token->start;
}

htp_status htp_parser_take_name(htp_parser *parser, htp_code_token *name)
{
    *name = parser->current;
    return htp_parser_expect(parser, HTP_TOKEN_NAME);
}

htp_status htp_parser_list(htp_parser *parser, uint32_t end, htp_parse_fn parse, uint32_t *count)
{
    *count = 0;
    while (end == 0 || !htp_parser_is_at(parser, end)) {
        HTP_TRY(parse(parser));
        ++*count;
        if (!htp_parser_is_at(parser, ',')) {
            break;
        }
        htp_parser_advance(parser);
    }
    return end == 0 ? HTP_OK : htp_parser_expect(parser, end);
}

bool htp_syntax_is_name(const htp_syntax_module *module, const htp_syntax_node *node,
                        const char *name)
{
    return node->kind == HTP_SYNTAX_NAME && node->name_bytes == strlen(name) &&
           memcmp(module->code.text + node->name, name, node->name_bytes) == 0;
}
