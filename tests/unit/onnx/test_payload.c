/*
 * Weights with any strides, and weights from a hostile archive.
 */
#include "onnx_fixture.h"

#include "base/dtype.h"
#include "onnx/serialize/payload.h"

#include <stdio.h>
#include <string.h>

static onnx_fixture f;

enum { STORAGE = 1 << 13, LARGEST_VIEW = 1 << 19 };
static _Alignas(8) unsigned char storage[STORAGE];

static void fill_storage(void)
{
    for (size_t i = 0; i < STORAGE; i++) {
        storage[i] = (unsigned char)(i * 31 + i / 256);
    }
}

static void set_weight(htp_dtype dtype, uint32_t rank, const int64_t *dims, const int64_t *strides,
                       int64_t offset, uint64_t bytes)
{
    fixture_build(&f);
    f.weights[0] = (htp_weight){
        .name = "layer.weight",
        .dtype = dtype,
        .rank = rank,
        .dims = dims,
        .strides = strides,
        .storage_offset = offset,
        .data = storage,
        .storage_bytes = bytes,
    };
    (void)htp_builder_weight(f.model, 0);
}

/* By definition: element (i, j, k, l) is at offset + i * stride 0 + ... */
static size_t gather(const htp_weight *weight, unsigned char *bytes)
{
    size_t size = htp_dtype_size(weight->dtype);
    int64_t dims[4] = {1, 1, 1, 1};
    int64_t strides[4] = {0};
    for (uint32_t i = 0; i < weight->rank; i++) {
        dims[4 - weight->rank + i] = weight->dims[i];
        strides[4 - weight->rank + i] = weight->strides[i];
        if (weight->dims[i] == 0) {
            return 0;
        }
    }
    size_t count = 0;
    for (int64_t i = 0; i < dims[0]; i++) {
        for (int64_t j = 0; j < dims[1]; j++) {
            for (int64_t k = 0; k < dims[2]; k++) {
                for (int64_t l = 0; l < dims[3]; l++) {
                    int64_t at = weight->storage_offset + i * strides[0] + j * strides[1] +
                                 k * strides[2] + l * strides[3];
                    memcpy(bytes + size * count++, storage + size * (size_t)at, size);
                }
            }
        }
    }
    return size * count;
}

/* The bytes of the first initializer, read with a block of @p block_bytes. */
static size_t read_all(unsigned char *found, size_t capacity, uint64_t block_bytes)
{
    static unsigned char block[1 << 16];
    htp_payload payload;
    htp_payload_begin(&payload, f.model, &f.model->initializers.items[0]);
    payload.block = block_bytes ? block : NULL;
    payload.block_bytes = block_bytes;
    size_t read = 0;
    const unsigned char *piece;
    for (uint64_t count; (count = htp_payload_next(&payload, &piece)) > 0; read += count) {
        ck_assert_uint_le(count, capacity - read);
        memcpy(found + read, piece, count);
    }
    return read;
}

static void assert_read_as_defined(void)
{
    static const uint64_t blocks[] = {0, 1 << 9, 1 << 12, 1 << 16};
    static unsigned char expected[LARGEST_VIEW];
    static unsigned char found[LARGEST_VIEW];
    size_t size = gather(&f.weights[0], expected);
    uint64_t bytes;
    htp_status status = htp_payload_check(f.model, &f.model->initializers.items[0], &bytes);
    ck_assert_msg(status == HTP_OK, "%s", htp_status_message(status));
    ck_assert_uint_eq(bytes, size);
    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
        memset(found, 0, size);
        ck_assert_uint_eq(read_all(found, sizeof(found), blocks[i]), size);
        if (size > 0) {
            ck_assert_mem_eq(found, expected, size);
        }
    }
}

typedef struct view {
    uint32_t rank;
    int64_t dims[4];
    int64_t strides[4];
    int64_t offset;
    uint64_t runs; /* for elements of 4 bytes */
} view;

