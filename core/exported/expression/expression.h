/*
 * Formulas of sizes in programs of torch.export: sympy's srepr() for the sizes of values
 * ("Mul(Integer(2), Symbol('s77', positive=True))"), Python for guards
 * ("L['x'].size()[0] % 2 == 0"). Both become steps in postfix order, which are evaluated with
 * numbers for the symbols.
 *
 * Texts are untrusted: nesting, steps, and the time of an evaluation are bounded.
 *
 * Reference: functions.py and printers.py of PyTorch's utils/_sympy.
 */
#ifndef HTP_EXPORTED_EXPRESSION_H
#define HTP_EXPORTED_EXPRESSION_H

#include "base/arena.h"
#include "base/intern.h"
#include "base/status.h"

/** Kinds of numbers. */
typedef enum htp_exported_number_kind {
    HTP_EXPORTED_UNKNOWN = 0, /**< a symbol has no number, or the result overflows or is undefined,
                                  as of a division by zero */
    HTP_EXPORTED_RATIO,       /**< exactly `whole` / `over` in lowest terms */
    HTP_EXPORTED_REAL,
    HTP_EXPORTED_TRUTH, /**< `whole` is 0 or 1 */
} htp_exported_number_kind;

/** The value of a symbol or formula. */
typedef struct htp_exported_number {
    htp_exported_number_kind kind;
    int64_t whole;
    int64_t over; /**< above 0 */
    double real;
} htp_exported_number;

/** The most operands that a formula has on the stack. */
enum { HTP_EXPORTED_HIGHEST = 512 };

typedef enum htp_exported_operation {
    HTP_EXPORTED_NUMBER, /**< `number` */
    HTP_EXPORTED_SYMBOL, /**< number.whole: which */
#define OPERATION(name, arguments, is_folded) HTP_EXPORTED_##name,
#include "exported/expression/expression_operations.def"
#undef OPERATION
    HTP_EXPORTED_OPERATIONS, /**< their count */
} htp_exported_operation;

typedef struct htp_exported_step {
    htp_exported_operation operation;
    htp_exported_number number;
} htp_exported_step;

/** A formula. */
typedef struct htp_exported_formula {
    const htp_exported_step *steps;
    uint32_t count;
} htp_exported_formula;

/** The number of a symbol; a new one is added. */
uint32_t htp_exported_symbol(htp_interned *symbols, const char *name, size_t length);

/**
 * Parses the output of sympy's srepr(). @p symbols has the names of symbols, by number.
 * @return HTP_CODE_BAD_INPUT for malformed texts, HTP_CODE_UNSUPPORTED for unknown functions and
 *         for formulas beyond the limits.
 */
HTP_MUST_USE htp_status htp_exported_formula_read(htp_interned *symbols, const char *text,
                                                  htp_exported_formula *formula);

/** Parses a condition in Python, likewise. Its symbols are places in the arguments of forward():
 * "L.x.0.size.1" for "L['x'][0].size()[1]", "L.n" for a number "L['n']". */
HTP_MUST_USE htp_status htp_exported_guard_read(htp_interned *symbols, const char *text,
                                                htp_exported_formula *formula);

/** Parses the place in the arguments at the beginning of a text: "L.x.0.size.1"; @p at moves to its
 * end. NULL: there is none. */
const char *htp_exported_guard_place(htp_arena *arena, const char **at);

/** Evaluates a formula. @param numbers  by symbol, for the first @p count; others are unknown */
htp_exported_number htp_exported_formula_value(const htp_exported_formula *formula,
                                               const htp_exported_number *numbers, uint32_t count);

/** An integer as a number. */
static inline htp_exported_number htp_exported_integer(int64_t number)
{
    return (htp_exported_number){.kind = HTP_EXPORTED_RATIO, .whole = number, .over = 1};
}

/** Whether a number is an integer. */
static inline bool htp_exported_is_integer(const htp_exported_number *number)
{
    return number->kind == HTP_EXPORTED_RATIO && number->over == 1;
}

#endif
