/*
 * Hints about a program's arguments before it runs: uses that imply ranks, dtypes and sizes.
 */
#ifndef HTP_SOURCE_HINTS_H
#define HTP_SOURCE_HINTS_H

#include "base/arena.h"
#include "base/status.h"

#include <htp/program.h>

/**
 * A use that restricts the shape or dtype of an argument. Six kinds are not operators:
 * - "part": the program reads the part of the argument at @p position, "0.key", or "" for all of
 *   it. The next hint, if it is of this argument, is about that part: with weight_dims[0] more dims
 *   than the part has, and with weight_dims[1] like it joined along the features; weight_dims[2] is
 *   1 if it may have been converted to another dtype.
 * - "pick": element weight_dims[1] of dim weight_dims[0] is picked.
 * - "slice": elements from weight_dims[1] of dim weight_dims[0] on are read.
 * - "positions": it is compared with 0, 1, 2 and so on, or used as an index beside them: it has one
 *   number per item, like lengths.
 * - "joined": it is joined with a value that is not an argument.
 * - "beside": it enters one operator together with part @p position of argument weight_dims[0],
 * with weight_dims[1] more dims than that.
 */
typedef struct htp_hint {
    uint32_t argument;
    const char *kind;     /* the operator without overload: "aten::embedding" */
    const char *position; /* the schema argument it goes to: "indices" */
    uint32_t weight_rank; /* of its weight; 0: none. For a computed weight of a convolution, its
                             rank, with dims of 0; for view(-1, 3, 2, 8, 8), 1 and the product of
                             the known sizes; for the state of a recurrent layer, {layers, 0,
                             features}; for that of a cell, {0, features}. For the input of a
                             recurrent layer, 1 follows the two dims of its weight if the input is
                             sequence-first */
    int64_t weight_dims[8];
} htp_hint;

/**
 * Finds uses of the method's arguments, through calls and both sides of branches. A value is
 * followed up to the first operators that give a hint; very large programs are not followed to
 * their end.
 * @param argument_count  of the method, without self
 * @param hints  in the order of the program, in @p arena
 */
HTP_MUST_USE htp_status htp_hints_find(htp_arena *arena, const htp_program *program,
                                       uint32_t argument_count, const htp_hint **hints,
                                       uint32_t *count);

#endif
