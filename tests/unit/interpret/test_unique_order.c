/*
 * The runner is probed for whether unique operators sort.
 */
#include "unit.h"

#include "interpret/lanes/execute.h"

#include <string.h>

/* A runner with three operators: tensors differ by type and size, and `unsorted` gives unique()'s
 * result. */
typedef struct asked {
    const char *missing; /* an operator that does not exist; "" */
    int32_t hashed;      /* the type whose results are unordered; -1 */
    int64_t least;       /* for tensors with at least this many numbers */
    size_t runs;
    size_t makes;
    htp_runner_tensor tensors[8];
    int64_t sizes[8];
    htp_runner_tensor unsorted;
    htp_operand output;
    htp_runner runner;
} asked;

enum { UNIQUE = 0, SORT, EQUAL };

static uint32_t find(void *self, const char *name, const char *overload)
{
    static const char *const names[] = {"aten::_unique2", "aten::sort", "aten::equal"};
    const asked *a = self;
    ck_assert_str_eq(overload, "");
    for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i], name) == 0 && strcmp(name, a->missing) != 0) {
            return i;
        }
    }
    return HTP_NONE;
}

static htp_run_code make(void *self, const htp_making *making, const htp_runner_tensor **tensor,
                         htp_error *error)
{
    asked *a = self;
    (void)error;
    ck_assert_int_eq(making->way, HTP_MAKE_OF_BYTES);
    ck_assert_uint_lt(a->makes, sizeof(a->tensors) / sizeof(a->tensors[0]));
    a->sizes[a->makes] = making->dims[0];
    a->tensors[a->makes] =
        (htp_runner_tensor){.type = making->type, .rank = 1, .dims = &a->sizes[a->makes]};
    *tensor = &a->tensors[a->makes++];
    return HTP_RUN_OK;
}

static htp_run_code run(void *self, uint32_t schema, htp_run_mode mode, const htp_operand *inputs,
                        uint32_t count, const htp_operand **outputs, uint32_t *output_count,
                        htp_error *error)
{
    asked *a = self;
    (void)mode;
    (void)error;
    a->runs++;
    a->output = inputs[0];
    if (schema == UNIQUE) {
        const htp_runner_tensor *of = inputs[0].as.tensor;
        bool is_hashed = of->type == a->hashed && of->dims[0] >= a->least;
        ck_assert_uint_eq(count, 4);
        ck_assert(!inputs[1].as.b); /* it need not sort */
        a->output.as.tensor = is_hashed ? &a->unsorted : of;
    } else if (schema == SORT) {
        a->output.as.tensor = &a->tensors[0];
    } else {
        a->output =
            (htp_operand){.kind = HTP_OPERAND_BOOL, .as.b = inputs[0].as.tensor != &a->unsorted};
    }
    *outputs = &a->output;
    *output_count = 1;
    return HTP_RUN_OK;
}

static htp_machine *ask(htp_arena *arena, asked *a)
{
    htp_machine *m = HTP_NEW(arena, htp_machine);
    a->runner = (htp_runner){.self = a, .find = find, .run = run, .make = make};
    m->arena = arena;
    m->runner = &a->runner;
    return m;
}

UNIT_TEST(all_that_is_asked_for_comes_out_in_order)
{
    asked a = {.missing = "", .hashed = -1};
    ck_assert(htp_unique_sorts(ask(arena, &a)));
    ck_assert_uint_eq(a.makes, 4); /* kernels differ by type and by number of elements */
}

UNIT_TEST(one_kernel_that_does_not_sort_is_enough)
{
    asked floats = {.missing = "", .hashed = HTP_SCALAR_FLOAT};
    asked bytes = {.missing = "", .hashed = HTP_SCALAR_BYTE};
    asked many = {.missing = "", .hashed = HTP_SCALAR_LONG, .least = 4096};
    ck_assert(!htp_unique_sorts(ask(arena, &floats)));
    ck_assert(!htp_unique_sorts(ask(arena, &bytes)));
    ck_assert(!htp_unique_sorts(ask(arena, &many)));
}

UNIT_TEST(nobody_knows_without_the_operators)
{
    asked none = {.missing = "aten::_unique2", .hashed = -1};
    asked no_sort = {.missing = "aten::sort", .hashed = -1};
    ck_assert(!htp_unique_sorts(ask(arena, &none)));
    ck_assert(!htp_unique_sorts(ask(arena, &no_sort)));
}

UNIT_TEST(it_is_asked_once)
{
    asked a = {.missing = "", .hashed = HTP_SCALAR_FLOAT};
    htp_machine *m = ask(arena, &a);
    ck_assert(!htp_unique_sorts(m));
    size_t runs = a.runs;
    ck_assert(!htp_unique_sorts(m));
    ck_assert_uint_eq(a.runs, runs);
}

UNIT_MAIN("unique_order", all_that_is_asked_for_comes_out_in_order,
          one_kernel_that_does_not_sort_is_enough, nobody_knows_without_the_operators,
          it_is_asked_once)
