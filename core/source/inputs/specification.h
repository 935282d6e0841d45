/*
 * One input as text. Private to core/source.
 *
 *     NAME:DTYPE[batch=2,8]          a tensor; batch is a dynamic axis
 *     NAME:DTYPE[batch,past+new]     sizes that follow from axes, with or without =NUMBER
 *     NAME:DTYPE[batch=2,8]=VALUE    a tensor with contents: a number, arange, or @FILE.npy
 *     NAME:@FILE.npy                 a tensor like the array in the file
 *     NAME:int=3                     a number; also float and bool
 *     NAME:int                       a number that stays an input of the exported model
 *     NAME:[]                        an empty list or dict
 *
 * NAME is an argument, or a part of one: "past.0.key".
 */
#ifndef HTP_SOURCE_SPECIFICATION_H
#define HTP_SOURCE_SPECIFICATION_H

#include "base/arena.h"
#include "base/status.h"
#include "graph/graph.h"

/** A specification, not yet matched with an argument. */
typedef struct htp_specification {
    const char *text;         /* as it was given */
    const char *name;         /* of the argument; "" goes by position */
    const char *const *parts; /* after the argument in the name: "0", "key" */
    uint32_t part_count;
    bool is_empty;
    bool is_scalar;
    bool is_open; /* a number that stays an input of the model */
    double scalar;
    htp_dtype dtype; /* of a number: int64, float64 or bool */
    uint32_t rank;
    htp_dim *dims; /* symbol: the name of the axis, or a formula; size 0: none given */
} htp_specification;

/**
 * Parses one specification. A dim is 0 to 2^31 - 1; a named one, at least 1. Formulas are not
 * parsed. A tensor's VALUE is checked, but not kept: contents of inputs do not change the exported
 * model. Only the header of a file is read.
 */
HTP_MUST_USE htp_status htp_specification_parse(htp_arena *arena, const char *text,
                                                htp_specification *specification);

#endif
