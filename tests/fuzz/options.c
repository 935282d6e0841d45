/*
 * JSON: as options of each function that takes some, and as a tree, whose strings and numbers are
 * read.
 */
#include "fuzz.h"

#include "base/json/json_tree.h"

#include <htp/json.h>
#include <string.h>

static void read_options(const char *json)
{
#define READ(type, function)                                                                       \
    do {                                                                                           \
        type *options = NULL;                                                                      \
        FUZZ_CHECK(fuzz_is_ok(function(json, &options)) == (options != NULL));                     \
        htp_options_free(options);                                                                 \
    } while (0)
    READ(htp_options, htp_options_from_json);
    READ(htp_inspect_options, htp_inspect_options_from_json);
    READ(htp_selection, htp_selection_from_json);
    READ(htp_validate_options, htp_validate_options_from_json);
    READ(htp_verify_options, htp_verify_options_from_json);
    READ(htp_quality_options, htp_quality_options_from_json);
    READ(htp_extraction, htp_extraction_from_json);
    READ(htp_splitting, htp_splitting_from_json);
    READ(htp_replacing, htp_replacing_from_json);
#undef READ
}

static void read_node(htp_arena *arena, const htp_json_node *node, const char *end)
{
    int64_t integer;
    double real;
    size_t bytes;
    FUZZ_CHECK(node->at <= end && node->span >= 1);
    if (node->kind == '"') {
        FUZZ_CHECK(node->length <= (size_t)(end - node->at));
        const char *text = htp_json_node_text(arena, node, &bytes);
        FUZZ_CHECK(bytes <= node->length && text[bytes] == '\0');
    }
    if (htp_json_node_integer(node, &integer)) {
        FUZZ_CHECK(node->kind == '0');
    }
    (void)htp_json_node_real(node, &real);
}

static void read_tree(htp_arena *arena, const char *text, size_t size)
{
    htp_json_failure failure = {.what = NULL};
    const htp_json_node *root = htp_json_tree_read(arena, text, size, &failure);
    FUZZ_CHECK(root || failure.what);
    for (uint32_t i = 0; root && i < root->span; i++) {
        read_node(arena, root + i, text + size);
    }
}

void fuzz_options(const uint8_t *data, size_t size)
{
    htp_arena arena;
    htp_arena_init(&arena);
    if (htp_arena_recover(&arena) == 0) {
        const char *text = htp_arena_copy(&arena, data, size);
        read_tree(&arena, text, size);
        read_options(text);
    }
    htp_arena_free(&arena);
}
