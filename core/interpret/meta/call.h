/*
 * What meta kernels (htp/meta.h) are written with: a call's operands, its refusal, its outputs.
 *
 * Kernels are given operands whose kinds were looked at (kernels.def).
 */
#ifndef HTP_INTERPRET_META_CALL_H
#define HTP_INTERPRET_META_CALL_H

#include "interpret/meta/arithmetic.h"

#include <htp/meta.h>

/** Room for sizes in a message: no message is longer. */
typedef struct htp_meta_text {
    char characters[sizeof(((htp_shim_error *)NULL)->message)];
} htp_meta_text;

/** The sizes of a tensor that is to be made. */
typedef struct htp_meta_sizes {
    int64_t dims[HTP_SHIM_MAX_RANK];
    uint32_t rank;
} htp_meta_sizes;

/* ---- operands ---- */

/** Operand @p index, which is a tensor. */
const htp_runner_tensor *htp_meta_tensor(const htp_meta_call *call, uint32_t index);

/** Operand @p index, which is a tensor, or NULL where it is left out. */
const htp_runner_tensor *htp_meta_optional(const htp_meta_call *call, uint32_t index);

int64_t htp_meta_int(const htp_meta_call *call, uint32_t index);
bool htp_meta_bool(const htp_meta_call *call, uint32_t index);

/** Number @p at of operand @p index, a list of integers that is long enough. */
int64_t htp_meta_item(const htp_meta_call *call, uint32_t index, uint32_t at);

/** How long operand @p index, a list, is. */
uint32_t htp_meta_length(const htp_meta_call *call, uint32_t index);

/** The size of a tensor's dim, counted from the last one where it is negative. The tensor has it.
 */
int64_t htp_meta_dim(const htp_runner_tensor *tensor, int32_t dim);

/** The same of any tensor and @p dim, or libtorch's refusal. */
bool htp_meta_find_dim(htp_meta_call *call, const htp_runner_tensor *tensor, int64_t dim,
                       int64_t *size);

/** Counts a negative dim from the first one, as libtorch does: a tensor without dims has one.
 * Refuses what is out of range. */
bool htp_meta_wrap(htp_meta_call *call, uint32_t rank, int64_t *dim);

/* ---- refusals ---- */

/** Says why operands are not taken. @return false */
bool htp_meta_refuse(htp_meta_call *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** "[2, 3]", as libtorch writes it; in @p text, which is cut where it is longer than a message. */
const char *htp_meta_sizes_text(htp_meta_text *text, const htp_runner_tensor *tensor);

/** The same of operand @p index, a list of integers. */
const char *htp_meta_list_text(htp_meta_text *text, const htp_meta_call *call, uint32_t index);

/** libtorch's name of an element type: "Float". */
const char *htp_scalar_type_name(int32_t type);

/* ---- outputs ---- */

/** A copy of a tensor's sizes, or a refusal of one with more dims than anybody can export. */
bool htp_meta_sizes_of(htp_meta_call *call, const htp_runner_tensor *tensor, htp_meta_sizes *sizes);

/** The next output: a tensor whose elements lie in memory in the order of its dims. */
bool htp_meta_give(htp_meta_call *call, int32_t type, const htp_meta_sizes *sizes);

/** One that has its channels last where @p like has them so: what libtorch calls the memory format
 * that a tensor suggests. Both have the same rank. */
bool htp_meta_give_formatted(htp_meta_call *call, const htp_runner_tensor *like,
                             const htp_meta_sizes *sizes);

/** One of the sizes and type of @p tensor, which lies in memory as it does: torch.empty_like(). */
bool htp_meta_give_like(htp_meta_call *call, const htp_runner_tensor *tensor);

/** One of the sizes and type of @p tensor, in the order of its dims. */
bool htp_meta_give_plain(htp_meta_call *call, const htp_runner_tensor *tensor);

/** A view of a tensor's memory from its first element on, with its strides and as many dims. */
bool htp_meta_give_view(htp_meta_call *call, const htp_runner_tensor *of,
                        const htp_meta_sizes *sizes);

/** A list of tensors of one dim each, of these sizes. */
bool htp_meta_give_list(htp_meta_call *call, int32_t type, const htp_meta_sizes *sizes);

/** What was not asked for. */
bool htp_meta_give_none(htp_meta_call *call);

#endif