static const view views[] = {
    {0, {0}, {0}, 0, 1},                             /* a scalar */
    {0, {0}, {0}, 17, 1},                            /* one of many */
    {1, {9}, {1}, 0, 1},                             /* contiguous */
    {2, {4, 6}, {6, 1}, 5, 1},                       /* contiguous, further on */
    {4, {2, 3, 4, 5}, {60, 20, 5, 1}, 0, 1},         /* contiguous */
    {2, {6, 4}, {1, 6}, 0, 24},                      /* transposed */
    {3, {3, 4, 5}, {1, 3, 12}, 2, 60},               /* column-major */
    {3, {2, 4, 5}, {20, 1, 4}, 0, 40},               /* transposed matrices */
    {2, {31, 32}, {1, 31}, 1, 992},                  /* transposed, in blocks */
    {3, {2, 13, 33}, {440, 1, 13}, 0, 858},          /* a batch of transposed matrices */
    {4, {17, 3, 2, 5}, {1, 170, 17, 34}, 0, 510},    /* the first axis is innermost */
    {2, {7, 5}, {0, 1}, 3, 7},                       /* expanded rows */
    {2, {7, 5}, {1, 0}, 3, 35},                      /* expanded columns */
    {3, {3, 4, 5}, {0, 0, 0}, 8, 60},                /* one element everywhere */
    {2, {4, 3}, {10, 1}, 0, 4},                      /* a slice of columns */
    {1, {6}, {3}, 1, 6},                             /* each third */
    {4, {2, 2, 3, 4}, {100, 12, 4, 1}, 0, 2},        /* a slice of an outer dim, flattened */
    {2, {9, 9}, {1, 1}, 0, 9},                       /* overlapping windows */
    {3, {1, 8, 1}, {INT64_MAX, 1, INT64_MAX}, 0, 1}, /* strides that are never taken */
    {4, {2, 1, 3, 1}, {1, 77, 2, 55}, 0, 6},
    {2, {700, 50}, {0, 1}, 3, 700},                   /* more than one block */
    {2, {900, 50}, {1, 0}, 3, 45000},                 /* the same, single elements */
    {2, {5, 600}, {1, 1}, 0, 5},                      /* too long to be gathered */
    {2, {0, 5}, {5, 1}, 0, 0},                        /* empty */
    {3, {INT64_MAX, INT64_MAX, 0}, {1, 1, 1}, -1, 0}, /* empty, however large the other dims */
};

static void read_view(const view *v)
{
    static const htp_dtype dtypes[] = {HTP_DTYPE_BOOL, HTP_DTYPE_BFLOAT16, HTP_DTYPE_INT64,
                                       HTP_DTYPE_FLOAT32};
    for (size_t i = 0; i < 4; i++) {
        set_weight(dtypes[i], v->rank, v->dims, v->strides, v->offset, STORAGE);
        assert_read_as_defined();
    }
    htp_payload payload;
    htp_payload_begin(&payload, f.model, &f.model->initializers.items[0]);
    ck_assert_uint_eq(payload.strided.runs_left, v->runs);
    const unsigned char *piece;
    if (v->runs == 1) { /* returned without a copy */
        ck_assert_uint_gt(htp_payload_next(&payload, &piece), 0);
        ck_assert_ptr_eq(piece, storage + v->offset * 4);
    }
}

UNIT_TEST(views_are_read_in_order)
{
    fixture_begin(&f, arena);
    fill_storage();
    for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
        read_view(&views[i]);
    }
}

/* @return how many of 2000 random views are accepted. */
static int try_random_views(void)
{
    uint64_t state = 0x9e3779b97f4a7c15U;
    int accepted = 0;
    for (int round = 0; round < 2000; round++) {
        int64_t numbers[9];
        for (size_t i = 0; i < 9; i++) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            numbers[i] = (int64_t)(state >> 61);
        }
        set_weight(HTP_DTYPE_INT16, 4, numbers, numbers + 4, numbers[8], (state >> 32) % 300);
        uint64_t bytes;
        htp_status status = htp_payload_check(f.model, &f.model->initializers.items[0], &bytes);
        if (status == HTP_OK) {
            assert_read_as_defined();
            accepted++;
        }
        htp_status_free(status);
    }
    return accepted;
}

/* Many do not fit; accepted ones are within the storage. */
UNIT_TEST(random_views_stay_within_the_storage)
{
    fixture_begin(&f, arena);
    fill_storage();
    int accepted = try_random_views();
    ck_assert_int_gt(accepted, 500);
    ck_assert_int_lt(accepted, 1900);
}

typedef struct hostile_view {
    uint32_t rank;
    int64_t dims[4];
    int64_t strides[4];
    int64_t offset;
} hostile_view;

