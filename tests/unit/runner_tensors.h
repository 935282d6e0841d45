/*
 * The tensors of the made-up runner (runner_fixture.h): sizes and numbers. Real ones hold int64 or
 * bool.
 */
#ifndef HTP_TESTS_RUNNER_TENSORS_H
#define HTP_TESTS_RUNNER_TENSORS_H

#include "program_fixture.h"

#include <htp/runner.h>
#include <stdio.h>

typedef struct runner_tensor {
    htp_runner_tensor view;
    int64_t *numbers; /* of a real one, row by row */
} runner_tensor;

typedef struct runner_fixture {
    htp_runner runner;
    htp_arena *arena;
    program_fixture *program;
    HTP_VECTOR(const htp_runner_tensor *) tensors; /* of data, by number; NULL: not made yet */
    uint64_t storages;
    uint32_t runs;           /* of kernels, so far */
    uint32_t fails_at;       /* the run that raises; 0: none */
    htp_run_code fails_with; /* or ends otherwise; HTP_RUN_OK: it raises */
    uint32_t makes;          /* tensors that were made, and contents that were read, so far */
    uint32_t ends_at;        /* when there is no memory for one; 0: never */
} runner_fixture;

/* ---- tensors --------------------------------------------------------------------------------- */

static inline int64_t runner_count(const int64_t *dims, size_t rank)
{
    int64_t count = 1;
    for (size_t i = 0; i < rank; i++) {
        count = __builtin_mul_overflow(count, dims[i], &count) ? INT64_MAX : count;
    }
    return count;
}

static inline runner_tensor *runner_new(runner_fixture *r, int32_t type, const int64_t *dims,
                                        size_t rank, const int64_t *strides, bool is_real)
{
    runner_tensor *made = HTP_NEW(r->arena, runner_tensor);
    int64_t *own_dims = HTP_NEW_ARRAY(r->arena, int64_t, rank + 1);
    int64_t *own_strides = HTP_NEW_ARRAY(r->arena, int64_t, rank + 1);
    int64_t step = 1;
    bool is_dense = true;
    for (size_t i = rank; i-- > 0;) {
        own_dims[i] = dims[i];
        own_strides[i] = strides ? strides[i] : step;
        is_dense = is_dense && (own_strides[i] == step || dims[i] == 1);
        step *= dims[i] > 1 ? dims[i] : 1;
    }
    made->view = (htp_runner_tensor){.type = type,
                                     .rank = (uint32_t)rank,
                                     .dims = own_dims,
                                     .strides = own_strides,
                                     .elements = runner_count(dims, rank),
                                     .storage = ++r->storages,
                                     .is_real = is_real,
                                     .is_contiguous = is_dense};
    if (is_real) {
        made->numbers = HTP_NEW_ARRAY(r->arena, int64_t, (size_t)made->view.elements + 1);
    }
    return made;
}

static inline const runner_tensor *runner_of(const htp_runner_tensor *tensor)
{
    return (const runner_tensor *)tensor;
}

static inline size_t runner_element(int32_t type)
{
    return type == HTP_SCALAR_BOOL || type == HTP_SCALAR_BYTE   ? 1
           : type == HTP_SCALAR_FLOAT || type == HTP_SCALAR_INT ? 4
                                                                : 8;
}

