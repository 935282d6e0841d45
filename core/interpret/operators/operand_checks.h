/*
 * Checks of operands before an operator runs: some make libtorch's kernels crash, and a few words
 * of code could build gigabytes of text, or search for hours.
 */
#ifndef HTP_INTERPRET_OPERATORS_OPERAND_CHECKS_H
#define HTP_INTERPRET_OPERATORS_OPERAND_CHECKS_H

#include "base/limits/limits.h"

#include <htp/program.h>
#include <htp/runner.h>

/** What operators may cost, and have cost so far. */
typedef struct htp_operand_budget {
    const htp_limits *limits; /* NULL: all defaults */
    double text_work;         /* characters that operators on texts went through */
    bool is_exceeded;         /* the last refusal was a limit's; raising it helps */
} htp_operand_budget;

/** Operands of an operator that is about to run. */
typedef struct htp_operands {
    const htp_operand *all;
    size_t count;
    const htp_program_argument *arguments; /* of its schema, which name the operands */
    size_t argument_count;
    bool gives_int;           /* its one result is an int */
    bool are_made_real;       /* meta tensors get contents for the run */
    const htp_runner *runner; /* reads contents of tensors; NULL: they are unknown */
    htp_operand_budget *budget;
} htp_operands;

/** Whether an operator may run; otherwise @p reason receives a line. */
typedef bool htp_operand_check(const htp_operands *operands, htp_error *reason);

/** The cost of a text (text_budget.c). */
typedef struct htp_text_cost htp_text_cost;

/** The checks before runs of one operator. */
typedef struct htp_guard {
    htp_operand_check *check;  /* NULL: no check needed */
    const htp_text_cost *cost; /* NULL: no texts are involved */
} htp_guard;

/** The guard of an operator, by its name without overload. @param has_texts  it takes or returns
 * texts */
htp_guard htp_guard_find(const char *name, bool has_texts);

/**
 * Whether the operator may run. Its work on texts is added to the budget.
 * @param reason  receives a line if it may not
 */
bool htp_guard_allows(const htp_guard *guard, const htp_operands *operands, htp_error *reason);

/** Whether the operands of an operator that libtorch runs on its own need checks.
 * @param schema  in libtorch's notation */
bool htp_operation_is_checked(const char *name, const char *schema);

/** Whether such an operator may run. Its operands have no names. */
bool htp_operation_may_run(const htp_constant_operation *operation, htp_operand_budget *budget,
                           htp_error *reason);

/** Whether numbers that mean dtypes, layouts and memory formats are valid: libtorch uses them as
 * unchecked indices, and truncates them. Operands without names may be anything. */
bool htp_operands_are_known(const htp_operands *operands, htp_error *reason);

/** The check of an operator, in place or not; NULL if it needs none. */
htp_operand_check *htp_operand_check_find(const char *name);

/** The cost of an operator on texts. */
const htp_text_cost *htp_text_cost_find(const char *name);

/** Adds an operator's work on texts to the budget. @return false if a text, or the total, exceeds
 * its limit */
bool htp_text_charge(const htp_text_cost *cost, const htp_operand *operands, size_t count,
                     htp_operand_budget *budget, htp_error *reason);

/** Refuses what exceeds a limit. @return false */
bool htp_operands_exceed(htp_operand_budget *budget, htp_limit limit, htp_error *reason);

/** Sets the reason. @return false */
bool htp_operands_refuse(htp_error *reason, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
