/*
 * What kernels work with: operands whose elements are known, walks over them, blocks of numbers.
 * Private to core/lower/evaluate.
 */
#ifndef HTP_LOWER_KERNEL_H
#define HTP_LOWER_KERNEL_H

#include "base/dtype.h"
#include "lower/evaluate/evaluate.h"

/** Numbers that are computed at a time. */
#define HTP_KERNEL_BLOCK ((size_t)512)

/** Operands that one walk goes over. */
enum { HTP_WALKED = 3 };

/** A node under computation. */
typedef struct htp_kernel {
    htp_arena *arena;
    const htp_onnx_node *node;
    const htp_known **inputs; /* NULL: omitted */
    uint32_t input_count;
    htp_known *outputs;
    uint64_t most;      /* bytes of an output */
    uint64_t refused;   /* bytes of one that has more */
    uint64_t work_left; /* elements that may still be computed */
} htp_kernel;

/** Computes all outputs. @return false where it declines to */
typedef bool (*htp_kernel_fn)(htp_kernel *kernel);

#define HTP_KERNEL(op, run) bool run(htp_kernel *kernel);
#include "lower/evaluate/kernels.def"
#undef HTP_KERNEL

/** Operators of elementwise.def. */
bool htp_kernel_elementwise(htp_kernel *kernel);

/* ---- the node ---- */

/** An operand; NULL where it is omitted. */
const htp_known *htp_kernel_input(const htp_kernel *kernel, uint32_t index);

/** An attribute that is an int. */
int64_t htp_kernel_int(const htp_kernel *kernel, const char *name, int64_t otherwise);

/** An operand of int64 or int32, 0-d or 1-d, of at most HTP_MAX_RANK elements. */
bool htp_kernel_ints(const htp_kernel *kernel, uint32_t index, int64_t *values, size_t *count);

/** An axis, counted from the front. @return false where there is none */
bool htp_kernel_axis(int64_t given, uint32_t rank, uint32_t *axis);

/** Axes that operand @p index names, or the attribute "axes".
 * @param named  by axis; false before
 * @return false where they are not valid; none at all is true, with @p any false */
bool htp_kernel_axes(const htp_kernel *kernel, uint32_t index, uint32_t rank, bool *named,
                     bool *any);

/** Elements of a shape. @return false below 0, or where they cannot be counted */
bool htp_kernel_count(uint32_t rank, const int64_t *dims, uint64_t *count);

/** Room for an output. @return false where it is too large, or too much work */
bool htp_kernel_output(htp_kernel *kernel, uint32_t index, htp_dtype dtype, uint32_t rank,
                       const int64_t *dims, void **data);

/** float16 and bfloat16: they are rounded between operators, not once. */
static inline bool htp_kernel_is_narrow(htp_dtype dtype)
{
    return dtype == HTP_DTYPE_FLOAT16 || dtype == HTP_DTYPE_BFLOAT16;
}

/** Takes work off the budget. @return false where there is less */
bool htp_kernel_work(htp_kernel *kernel, uint64_t work);

/* ---- walks ---- */

/** Several tensors in the order of one shape. Before htp_stride_walk_begin() strides are set by
 * axis, in elements, 0 repeating, and the first elements. */
typedef struct htp_stride_walk {
    uint32_t rank;
    int64_t dims[HTP_MAX_RANK];
    int64_t strides[HTP_WALKED][HTP_MAX_RANK];
    int64_t first[HTP_WALKED]; /* of the next elements, counted from the tensors' first */
    int64_t step[HTP_WALKED];  /* between them */
    int64_t index[HTP_MAX_RANK];
    int64_t done; /* of the row under way */
    bool is_over;
} htp_stride_walk;

/** The strides of a contiguous tensor. */
void htp_strides_contiguous(uint32_t rank, const int64_t *dims, int64_t *strides);

/** Begins a walk whose dims, strides and first elements are set. */
void htp_stride_walk_begin(htp_stride_walk *walk);

/** The next elements, at most HTP_KERNEL_BLOCK, which lie in equal steps.
 * @param first  receives, by operand, where the first one lies */
size_t htp_stride_walk_next(htp_stride_walk *walk, int64_t *first);

/* ---- numbers ---- */

/** Reads @p count numbers of a tensor, from element @p first on in steps. As float64 any; as int64
 * integers and bool. @return false for other dtypes */
bool htp_numbers_floats(htp_dtype dtype, const void *from, int64_t first, int64_t step,
                        size_t count, double *to);
bool htp_numbers_ints(htp_dtype dtype, const void *from, int64_t first, int64_t step, size_t count,
                      int64_t *to);

/** Writes numbers one behind the other: float64 rounded to a floating-point dtype, int64 to an
 * integer one that holds them all, or to bool. @return false otherwise */
bool htp_numbers_put_floats(htp_dtype dtype, const double *from, size_t count, void *to);
bool htp_numbers_put_ints(htp_dtype dtype, const int64_t *from, size_t count, void *to);

/** Copies elements of @p size bytes that lie in steps. */
void htp_numbers_copy(size_t size, const void *from, int64_t first, int64_t step, size_t count,
                      void *to);

#endif