static const hostile_view hostile_views[] = {
    {1, {-1}, {1}, 0},
    {2, {0, -1}, {1, 1}, 0},
    {2, {-2, -2}, {1, 1}, 0},
    {1, {2}, {-1}, 4},
    {1, {2}, {INT64_MIN}, 4},
    {1, {4}, {1}, -1},
    {0, {0}, {0}, STORAGE / 4},
    {0, {0}, {0}, INT64_MAX},
    {1, {STORAGE / 4 + 1}, {1}, 0},
    {1, {STORAGE / 4}, {1}, 1},
    {2, {2, 2}, {STORAGE / 4 - 1, 1}, 0},
    {1, {2}, {INT64_MAX}, 0},
    {1, {3}, {INT64_MAX}, 2},
    {2, {5, 5}, {INT64_MAX / 2, INT64_MAX / 2}, 0},
    {1, {INT64_MAX}, {1}, 0},
    {1, {INT64_MAX}, {0}, 0},
    {2, {INT64_C(1) << 32, INT64_C(1) << 32}, {0, 0}, 0},
    {4, {65536, 65536, 65536, 65536}, {0, 0, 0, 0}, 0},
    {3, {INT64_C(1) << 32, INT64_C(1) << 32, 2}, {0, 0, 0}, 0},
};

UNIT_TEST(hostile_views_are_refused)
{
    fixture_begin(&f, arena);
    for (size_t i = 0; i < sizeof(hostile_views) / sizeof(hostile_views[0]); i++) {
        const hostile_view *v = &hostile_views[i];
        set_weight(HTP_DTYPE_FLOAT32, v->rank, v->dims, v->strides, v->offset, STORAGE);
        uint64_t bytes;
        htp_status status = htp_payload_check(f.model, &f.model->initializers.items[0], &bytes);
        ck_assert_msg(htp_status_code(status) == HTP_CODE_BAD_INPUT, "view %zu", i);
        ck_assert_ptr_nonnull(strstr(htp_status_message(status), "'layer.weight'"));
        htp_status_free(status);
    }
}

UNIT_TEST(storages_end_where_they_say)
{
    static const int64_t dims[] = {2, 3};
    static const int64_t strides[] = {3, 1};
    fixture_begin(&f, arena);
    uint64_t bytes;
    set_weight(HTP_DTYPE_FLOAT32, 2, dims, strides, 1, 28);
    ck_assert_ptr_null(htp_payload_check(f.model, &f.model->initializers.items[0], &bytes));
    set_weight(HTP_DTYPE_FLOAT32, 2, dims, strides, 1, 27);
    htp_status status = htp_payload_check(f.model, &f.model->initializers.items[0], &bytes);
    ck_assert_int_eq(htp_status_code(status), HTP_CODE_BAD_INPUT);
    htp_status_free(status);
    set_weight(HTP_DTYPE_FLOAT32, 2, dims, strides, 1, 28);
    f.weights[0].data = NULL;
    status = htp_payload_check(f.model, &f.model->initializers.items[0], &bytes);
    ck_assert_int_eq(htp_status_code(status), HTP_CODE_BAD_INPUT);
    htp_status_free(status);
}

UNIT_TEST(too_many_dims_are_refused)
{
    int64_t dims[HTP_MAX_RANK + 1];
    int64_t strides[HTP_MAX_RANK + 1];
    for (size_t i = 0; i <= HTP_MAX_RANK; i++) {
        dims[i] = 1;
        strides[i] = 1;
    }
    fixture_begin(&f, arena);
    uint64_t bytes;
    set_weight(HTP_DTYPE_FLOAT32, HTP_MAX_RANK, dims, strides, 0, STORAGE);
    ck_assert_ptr_null(htp_payload_check(f.model, &f.model->initializers.items[0], &bytes));
    ck_assert_uint_eq(bytes, 4);
    set_weight(HTP_DTYPE_FLOAT32, HTP_MAX_RANK + 1, dims, strides, 0, STORAGE);
    htp_status status = htp_payload_check(f.model, &f.model->initializers.items[0], &bytes);
    ck_assert_int_eq(htp_status_code(status), HTP_CODE_BAD_INPUT);
    htp_status_free(status);
}

UNIT_TEST(constants_are_read_whole)
{
    static const int64_t dims[] = {3};
    static const int64_t none[] = {0};
    static const int16_t values[] = {1, 2, 3};
    fixture_begin(&f, arena);
    (void)htp_builder_constant(f.model, HTP_DTYPE_INT16, 1, dims, values);
    (void)htp_builder_constant(f.model, HTP_DTYPE_INT16, 1, none, NULL);
    uint64_t bytes;
    ck_assert_ptr_null(htp_payload_check(f.model, &f.model->initializers.items[0], &bytes));
    ck_assert_uint_eq(bytes, 6);
    htp_payload payload;
    const unsigned char *piece;
    htp_payload_begin(&payload, f.model, &f.model->initializers.items[0]);
    ck_assert_uint_eq(htp_payload_next(&payload, &piece), 6);
    ck_assert_mem_eq(piece, values, 6);
    ck_assert_uint_eq(htp_payload_next(&payload, &piece), 0);
    htp_payload_begin(&payload, f.model, &f.model->initializers.items[1]);
    ck_assert_uint_eq(htp_payload_next(&payload, &piece), 0);
}

