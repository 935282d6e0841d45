#include "program_fixture.h"
#include "source/program/modules.h"

/* The modules of a program, one per line: path, class, parent, aliases; then its weights. */
static const char *modules_of(htp_arena *arena, const char *program)
{
    htp_instances found = {.modules = {0}};
    htp_text text = {.arena = arena};
    expect_ok(htp_modules_find(arena, program_read(arena, program), &found));
    for (size_t i = 0; i < found.modules.count; i++) {
        const htp_instance *module = &found.modules.items[i];
        htp_text_addf(&text, "'%s' %s of %d", module->path, module->qualified_class,
                      (int)module->parent);
        for (size_t a = 0; a < module->alias_count; a++) {
            htp_text_addf(&text, " = %s", module->aliases[a]);
        }
        htp_text_addf(&text, "%s\n", module->is_frozen ? " frozen" : "");
    }
    for (size_t i = 0; i < found.weights.count; i++) {
        const htp_weight *weight = &found.weights.items[i];
        htp_text_addf(&text, "%s %s of %u in %u\n", weight->name,
                      weight->is_parameter ? "parameter"
                      : weight->is_buffer  ? "buffer"
                                           : "constant",
                      (unsigned)weight->module, (unsigned)weight->storage);
    }
    return htp_text_string(&text);
}

UNIT_TEST(modules_are_listed_depth_first_in_order)
{
    ck_assert_str_eq(modules_of(arena, "class a.Net first=a.Block second=a.Last\n"
                                       "class a.Last\n"
                                       "class a.Block inner=Own\n"
                                       "class Own n=3\n"),
                     "'' a.Net of -1\n"
                     "'first' a.Block of 0\n"
                     "'first.inner' __main__.Own of 1\n"
                     "'second' a.Last of 0 frozen\n");
}

UNIT_TEST(an_instance_that_is_met_again_has_further_paths)
{
    ck_assert_str_eq(modules_of(arena, "class a.Net first=a.Block second=a.Last third=a.Block\n"
                                       "class a.Block last=a.Last n=1\n"
                                       "class a.Last n=1\n"),
                     "'' a.Net of -1\n"
                     "'first' a.Block of 0 = third\n"
                     "'first.last' a.Last of 1 = second\n");
}

UNIT_TEST(a_module_within_itself_ends)
{
    ck_assert_str_eq(modules_of(arena, "class a.Net own=a.Net n=1\n"), "'' a.Net of -1 = own\n");
}

UNIT_TEST(weights_are_those_of_modules_in_order)
{
    ck_assert_str_eq(modules_of(arena, "class a.Net w!=tensor[2,3]@9 block=a.Block b=tensor[3]\n"
                                       "class a.Block w!=tensor[2,3]@9 n=3 none=None "
                                       "rows=list[tensor[2]]\n"),
                     "'' a.Net of -1\n"
                     "'block' a.Block of 0\n"
                     "w parameter of 0 in 0\n"
                     "b buffer of 0 in 1\n"
                     "block.w parameter of 1 in 0\n");
}

UNIT_TEST(an_attribute_that_holds_no_module_is_refused)
{
    const htp_program *program = program_read(arena, "class a.Net first=3\n");
    program_fixture *p = program->reader;
    const htp_slot_role roles[] = {HTP_SLOT_MODULE};
    htp_instances found = {.modules = {0}};
    p->classes.items[0].roles = roles;
    expect_failure(htp_modules_find(arena, program, &found), HTP_CODE_BAD_INPUT,
                   "damaged archive: attribute \"first\" holds no module");
}

UNIT_TEST(deep_modules_are_no_recursion)
{
    htp_text text = {.arena = arena};
    enum { DEPTH = 2000 };
    for (int i = 0; i < DEPTH; i++) {
        htp_text_addf(&text, "class C%d n=C%d\n", i, i + 1);
    }
    htp_text_addf(&text, "class C%d\n", DEPTH);
    htp_instances found = {.modules = {0}};
    const htp_program *program = program_read(arena, htp_text_string(&text));
    expect_ok(htp_modules_find(arena, program, &found));
    ck_assert_uint_eq(found.modules.count, DEPTH + 1);
    ck_assert_uint_eq(found.modules.items[DEPTH].parent, DEPTH - 1);
    ck_assert_uint_eq(strlen(found.modules.items[DEPTH].path), 2 * DEPTH - 1);
}

