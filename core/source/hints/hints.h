/*
 * Hints of a program on its arguments before it runs: uses that imply ranks, dtypes and sizes.
 */
#ifndef HTP_SOURCE_HINTS_H
#define HTP_SOURCE_HINTS_H

#include "base/arena.h"
#include "base/status.h"

#include <htp/program.h>

/**
 * A use that restricts the shape or dtype of an argument. Six kinds are no operators:
 * - "part": the program reads the part of the argument at @p position, "0.key", or "" for all of
 *   it; the next hint, if it is of this argument, speaks of that part, with weight_dims[0] dims
 *   more than it has, and with the features of weight_dims[1] like it; weight_dims[2] is 1 where it
 *   was perhaps converted to another dtype.
 * - "pick": element weight_dims[1] of dim weight_dims[0] is picked.
 * - "slice": elements from weight_dims[1] of dim weight_dims[0] on are read.
 * - "positions": it is compared with 0, 1, 2 and so on, or used as an index beside them: one number
 *   per item, like lengths.
 * - "joined": it is joined with a value that is no argument.
 * - "beside": it enters one operator together with argument weight_dims[0], part @p position, with
 *   weight_dims[1] dims more than that.
 */
typedef struct htp_hint {
    uint32_t argument;
    const char *kind;     /* the operator without overload: "aten::embedding" */
    const char *position; /* the schema argument it goes to: "indices" */
    uint32_t weight_rank; /* of its weight; 0 if there is none. A convolution whose weight is
                             computed has its rank and dims of 0; view(-1, 3, 2, 8, 8) has 1 and the
                             product of the known sizes; the state of a recurrent layer has {layers,
                             0, features}, that of a cell {0, features}. The two dims of such a
                             layer's weight are followed by 1 if the argument is sequence-first */
    int64_t weight_dims[8];
} htp_hint;

/**
 * Finds uses of the method's arguments, through calls and both sides of branches; stops at the
 * first operators that say something, and in very large programs.
 * @param argument_count  of the method, without self
 * @param hints  in the order of the program, in @p arena
 */
HTP_MUST_USE htp_status htp_hints_find(htp_arena *arena, const htp_program *program,
                                       uint32_t argument_count, const htp_hint **hints,
                                       uint32_t *count);

#endif
