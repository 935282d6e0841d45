#include "hierarchy/parameters.h"
#include "module_list.h"
#include "unit.h"

static const int64_t shape[] = {3, 5};
static const int64_t strides[] = {5, 1};
static const int64_t turned[] = {1, 3};

/* A parameter of 15 elements in a storage of its own number. */
static htp_weight parameter(uint32_t module, uint64_t storage)
{
    return (htp_weight){.name = "w",
                        .module = module,
                        .is_parameter = true,
                        .requires_grad = true,
                        .dtype = HTP_DTYPE_FLOAT32,
                        .rank = 2,
                        .dims = shape,
                        .strides = strides,
                        .storage = storage};
}

static const htp_parameters *count(htp_arena *arena, const module_list *list,
                                   const htp_weight *weights, uint32_t weight_count)
{
    return htp_parameters_count(arena, list->items, (uint32_t)list->count, weights, weight_count);
}

/* Checks the definition: for every subtree, the sizes of the different storages in it. */
static void check_totals(const module_list *list, const htp_weight *weights, uint32_t weight_count,
                         const htp_parameters *counted)
{
    for (uint32_t m = 0; m < list->count; m++) {
        uint64_t own = 0;
        uint64_t total = 0;
        for (uint32_t w = 0; w < weight_count; w++) {
            uint32_t at = weights[w].module;
            bool is_own = at == m;
            while (at != m && at != 0) {
                at = list->items[at].parent;
            }
            bool is_new_own = is_own;
            bool is_new = at == m;
            for (uint32_t other = 0; other < w; other++) {
                uint32_t above = weights[other].module;
                is_new_own &= above != m || weights[other].storage != weights[w].storage;
                while (above != m && above != 0) {
                    above = list->items[above].parent;
                }
                is_new &= above != m || weights[other].storage != weights[w].storage;
            }
            own += is_new_own ? 15 : 0;
            total += is_new ? 15 : 0;
        }
        ck_assert_uint_eq(counted->modules[m].own, own);
        ck_assert_uint_eq(counted->modules[m].total, total);
        ck_assert_uint_eq(counted->modules[m].bytes, total * 4);
        ck_assert_uint_eq(counted->modules[m].trainable, total);
    }
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U;
    return *state >> 8;
}

/* Modules are in depth-first order: the parent of the next is the last or an ancestor of it. */
UNIT_TEST(tied_parameters_count_once_in_every_subtree)
{
    uint32_t state = 1;
    for (int round = 0; round < 200; round++) {
        module_list list = {0};
        htp_weight weights[30];
        module_list_add(arena, &list, HTP_NONE, "", "Net");
        while (list.count < 25) {
            uint32_t parent = (uint32_t)list.count - 1;
            while (parent != 0 && next_random(&state) % 2) {
                parent = list.items[parent].parent;
            }
            module_list_add(arena, &list, parent, "m", "M");
        }
        for (uint32_t w = 0; w < 30; w++) {
            weights[w] = parameter(next_random(&state) % 25, next_random(&state) % 10);
        }
        check_totals(&list, weights, 30, count(arena, &list, weights, 30));
    }
}

UNIT_TEST(views_of_one_storage_are_different_tensors)
{
    module_list list = {0};
    module_list_add(arena, &list, HTP_NONE, "", "Net");
    htp_weight weights[5];
    for (size_t i = 0; i < 5; i++) {
        weights[i] = parameter(0, 1);
    }
    weights[1].strides = turned;
    weights[2].storage_offset = 15;
    weights[3].dtype = HTP_DTYPE_INT32;
    const htp_parameters *counted = count(arena, &list, weights, 5);
    ck_assert_uint_eq(counted->modules[0].own, 60);
    ck_assert_uint_eq(counted->same_as[3], 3);
    ck_assert_uint_eq(counted->same_as[4], 0);
}

/* A buffer that shares a parameter's bytes is no parameter, and does not hide it. */
UNIT_TEST(buffers_do_not_count)
{
    module_list list = {0};
    module_list_add(arena, &list, HTP_NONE, "", "Net");
    htp_weight weights[] = {parameter(0, 1), parameter(0, 1)};
    weights[0].is_parameter = false;
    weights[0].requires_grad = false;
    const htp_parameters *counted = count(arena, &list, weights, 2);
    ck_assert_uint_eq(counted->modules[0].total, 15);
    ck_assert_uint_eq(counted->modules[0].trainable, 15);
}

UNIT_TEST(weights_are_listed_by_module)
{
    module_list list = {0};
    module_list_add(arena, &list, HTP_NONE, "", "Net");
    module_list_add(arena, &list, 0, "a", "A");
    htp_weight weights[] = {parameter(1, 1), parameter(HTP_NONE, 2), parameter(0, 3),
                            parameter(1, 4)};
    const htp_parameters *counted = count(arena, &list, weights, 4);
    ck_assert_uint_eq(counted->first_weight[1], 0);
    ck_assert_uint_eq(counted->next_weight[0], 3);
    ck_assert_uint_eq(counted->next_weight[3], HTP_NONE);
    ck_assert_uint_eq(counted->first_weight[0], 2);
    ck_assert_uint_eq(counted->modules[0].total, 45);
}

UNIT_TEST(hostile_dims_do_not_wrap_round)
{
    static const int64_t huge[] = {INT64_MAX, INT64_MAX};
    static const int64_t negative[] = {-1, 5};
    module_list list = {0};
    module_list_add(arena, &list, HTP_NONE, "", "Net");
    htp_weight weight = parameter(0, 1);
    weight.dims = huge;
    ck_assert_uint_eq(count(arena, &list, &weight, 1)->modules[0].own, UINT64_MAX);
    weight.dims = negative;
    ck_assert_uint_eq(count(arena, &list, &weight, 1)->modules[0].own, 0);
}

UNIT_TEST(deep_chains_of_tied_parameters)
{
    enum { DEPTH = 100000 };
    module_list list = {0};
    htp_weight *weights = HTP_NEW_ARRAY(arena, htp_weight, DEPTH);
    for (uint32_t i = 0; i < DEPTH; i++) {
        htp_instance module = {.name = "m", .path = "m", .qualified_class = "M"};
        module.parent = i - 1;
        HTP_PUSH(arena, &list, module);
        weights[i] = parameter(i % 2 ? DEPTH - i : i, 1);
    }
    const htp_parameters *counted = count(arena, &list, weights, DEPTH);
    ck_assert_uint_eq(counted->modules[0].total, 15);
    ck_assert_uint_eq(counted->modules[DEPTH - 1].total, 15);
}

START_TEST(local_names)
{
    htp_weight weight = {.name = "a.b.weight"};
    ck_assert_str_eq(htp_parameters_local_name("a.b", &weight), "weight");
    ck_assert_str_eq(htp_parameters_local_name("", &weight), "a.b.weight");
    ck_assert_str_eq(htp_parameters_local_name("a.bc", &weight), "a.b.weight");
    ck_assert_str_eq(htp_parameters_local_name("a.b.weight", &weight), "a.b.weight");
}
END_TEST

UNIT_MAIN("parameters", tied_parameters_count_once_in_every_subtree,
          views_of_one_storage_are_different_tensors, buffers_do_not_count,
          weights_are_listed_by_module, hostile_dims_do_not_wrap_round,
          deep_chains_of_tied_parameters, local_names)
