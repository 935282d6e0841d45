/*
 * Whether this libtorch's unique operators sort in spite of sorted=False: only then is there an
 * order to reproduce. A few numbers show it.
 */
#include "interpret/lanes/execute.h"

enum { NUMBERS = 4096, FEW = 9 };

/* Test numbers in no order. */
static void scatter(int64_t *numbers)
{
    for (int64_t i = 0; i < NUMBERS; i++) {
        numbers[i] = i * 2654435761 % 1021;
    }
}

static bool run(const htp_machine *m, const char *name, const htp_operand *inputs, uint32_t count,
                htp_operand *output)
{
    const htp_runner *runner = m->runner;
    const htp_operand *outputs = NULL;
    uint32_t output_count = 0;
    htp_error error;
    uint32_t schema = runner->find(runner->self, name, "");
    bool is_run = schema != HTP_NONE &&
                  runner->run(runner->self, schema, HTP_RUN_AS_IS, inputs, count, &outputs,
                              &output_count, &error) == HTP_RUN_OK &&
                  output_count > 0;
    *output = is_run ? outputs[0] : (htp_operand){.kind = HTP_OPERAND_NONE};
    return is_run;
}

/* Whether the result of unique() is sorted. */
static bool is_sorted(const htp_machine *m, const htp_making *making)
{
    const htp_runner *runner = m->runner;
    const htp_runner_tensor *tensor = NULL;
    htp_error error;
    if (runner->make(runner->self, making, &tensor, &error) != HTP_RUN_OK) {
        return false;
    }
    const htp_operand yes = {.kind = HTP_OPERAND_BOOL, .as.b = true};
    const htp_operand no = {.kind = HTP_OPERAND_BOOL, .as.b = false};
    const htp_operand last = {.kind = HTP_OPERAND_INT, .as.i = -1};
    const htp_operand of = {.kind = HTP_OPERAND_TENSOR, .as.tensor = tensor};
    htp_operand pair[2];
    htp_operand equal;
    return run(m, "aten::_unique2", (const htp_operand[]){of, no, yes, yes}, 4, &pair[0]) &&
           run(m, "aten::sort", (const htp_operand[]){pair[0], last, no}, 3, &pair[1]) &&
           run(m, "aten::equal", pair, 2, &equal) && equal.kind == HTP_OPERAND_BOOL && equal.as.b;
}

static htp_making make_of(int32_t type, const int64_t *dims, const void *bytes, size_t element)
{
    return (htp_making){.way = HTP_MAKE_OF_BYTES,
                        .type = type,
                        .rank = 1,
                        .dims = dims,
                        .bytes = bytes,
                        .byte_count = (size_t)dims[0] * element};
}

/* Runs unique() on several dtypes and sizes, whose kernels differ. */
static bool ask(htp_machine *m)
{
    static const int64_t all[] = {NUMBERS}, few[] = {FEW};
    int64_t *whole = HTP_NEW_ARRAY(m->arena, int64_t, NUMBERS);
    float *real = HTP_NEW_ARRAY(m->arena, float, NUMBERS);
    uint8_t *small = HTP_NEW_ARRAY(m->arena, uint8_t, NUMBERS);
    scatter(whole);
    for (size_t i = 0; i < NUMBERS; i++) {
        real[i] = (float)whole[i];
        small[i] = (uint8_t)whole[i];
    }
    const htp_making makings[] = {
        make_of(HTP_SCALAR_LONG, all, whole, sizeof(*whole)),
        make_of(HTP_SCALAR_FLOAT, all, real, sizeof(*real)),
        make_of(HTP_SCALAR_LONG, few, whole, sizeof(*whole)),
        make_of(HTP_SCALAR_BYTE, all, small, sizeof(*small)),
    };
    bool sorts = true;
    for (size_t i = 0; i < sizeof(makings) / sizeof(makings[0]) && sorts; i++) {
        sorts = is_sorted(m, &makings[i]);
    }
    return sorts;
}

bool htp_unique_sorts(htp_machine *m)
{
    if (m->sizes.unique_order == HTP_UNIQUE_UNASKED) {
        m->sizes.unique_order = ask(m) ? HTP_UNIQUE_SORTS : HTP_UNIQUE_HASHES;
    }
    return m->sizes.unique_order == HTP_UNIQUE_SORTS;
}
