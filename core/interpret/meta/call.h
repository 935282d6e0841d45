/*
 * A meta kernel's call (htp/meta.h): its operands, and refusals. For outputs see outputs.h.
 *
 * The kinds of a kernel's operands are already checked (kernels.def).
 */
#ifndef HTP_INTERPRET_META_CALL_H
#define HTP_INTERPRET_META_CALL_H

#include "interpret/meta/arithmetic.h"

#include <htp/meta.h>

/** A buffer for sizes in a message, which is no longer. */
typedef struct htp_meta_text {
    char characters[sizeof(((htp_error *)NULL)->message)];
} htp_meta_text;

/* ---- operands ---- */

/** Operand @p index, which is a tensor. */
const htp_runner_tensor *htp_meta_tensor(const htp_meta_call *call, uint32_t index);

/** Operand @p index, which is a tensor, or NULL if omitted. */
const htp_runner_tensor *htp_meta_optional(const htp_meta_call *call, uint32_t index);

/** Tensor @p at of operand @p index, a list that is long enough; NULL if omitted. */
const htp_runner_tensor *htp_meta_listed(const htp_meta_call *call, uint32_t index, uint32_t at);

/** Whether operand @p index is present and not None. */
bool htp_meta_has(const htp_meta_call *call, uint32_t index);

int64_t htp_meta_int(const htp_meta_call *call, uint32_t index);
bool htp_meta_bool(const htp_meta_call *call, uint32_t index);

/** An integer; @p otherwise if it is None: dtype, memory_format. */
int64_t htp_meta_int_or(const htp_meta_call *call, uint32_t index, int64_t otherwise);

/** A float, or a number of any type except complex. */
double htp_meta_float(const htp_meta_call *call, uint32_t index);

/** Whether operand @p index is this text. */
bool htp_meta_is_text(const htp_meta_call *call, uint32_t index, const char *text);

/** Number @p at of operand @p index, a list of integers that is long enough. */
int64_t htp_meta_item(const htp_meta_call *call, uint32_t index, uint32_t at);

/** The length of operand @p index, a list; 0 if it is None. */
uint32_t htp_meta_length(const htp_meta_call *call, uint32_t index);

/** The size of a tensor's dim, counted from the end if negative; the dim must exist. */
int64_t htp_meta_dim(const htp_runner_tensor *tensor, int32_t dim);

/** The same for any tensor and @p dim, or libtorch's refusal. */
bool htp_meta_find_dim(htp_meta_call *call, const htp_runner_tensor *tensor, int64_t dim,
                       int64_t *size);

/** Wraps a negative dim as libtorch does, where a 0-d tensor counts as having one dim. Refuses a
 * dim out of range. */
bool htp_meta_wrap(htp_meta_call *call, uint32_t rank, int64_t *dim);

/* ---- refusals ---- */

/** Sets the reason why operands are refused. @return false */
bool htp_meta_refuse(htp_meta_call *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** "[2, 3]", as libtorch writes it, in @p text; cut at the length of a message. */
const char *htp_meta_sizes_text(htp_meta_text *text, const htp_runner_tensor *tensor);

/** The same for any numbers. */
const char *htp_meta_dims_text(htp_meta_text *text, const int64_t *dims, uint32_t rank);

/** The same for operand @p index, a list of integers. */
const char *htp_meta_list_text(htp_meta_text *text, const htp_meta_call *call, uint32_t index);

/** libtorch's name of an element type: "Float". */
const char *htp_scalar_type_name(int32_t type);

#endif
