/*
 * Outputs of meta kernels (htp/meta.h): tensors, views, lists, operands themselves.
 *
 * Each function adds the next output. All return true, or false after a refusal.
 */
#ifndef HTP_INTERPRET_META_OUTPUTS_H
#define HTP_INTERPRET_META_OUTPUTS_H

#include "interpret/meta/call.h"

/** The sizes of a new tensor. */
typedef struct htp_meta_sizes {
    int64_t dims[HTP_MAX_RANK];
    uint32_t rank;
} htp_meta_sizes;

/** Copies a tensor's sizes; refuses one with more dims than can be exported. */
bool htp_meta_sizes_of(htp_meta_call *call, const htp_runner_tensor *tensor, htp_meta_sizes *sizes);

/** A contiguous tensor. */
bool htp_meta_give(htp_meta_call *call, int32_t type, const htp_meta_sizes *sizes);

/** A tensor with these strides, one per dim. */
bool htp_meta_give_strided(htp_meta_call *call, int32_t type, const htp_meta_sizes *sizes,
                           const int64_t *strides);

/** An output that is channels last if @p like is: libtorch's suggested memory format. Both have the
 * same rank. */
bool htp_meta_give_formatted(htp_meta_call *call, const htp_runner_tensor *like,
                             const htp_meta_sizes *sizes);

/** A tensor with the sizes, type and layout of @p tensor: torch.empty_like(). */
bool htp_meta_give_like(htp_meta_call *call, const htp_runner_tensor *tensor);

/** A contiguous tensor with the sizes and type of @p tensor. */
bool htp_meta_give_plain(htp_meta_call *call, const htp_runner_tensor *tensor);

/** A view of a tensor's memory from its first element on, with its strides and as many dims. */
bool htp_meta_give_view(htp_meta_call *call, const htp_runner_tensor *of,
                        const htp_meta_sizes *sizes);

/** A list of tensors: the next @p count outputs become its elements; they may be more than
 * HTP_META_MAX_OUTPUTS. */
bool htp_meta_begin_list(htp_meta_call *call, uint32_t count);

/** Operand @p index itself. */
bool htp_meta_give_operand(htp_meta_call *call, uint32_t index);

/** An output that was not requested. */
bool htp_meta_give_none(htp_meta_call *call);

/** Makes operand @p index, which is written, output @p at: in place, where it must have the
 * output's sizes, or for out=, where it is resized. */
bool htp_meta_write_output(htp_meta_call *call, uint32_t at, uint32_t index, bool is_in_place);

/** Frees lists. */
void htp_meta_release(htp_meta_call *call);

#endif