/* Twice each number plus 1000 times its index, as float64. */
static void double_up(const void *with, uint64_t first, size_t count, const void *from, void *to)
{
    ck_assert_ptr_eq(with, storage);
    for (size_t i = 0; i < count; i++) {
        float number;
        memcpy(&number, (const char *)from + i * sizeof(number), sizeof(number));
        ((double *)to)[i] = 2 * (double)number + 1000 * (double)(first + i);
    }
}

/* A derivation of two boxes: a matrix of 60 x 30 transposed, and a part of its second row. */
UNIT_TEST(boxes_are_read_behind_each_other)
{
    static const int64_t dims[] = {60, 30}, strides[] = {30, 1}, all[] = {1805};
    static const int64_t turned[] = {30, 60}, across[] = {1, 30}, part[] = {5}, along[] = {2};
    const htp_box boxes[] = {
        {.weight = 0, .rank = 2, .dims = turned, .strides = across},
        {.weight = 0, .offset = 31, .rank = 1, .dims = part, .strides = along}};
    const uint32_t weights[] = {0};
    htp_derivation derivation = {.boxes = boxes,
                                 .box_count = 2,
                                 .dtype = HTP_DTYPE_FLOAT32,
                                 .convert = double_up,
                                 .with = storage,
                                 .weights = weights,
                                 .weight_count = 1};
    static double found[1805];
    fixture_begin(&f, arena);
    set_weight(HTP_DTYPE_FLOAT32, 2, dims, strides, 0, STORAGE);
    for (size_t i = 0; i < 1800; i++) {
        ((float *)storage)[i] = (float)i;
    }
    f.model->initializers.count = 0;
    (void)htp_builder_derived(f.model, "made", HTP_DTYPE_FLOAT64, 1, all, &derivation, NULL);
    uint64_t bytes;
    ck_assert_ptr_null(htp_payload_check(f.model, &f.model->initializers.items[0], &bytes));
    ck_assert_uint_eq(bytes, sizeof(found));
    for (uint64_t block = 0; block <= 1 << 14; block += 1 << 14) {
        ck_assert_uint_eq(read_all((unsigned char *)found, sizeof(found), block), sizeof(found));
        for (size_t i = 0; i < 1805; i++) {
            size_t number = i < 1800 ? i % 60 * 30 + i / 60 : 31 + 2 * (i - 1800);
            ck_assert_double_eq(found[i], 2 * (double)number + 1000 * (double)i);
        }
    }
    uint64_t offset;
    htp_payload payload;
    htp_payload_begin(&payload, f.model, &f.model->initializers.items[0]);
    ck_assert(!htp_payload_lies_in_file(&payload, &offset));
}

UNIT_TEST(boxes_beyond_the_storage_are_refused)
{
    static const int64_t dims[] = {8}, strides[] = {1}, two[] = {2};
    const uint32_t weights[] = {0};
    const int64_t offsets[] = {STORAGE / 4 - 1, INT64_MAX, -1};
    fixture_begin(&f, arena);
    for (size_t i = 0; i < 3; i++) {
        const htp_box box = {
            .weight = 0, .offset = offsets[i], .rank = 1, .dims = two, .strides = strides};
        htp_derivation derivation = {.boxes = &box,
                                     .box_count = 1,
                                     .dtype = HTP_DTYPE_FLOAT32,
                                     .weights = weights,
                                     .weight_count = 1};
        set_weight(HTP_DTYPE_FLOAT32, 1, dims, strides, 0, STORAGE);
        f.model->initializers.count = 0;
        (void)htp_builder_derived(f.model, "made", HTP_DTYPE_FLOAT32, 1, two, &derivation, NULL);
        uint64_t bytes;
        htp_status status = htp_payload_check(f.model, &f.model->initializers.items[0], &bytes);
        ck_assert_int_eq(htp_status_code(status), HTP_CODE_BAD_INPUT);
        htp_status_free(status);
    }
}

UNIT_MAIN("payload", views_are_read_in_order, random_views_stay_within_the_storage,
          hostile_views_are_refused, storages_end_where_they_say, too_many_dims_are_refused,
          constants_are_read_whole, boxes_are_read_behind_each_other,
          boxes_beyond_the_storage_are_refused)
