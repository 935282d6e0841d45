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
#define READ(name)                                                                                 \
    do {                                                                                           \
        htp_##name *made = NULL;                                                                   \
        FUZZ_CHECK(fuzz_is_ok(htp_##name##_from_json(json, &made)) == (made != NULL));             \
        htp_options_free(made);                                                                    \
    } while (0)
    READ(options);
    READ(inspect_options);
    READ(selection);
    READ(validate_options);
    READ(verify_options);
    READ(quality_options);
    READ(extraction);
    READ(splitting);
    READ(replacing);
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