static inline htp_run_code runner_make(void *self, const htp_making *making,
                                       const htp_runner_tensor **tensor, htp_error *error)
{
    runner_fixture *r = self;
    const htp_runner_tensor *of = making->of;
    runner_tensor *made = NULL;
    (void)error;
    if (++r->makes == r->ends_at) {
        return HTP_RUN_NO_MEMORY;
    }
    switch (making->way) {
    case HTP_MAKE_EMPTY:
        made = runner_new(r, making->type, making->dims, making->rank, making->strides, false);
        break;
    case HTP_MAKE_FILLED:
        made = runner_new(r, making->type, making->dims, making->rank, NULL, true);
        for (int64_t i = 0; i < made->view.elements; i++) {
            made->numbers[i] = making->number;
        }
        break;
    case HTP_MAKE_OF_BYTES:
        made = runner_new(r, making->type, making->dims, making->rank, NULL, true);
        for (int64_t i = 0; i < made->view.elements; i++) {
            size_t size = runner_element(making->type);
            memcpy(&made->numbers[i], (const char *)making->bytes + (size_t)i * size, size);
        }
        break;
    case HTP_MAKE_WITHOUT:
    case HTP_MAKE_LIKE:
        made = runner_new(r, of->type, of->dims, of->rank, of->strides, false);
        break;
    case HTP_MAKE_COPY:
        made = runner_new(r, of->type, of->dims, of->rank, of->strides, of->is_real);
        if (of->is_real) {
            memcpy(made->numbers, runner_of(of)->numbers, (size_t)of->elements * sizeof(int64_t));
        }
        break;
    case HTP_MAKE_ALIAS:
        made = runner_new(r, of->type, of->dims, of->rank, of->strides, of->is_real);
        made->view.storage = of->storage;
        made->view.offset = of->offset;
        made->numbers = runner_of(of)->numbers;
        break;
    case HTP_MAKE_VIEW:
    case HTP_MAKE_STRETCHED:
        made = runner_new(r, of->type, making->dims, making->rank, making->strides, false);
        made->view.storage = of->storage;
        made->view.offset = making->way == HTP_MAKE_VIEW ? making->offset : of->offset;
        break;
    }
    *tensor = &made->view;
    return HTP_RUN_OK;
}

static inline const void *runner_contents(void *self, const htp_runner_tensor *tensor,
                                          size_t *bytes)
{
    runner_fixture *r = self;
    size_t size = runner_element(tensor->type);
    if (++r->makes == r->ends_at) {
        return NULL;
    }
    char *packed = htp_arena_calloc(r->arena, (size_t)tensor->elements + 1, size);
    for (int64_t i = 0; i < tensor->elements; i++) {
        float real = (float)runner_of(tensor)->numbers[i];
        const void *from =
            tensor->type == HTP_SCALAR_FLOAT ? (const void *)&real : &runner_of(tensor)->numbers[i];
        memcpy(packed + (size_t)i * size, from, size);
    }
    *bytes = (size_t)tensor->elements * size;
    return packed;
}

/* ---- data ------------------------------------------------------------------------------------ */

static inline const htp_runner_tensor *runner_data(void *self, uint32_t data)
{
    runner_fixture *r = self;
    while (r->tensors.count <= data) {
        HTP_PUSH(r->arena, &r->tensors, NULL);
    }
    if (!r->tensors.items[data]) {
        const htp_program_data *of = &r->program->program.data[data];
        runner_tensor *made =
            runner_new(r, HTP_SCALAR_FLOAT, of->tensor->dims, of->tensor->rank, NULL, true);
        made->view.storage = of->tensor->storage;
        r->tensors.items[data] = &made->view;
    }
    return r->tensors.items[data];
}

/** Tensors become data of the program. */
static inline uint32_t runner_keep(void *self, const htp_runner_tensor *tensor)
{
    runner_fixture *r = self;
    htp_tensor_view *view = HTP_NEW(r->arena, htp_tensor_view);
    *view = (htp_tensor_view){.type = tensor->type,
                              .rank = tensor->rank,
                              .dims = tensor->dims,
                              .strides = tensor->strides,
                              .is_plain = true,
                              .storage = tensor->storage};
    uint32_t number =
        program_add_data(r->program, (htp_program_data){.kind = HTP_DATA_TENSOR, .tensor = view});
    r->program->program.data = r->program->data.items;
    while (r->tensors.count <= number) {
        HTP_PUSH(r->arena, &r->tensors, NULL);
    }
    r->tensors.items[number] = tensor;
    return number;
}

#endif
