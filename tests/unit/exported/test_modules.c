#include "exported/modules/modules.h"
#include "unit.h"

#include <string.h>

static const char *const paths[] = {"", "layers", "layers.0", "layers.1", "head"};

/* A program of these modules with one node, whose stack says where it runs. */
static htp_exported_program program_of(htp_arena *arena, const htp_exported_node *node)
{
    htp_exported_program program = {.modules = paths,
                                    .module_count = sizeof(paths) / sizeof(paths[0])};
    HTP_PUSH(arena, &program.graphs, (htp_exported_graph){.nodes = node, .node_count = 1});
    return program;
}

static const char *class_at(const htp_exported_modules *modules, const char *path)
{
    uint32_t module = htp_exported_modules_at(modules, path, strlen(path));
    ck_assert_msg(module != HTP_NONE, "%s", path);
    return modules->all.items[module].qualified_class;
}

UNIT_TEST(stacks_are_read)
{
    static const char stack[] = "L__self__,,__main__.Net;k@1,a,b.0,m.Layer;"
                                "i,_export_root,__main__.Net;j,_export_root.c,m.Head;"
                                "q,L['self'].d,m.Tail;_empty_nn_module_stack_from_hook,x,y";
    static const char *const wanted[][2] = {
        {"", "__main__.Net"}, {"a,b.0", "m.Layer"}, {"c", "m.Head"}, {"d", "m.Tail"}};
    const char *at = stack;
    htp_stack_entry entry;
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        ck_assert(htp_stack_next(&at, &entry));
        ck_assert_uint_eq(entry.path_bytes, strlen(wanted[i][0]));
        ck_assert_mem_eq(entry.path, wanted[i][0], entry.path_bytes);
        ck_assert_uint_eq(entry.class_bytes, strlen(wanted[i][1]));
        ck_assert_mem_eq(entry.class_name, wanted[i][1], entry.class_bytes);
    }
    ck_assert(!htp_stack_next(&at, &entry) && !htp_stack_next(&at, &entry));
}

UNIT_TEST(classes_come_from_stacks_and_from_the_record)
{
    static const char classes[] = "{\"layers\": \"m.Layers\", \"nothing\": \"m.None\"}";
    const htp_exported_node node = {.target = "t",
                                    .stack = "r,,Net;k,layers.0,m.Layer;h,new.x,m.X"};
    const htp_exported_program program = program_of(arena, &node);
    htp_exported_modules modules = {.by_path = {0}};
    expect_ok(htp_exported_modules_find(
        arena, &program, &(htp_exported_text){"extra/modules.json", classes, strlen(classes)},
        &modules));
    ck_assert_uint_eq(modules.all.count, 7); /* with "new" and "new.x", which the list lacks */
    ck_assert_str_eq(class_at(&modules, ""), "__main__.Net");
    ck_assert_str_eq(class_at(&modules, "layers"), "m.Layers");
    ck_assert_str_eq(class_at(&modules, "layers.0"), "m.Layer");
    ck_assert_int_eq(strncmp(class_at(&modules, "layers.1"), "torch.nn.", 9), 0);
    ck_assert_str_eq(class_at(&modules, "new.x"), "m.X");
    for (uint32_t i = 1; i < modules.all.count; i++) {
        ck_assert_uint_lt(modules.all.items[i].parent, i);
    }
}

UNIT_TEST(what_is_hostile_is_refused)
{
    const htp_exported_node node = {.target = "t", .stack = NULL};
    htp_exported_program program = program_of(arena, &node);
    htp_exported_modules modules = {.by_path = {0}};
    expect_failure(htp_exported_modules_find(arena, &program,
                                             &(htp_exported_text){"extra/modules.json", "[1]", 3},
                                             &modules),
                   HTP_CODE_BAD_INPUT, "is no JSON object");
    modules = (htp_exported_modules){.by_path = {0}};
    expect_failure(
        htp_exported_modules_find(
            arena, &program, &(htp_exported_text){"extra/modules.json", "{\"a\": 1}", 8}, &modules),
        HTP_CODE_BAD_INPUT, "is no text");
    char *deep = htp_arena_alloc(arena, 4001);
    for (size_t i = 0; i < 4000; i++) {
        deep[i] = i % 2 ? '.' : 'a';
    }
    const char *const hostile[] = {"", deep};
    program.modules = hostile;
    program.module_count = 2;
    modules = (htp_exported_modules){.by_path = {0}};
    expect_failure(
        htp_exported_modules_find(arena, &program, &(htp_exported_text){NULL, NULL, 0}, &modules),
        HTP_CODE_UNSUPPORTED, "in more than 1000 others");
}

UNIT_TEST(tensors_belong_to_modules)
{
    const htp_exported_node node = {.target = "t", .stack = NULL};
    const htp_exported_program program = program_of(arena, &node);
    htp_exported_modules modules = {.by_path = {0}};
    htp_exported_weights weights = {.by_name = {0}};
    expect_ok(
        htp_exported_modules_find(arena, &program, &(htp_exported_text){NULL, NULL, 0}, &modules));
    HTP_PUSH(arena, &weights.all, (htp_weight){.name = "layers.1.weight"});
    HTP_PUSH(arena, &weights.all, (htp_weight){.name = "lifted"});
    HTP_PUSH(arena, &weights.all, (htp_weight){.name = "gone.bias"});
    htp_exported_modules_own(&modules, &weights);
    ck_assert_uint_eq(weights.all.items[0].module, 3);
    ck_assert_uint_eq(weights.all.items[1].module, 0);
    ck_assert_uint_eq(weights.all.items[2].module, HTP_NONE);
}

UNIT_MAIN("modules", stacks_are_read, classes_come_from_stacks_and_from_the_record,
          what_is_hostile_is_refused, tensors_belong_to_modules)
