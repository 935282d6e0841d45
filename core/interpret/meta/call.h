/*
 * For meta kernels (htp/meta.h): a call's operands, and its refusal. outputs.h has its outputs.
 *
 * Kernels are given operands whose kinds were looked at (kernels.def).
 */
#ifndef HTP_INTERPRET_META_CALL_H
#define HTP_INTERPRET_META_CALL_H

#include "interpret/meta/arithmetic.h"

#include <htp/meta.h>

/** Room for sizes in a message: no message is longer. */
typedef struct htp_meta_text {
    char characters[sizeof(((htp_error *)NULL)->message)];
} htp_meta_text;

/* ---- operands ---- */

/** Operand @p index, which is a tensor. */
const htp_runner_tensor *htp_meta_tensor(const htp_meta_call *call, uint32_t index);

/** Operand @p index, which is a tensor, or NULL where it is left out. */
const htp_runner_tensor *htp_meta_optional(const htp_meta_call *call, uint32_t index);

/** Tensor @p at of operand @p index, a list that is long enough; NULL where it is left out. */
const htp_runner_tensor *htp_meta_listed(const htp_meta_call *call, uint32_t index, uint32_t at);

/** Whether operand @p index is there: not None, and not missing. */
bool htp_meta_has(const htp_meta_call *call, uint32_t index);

int64_t htp_meta_int(const htp_meta_call *call, uint32_t index);
bool htp_meta_bool(const htp_meta_call *call, uint32_t index);

/** An integer; @p otherwise if it is None: dtype, memory_format. */
int64_t htp_meta_int_or(const htp_meta_call *call, uint32_t index, int64_t otherwise);

/** A float, or a number of any type, which no complex one is. */
double htp_meta_float(const htp_meta_call *call, uint32_t index);

/** Whether operand @p index is this text. */
bool htp_meta_is_text(const htp_meta_call *call, uint32_t index, const char *text);

/** Number @p at of operand @p index, a list of integers that is long enough. */
int64_t htp_meta_item(const htp_meta_call *call, uint32_t index, uint32_t at);

/** The length of operand @p index, a list; 0 if it is None. */
uint32_t htp_meta_length(const htp_meta_call *call, uint32_t index);

/** The size of a tensor's dim, counted from the last one where it is negative. The tensor has it.
 */
int64_t htp_meta_dim(const htp_runner_tensor *tensor, int32_t dim);

/** The same of any tensor and @p dim, or libtorch's refusal. */
bool htp_meta_find_dim(htp_meta_call *call, const htp_runner_tensor *tensor, int64_t dim,
                       int64_t *size);

/** Wraps a negative dim, as libtorch does: a 0-d tensor counts as having one. Refuses one out of
 * range. */
bool htp_meta_wrap(htp_meta_call *call, uint32_t rank, int64_t *dim);

/* ---- refusals ---- */

/** Says why operands are not taken. @return false */
bool htp_meta_refuse(htp_meta_call *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** "[2, 3]", as libtorch writes it; in @p text, which is cut where it is longer than a message. */
const char *htp_meta_sizes_text(htp_meta_text *text, const htp_runner_tensor *tensor);

/** The same of any numbers. */
const char *htp_meta_dims_text(htp_meta_text *text, const int64_t *dims, uint32_t rank);

/** The same of operand @p index, a list of integers. */
const char *htp_meta_list_text(htp_meta_text *text, const htp_meta_call *call, uint32_t index);

/** libtorch's name of an element type: "Float". */
const char *htp_scalar_type_name(int32_t type);

#endif
