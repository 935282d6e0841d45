/*
 * The tools of kernels: known operands, walks over them, blocks of numbers. Private to
 * core/lower/evaluate.
 */
#ifndef HTP_LOWER_KERNEL_H
#define HTP_LOWER_KERNEL_H

#include "base/dtype.h"
#include "lower/evaluate/evaluate.h"

/** Numbers computed at a time. */
#define HTP_KERNEL_BLOCK ((size_t)512)

/** The most tensors in one walk. */
enum { HTP_WALKED = 3 };

/** A node under computation. */
typedef struct htp_kernel {
    htp_arena *arena;
    const htp_onnx_node *node;
    const htp_known **inputs; /* NULL: omitted */
    uint32_t input_count;
    htp_known *outputs;
    uint64_t most;             /* the largest output, in bytes */
    htp_evaluator_limit limit; /* at which it was declined */
    uint64_t work_left;        /* elements that may still be computed */
} htp_kernel;

/** Computes all outputs. @return false if it declines */
typedef bool (*htp_kernel_fn)(htp_kernel *kernel);

#define HTP_KERNEL(op, run) bool run(htp_kernel *kernel);
#include "lower/evaluate/kernels.def"
#undef HTP_KERNEL

/** Operators of elementwise.def. */
bool htp_kernel_elementwise(htp_kernel *kernel);

/* ---- the node ---- */

/** An operand; NULL if omitted. */
const htp_known *htp_kernel_input(const htp_kernel *kernel, uint32_t index);

/** An int attribute; @p otherwise if absent. */
int64_t htp_kernel_int(const htp_kernel *kernel, const char *name, int64_t otherwise);

/** Reads an operand of int64 or int32, 0-d or 1-d, of at most HTP_MAX_RANK elements. @return false
 * if it is something else */
bool htp_kernel_ints(const htp_kernel *kernel, uint32_t index, int64_t *values, size_t *count);

/** Counts an axis from the front. @return false if it is out of range */
bool htp_kernel_axis(int64_t given, uint32_t rank, uint32_t *axis);

/** Reads axes from operand @p index, or from the attribute "axes".
 * @param named  by axis; the caller sets all to false
 * @return false if they are invalid; without any it returns true, and @p any is false */
bool htp_kernel_axes(const htp_kernel *kernel, uint32_t index, uint32_t rank, bool *named,
                     bool *any);

/** The number of elements of a shape. @return false for a negative dim or overflow */
bool htp_kernel_count(uint32_t rank, const int64_t *dims, uint64_t *count);

/** Allocates an output. @return false if it is too large, or exceeds the work budget */
bool htp_kernel_output(htp_kernel *kernel, uint32_t index, htp_dtype dtype, uint32_t rank,
                       const int64_t *dims, void **data);

/** Whether @p dtype is float16 or bfloat16, which runtimes round between operators. */
static inline bool htp_kernel_is_narrow(htp_dtype dtype)
{
    return dtype == HTP_DTYPE_FLOAT16 || dtype == HTP_DTYPE_BFLOAT16;
}

/** Takes work off the budget. @return false if less is left */
bool htp_kernel_work(htp_kernel *kernel, uint64_t work);

/* ---- walks ---- */

/** Walks several tensors in the order of one shape. The caller sets dims, strides (by axis, in
 * elements; 0 repeats) and first elements before htp_stride_walk_begin(). */
typedef struct htp_stride_walk {
    uint32_t rank;
    int64_t dims[HTP_MAX_RANK];
    int64_t strides[HTP_WALKED][HTP_MAX_RANK];
    int64_t first[HTP_WALKED]; /* offsets of the next elements */
    int64_t step[HTP_WALKED];  /* between them */
    int64_t index[HTP_MAX_RANK];
    int64_t done; /* elements done of the current row */
    bool is_over;
} htp_stride_walk;

/** Sets the strides of a contiguous tensor. */
void htp_strides_contiguous(uint32_t rank, const int64_t *dims, int64_t *strides);

/** Begins a walk whose dims, strides and first elements are set. */
void htp_stride_walk_begin(htp_stride_walk *walk);

/** The number of next elements, at most HTP_KERNEL_BLOCK, which lie in equal steps; 0 at the end.
 * @param first  receives the offset of the first one, by operand */
size_t htp_stride_walk_next(htp_stride_walk *walk, int64_t *first);

/* ---- numbers ---- */

/** Reads @p count numbers from element @p first on, @p step apart: real ones as float64; integers
 * and bool as int64. @return false for other dtypes */
bool htp_numbers_floats(htp_dtype dtype, const void *from, int64_t first, int64_t step,
                        size_t count, double *to);
bool htp_numbers_ints(htp_dtype dtype, const void *from, int64_t first, int64_t step, size_t count,
                      int64_t *to);

/** Writes numbers contiguously: float64 rounded to a floating-point dtype; int64 to bool, or to an
 * integer dtype that holds all of them. @return false otherwise */
bool htp_numbers_put_floats(htp_dtype dtype, const double *from, size_t count, void *to);
bool htp_numbers_put_ints(htp_dtype dtype, const int64_t *from, size_t count, void *to);

/** Copies @p count elements of @p size bytes that lie @p step apart. */
void htp_numbers_copy(size_t size, const void *from, int64_t first, int64_t step, size_t count,
                      void *to);

/** Reads element @p at of the indices, counted from the front of an axis of @p size elements.
 * @return false where it is no integer, or out of range */
bool htp_numbers_index(const htp_known *indices, uint64_t at, int64_t size, int64_t *index);

#endif
