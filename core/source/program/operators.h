/*
 * The operators that a program names, found without running anything.
 */
#ifndef HTP_SOURCE_OPERATORS_H
#define HTP_SOURCE_OPERATORS_H

#include "base/arena.h"
#include "base/status.h"

#include <htp/program.h>

/** An operator that the code names. */
typedef struct htp_named_operator {
    const char *kind; /* with overload: "aten::add.Tensor" */
    uint32_t places;  /* in the code; one in a loop, or called twice, counts once */
    bool has_tensors; /* it takes or returns tensors */
    bool is_followed; /* it needs no lowering: it works on lists, is constant, or does nothing */
} htp_named_operator;

/** Sorts operators by kind. */
void htp_operators_sort(htp_named_operator *operators, size_t count);

/**
 * Lists the operators in the method's code and its callees, sorted by kind. Calls through
 * interfaces are not followed.
 * @param operators  the list, in @p arena
 */
HTP_MUST_USE htp_status htp_operators_find(htp_arena *arena, const htp_program *program,
                                           const htp_named_operator **operators, uint32_t *count);

#endif
