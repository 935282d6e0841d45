/*
 * Models that are chains of nodes, and their trees of modules.
 */
#ifndef HTP_TESTS_QUERY_FIXTURE_H
#define HTP_TESTS_QUERY_FIXTURE_H

#include "proto_fixture.h"
#include "query/select/region.h"

/* A chain of Neg nodes: the first has attribute or metadata @p key with the first tag, and so on.
 */
static inline message chain_of(htp_arena *arena, const char *attribute, const char *key,
                               const char *const *tags, size_t count)
{
    message graph = message_new(arena);
    for (size_t i = 0; i < count; i++) {
        message node =
            node_of(arena, "Neg", htp_arena_printf(arena, "n%zu", i),
                    htp_arena_printf(arena, "v%zu", i), "", htp_arena_printf(arena, "v%zu", i + 1));
        if (attribute) {
            message value = message_new(arena);
            put_text(&value, 1, attribute);
            put_text(&value, 4, tags[i]);
            put_number(&value, 20, HTP_VIEW_STRING);
            put_message(&node, 5, &value);
        } else {
            put_entry(&node, 9, key, tags[i]);
        }
        put_message(&graph, 1, &node);
    }
    message input = info_of(arena, "v0");
    message output = info_of(arena, htp_arena_printf(arena, "v%zu", count));
    put_message(&graph, 11, &input);
    put_message(&graph, 12, &output);
    return model_of(arena, &graph);
}

static const char *const layers[] = {
    "/Net",
    "/Net/Encoder/Layer.1/Attention",
    "/Net/Encoder/Layer.1",
    "/Net/Encoder/Layer.10/Attention",
    "/Net/Encoder/Layer.10",
    "/Net/Head",
};

static htp_view view;
static htp_tree tree;

static inline void open_tree(htp_arena *arena, const message *model)
{
    open_model(&view, arena, model);
    htp_status status = htp_tree_find(&view, &tree);
    ck_assert_msg(status == HTP_OK, "%s", htp_status_message(status));
}

static inline void close_tree(void)
{
    htp_tree_close(&tree);
    htp_view_close(&view);
}

#endif
