/*
 * Sizes computed from named axes: "past + sequence", as htp_polynomial_write() writes them.
 */
#ifndef HTP_GRAPH_SIZE_FORMULA_H
#define HTP_GRAPH_SIZE_FORMULA_H

#include "base/arena.h"
#include "base/map.h"
#include "graph/polynomial.h"

struct htp_axis;

/** The operation of a step on the values before it. */
typedef enum htp_size_formula_kind {
    HTP_SIZE_NUMBER,
    HTP_SIZE_AXIS, /**< number: which */
    HTP_SIZE_ADD,
    HTP_SIZE_SUBTRACT,
    HTP_SIZE_MULTIPLY,
    HTP_SIZE_FLOOR, /**< floor(a / b); b is a number above 0 */
    HTP_SIZE_LARGER,
    HTP_SIZE_SMALLER,
} htp_size_formula_kind;

typedef struct htp_size_formula_step {
    htp_size_formula_kind kind;
    int64_t number;
} htp_size_formula_step;

enum { HTP_SIZE_MAX_STEPS = 64 };

/** In postfix order. */
typedef struct htp_size_formula {
    htp_size_formula_step steps[HTP_SIZE_MAX_STEPS];
    uint32_t count;
} htp_size_formula;

/**
 * Parses sums, differences, products, `//` by a number, max() and min() of names and numbers.
 * @param names  the axes that may occur, by name
 * @return NULL, or the error: "axis \"past\" has no size".
 */
const char *htp_size_formula_parse(htp_arena *arena, const char *text, const htp_map *names,
                                   htp_size_formula *formula);

/** Whether a text is the name of an axis rather than a formula: letters, digits and _. */
bool htp_size_formula_is_name(const char *text);

/** The length of the name at the beginning of a text; 0: none. */
size_t htp_size_formula_name_length(const char *text);

/** The error for an axis of unknown size. */
const char *htp_size_formula_no_size(htp_arena *arena, const char *axis);

/** Appends a step; false when there are too many. */
bool htp_size_formula_push(htp_size_formula *formula, htp_size_formula_kind kind, int64_t number);

/** The size in a lane, from those of @p axes; 0 if a number overflows. */
int64_t htp_size_formula_value(const htp_size_formula *formula, const struct htp_axis *axes,
                               uint32_t lane);

/** The formula as a polynomial, from those of @p axes. HTP_NONE if it is too large. */
htp_polynomial_id htp_size_formula_polynomial(htp_algebra *algebra, const htp_size_formula *formula,
                                              const htp_polynomial_id *axes);

#endif
