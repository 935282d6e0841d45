/*
 * Layouts of tensors: dims and strides, as libtorch treats them (its TensorImpl.cpp and
 * MemoryFormat.h, and infer_dense_strides() of its ExpandUtils.cpp).
 *
 * Strides are in elements; there are as many as dims. Tensors have at most HTP_MAX_RANK dims.
 */
#ifndef HTP_INTERPRET_META_LAYOUT_H
#define HTP_INTERPRET_META_LAYOUT_H

#include <htp/runner.h>

/** at::MemoryFormat's numbers. */
typedef enum htp_memory_format {
    HTP_MEMORY_CONTIGUOUS = 0,
    HTP_MEMORY_PRESERVE = 1,
    HTP_MEMORY_CHANNELS_LAST = 2,
    HTP_MEMORY_CHANNELS_LAST_3D = 3,
} htp_memory_format;

/** The strides of a contiguous tensor. */
void htp_layout_contiguous(const int64_t *dims, uint32_t rank, int64_t *strides);

/** The same with the channels of images (4 dims) or volumes (5 dims) last. */
void htp_layout_channels_last(const int64_t *dims, uint32_t rank, int64_t *strides);

/** 1 if dim @p a is outside of dim @p b in memory, -1 if inside, 0 if broadcast dims leave it
 * undecided. */
typedef int htp_layout_compare(const void *of, uint32_t a, uint32_t b);

/** Dims from the innermost on, as TensorIterator sorts them: from the last dim on, skipping
 * undecided pairs. */
void htp_layout_sort_dims(uint32_t rank, htp_layout_compare *compare, const void *of,
                          uint32_t *order);

/** The strides of torch.empty_like(): those of @p tensor if it is dense, else dense ones with its
 * order of dims. */
void htp_layout_preserved(const htp_runner_tensor *tensor, int64_t *strides);

/** Whether elements lie in the order of dims, without gaps. */
bool htp_layout_is_contiguous(const htp_runner_tensor *tensor);

/** Whether a tensor is a batch of images (4 dims) with channels last. */
bool htp_layout_is_channels_last(const htp_runner_tensor *tensor);

/** Whether elements neither overlap nor leave gaps. */
bool htp_layout_is_dense(const htp_runner_tensor *tensor);

/** The memory format suggested by a tensor's strides; there may be gaps. */
htp_memory_format htp_layout_suggested(const htp_runner_tensor *tensor);

#endif
