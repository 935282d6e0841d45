/*
 * Shared parts of weight_layout.c and parts.c. Private to core/lower/weight_layout.
 */
#ifndef HTP_LOWER_WEIGHT_LAYING_H
#define HTP_LOWER_WEIGHT_LAYING_H

#include "lower/weight_layout/weight_layout.h"

/** A node, and the layouts of its operands. */
typedef struct htp_laying {
    const htp_builder *model;
    htp_arena *arena;
    const htp_onnx_node *node;
    const htp_laid *const *laid; /* by tensor; or NULL */
    htp_laid *outputs;
} htp_laying;

/** An int attribute; @p otherwise if absent. */
int64_t htp_laying_int(const htp_laying *d, const char *name, int64_t otherwise);

/** Whether the node has operand @p index. */
bool htp_laying_has_input(const htp_laying *d, uint32_t index);

/** A constant operand of int64, 0-d or 1-d. @return false if it is none */
bool htp_laying_read_ints(const htp_laying *d, uint32_t index, const int64_t **values,
                          size_t *count);

/** Wraps an axis. @return false if it is invalid */
bool htp_laying_axis(int64_t given, uint32_t rank, uint32_t *axis);

/** The number of elements of a shape; -1 on overflow. */
int64_t htp_laying_count(uint32_t rank, const int64_t *dims);

/** A copy in the arena. */
const int64_t *htp_laying_copy(const htp_laying *d, const int64_t *values, uint32_t count);

/** Makes @p y one strided box of the weight of @p x. */
void htp_laying_set_strided(const htp_laying *d, const htp_laid *x, uint32_t rank,
                            const int64_t *dims, const int64_t *strides, int64_t offset,
                            htp_laid *y);

/** The same elements in another shape. @return false if the counts differ */
bool htp_laying_reshape(const htp_laying *d, const htp_laid *x, uint32_t rank, const int64_t *dims,
                        htp_laid *y);

/**
 * Rules of operators that split or join tensors; @p x is the first operand.
 * @return false if they do not apply
 */
bool htp_laying_slice(const htp_laying *d, const htp_laid *x);
bool htp_laying_gather(const htp_laying *d, const htp_laid *x);
bool htp_laying_split(const htp_laying *d, const htp_laid *x);
bool htp_laying_concat(const htp_laying *d, const htp_laid *x);

#endif