UNIT_TEST(objects_and_data_are_found_again)
{
    const htp_program *program = program_read(arena, "class a.Net block=a.Block\n"
                                                     "class a.Block n=3 w=tensor[2]\n");
    htp_instances found = {.modules = {0}};
    expect_ok(htp_modules_find(arena, program, &found));
    ck_assert_uint_eq(htp_instances_module(&found, 1), 1);
    ck_assert_uint_eq(found.objects.items[1], 1);
    ck_assert_uint_eq(htp_instances_module(&found, 2), HTP_NONE);
    uint32_t data = found.data.items[0];
    ck_assert_uint_eq(htp_instances_weight(&found, data), 0);
    ck_assert_uint_eq(htp_instances_weight(&found, data - 1), HTP_NONE);
    ck_assert_uint_eq(htp_instances_weight(&found, data + 1), HTP_NONE);
}

/* ---- tensors as weights ---- */

static const int64_t dims[] = {2, 3};
static const int64_t strides[] = {3, 1};

static htp_tensor_view plain_view(uint64_t storage)
{
    return (htp_tensor_view){.type = PROGRAM_FLOAT,
                             .rank = 2,
                             .dims = dims,
                             .strides = strides,
                             .is_plain = true,
                             .requires_grad = true,
                             .storage = storage,
                             .offset = 4,
                             .storage_bytes = 40,
                             .is_mapped = true,
                             .file_offset = 64};
}

UNIT_TEST(a_weight_has_what_its_tensor_says)
{
    htp_instances found = {.modules = {0}};
    const htp_weight named = {.name = "w", .module = 3, .is_buffer = true};
    htp_tensor_view view = plain_view(1000);
    htp_instances_add_weight(arena, &found, &named, 5, &view);
    const htp_weight *weight = &found.weights.items[0];
    ck_assert_str_eq(weight->name, "w");
    ck_assert(weight->is_buffer && weight->requires_grad && weight->is_mapped);
    ck_assert_int_eq(weight->dtype, HTP_DTYPE_FLOAT32);
    ck_assert_uint_eq(weight->rank, 2);
    ck_assert_int_eq(weight->storage_offset, 4);
    ck_assert_uint_eq(weight->storage_bytes, 40);
    ck_assert_uint_eq(weight->file_offset, 64);
    ck_assert_uint_eq(weight->storage, 0);
    view.type = 99; /* unknown */
    htp_instances_add_weight(arena, &found, &named, 6, &view);
    ck_assert_int_eq(found.weights.items[1].dtype, HTP_DTYPE_OTHER);
    ck_assert_uint_eq(found.weights.items[1].rank, 2);
}

UNIT_TEST(of_a_weight_that_is_not_plain_no_sizes_are_told)
{
    htp_instances found = {.modules = {0}};
    const htp_weight named = {.name = "w"};
    htp_tensor_view view = plain_view(1000);
    view.is_plain = false;
    htp_instances_add_weight(arena, &found, &named, 0, &view);
    view = plain_view(1000);
    view.rank = HTP_MAX_RANK + 1;
    htp_instances_add_weight(arena, &found, &named, 1, &view);
    for (size_t i = 0; i < 2; i++) {
        ck_assert_int_eq(found.weights.items[i].dtype, HTP_DTYPE_OTHER);
        ck_assert_uint_eq(found.weights.items[i].rank, 0);
    }
    ck_assert_uint_eq(found.storages.count, 0);
}

UNIT_TEST(constants_come_behind_the_weights_and_share_storages)
{
    htp_instances found = {.modules = {0}};
    const htp_weight named = {.name = "w"};
    const htp_tensor_view first = plain_view(1000);
    const htp_tensor_view other = plain_view(2000);
    htp_instances_add_weight(arena, &found, &named, 0, &first);
    htp_weight_list list;
    htp_weight_list_open(&list, &found);
    ck_assert_uint_eq(htp_weight_list_add(&list, &other), 1);
    ck_assert_uint_eq(htp_weight_list_add(&list, &first), 2);
    ck_assert_uint_eq(htp_weight_list_add(&list, &other), 3);
    ck_assert_str_eq(list.all.items[0].name, "w");
    ck_assert_str_eq(list.all.items[3].name, "constant_3");
    ck_assert_uint_eq(list.all.items[1].storage, 1);
    ck_assert_uint_eq(list.all.items[2].storage, 0);
    ck_assert_uint_eq(list.all.items[3].storage, 1);
    ck_assert_uint_eq(list.all.items[3].module, HTP_NONE);
    ck_assert_uint_eq(found.weights.count, 1);
    htp_weight_list_close(&list);
}

UNIT_MAIN("modules", modules_are_listed_depth_first_in_order,
          an_instance_that_is_met_again_has_further_paths, a_module_within_itself_ends,
          weights_are_those_of_modules_in_order, an_attribute_that_holds_no_module_is_refused,
          deep_modules_are_no_recursion, objects_and_data_are_found_again,
          a_weight_has_what_its_tensor_says, of_a_weight_that_is_not_plain_no_sizes_are_told,
          constants_come_behind_the_weights_and_share_storages)
