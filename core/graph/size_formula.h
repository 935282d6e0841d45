/*
 * Sizes that follow from named axes: "past + sequence", in the writing of htp_polynomial_write().
 */
#ifndef HTP_GRAPH_SIZE_FORMULA_H
#define HTP_GRAPH_SIZE_FORMULA_H

#include "base/arena.h"
#include "base/map.h"
#include "graph/polynomial.h"

struct htp_axis;

/** The operation of a step on the preceding values. */
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

/** How long the name is that a text begins with; 0 where it begins with none. */
size_t htp_size_formula_name_length(const char *text);

/** The error for an axis of unknown size. */
const char *htp_size_formula_no_size(htp_arena *arena, const char *axis);

/** Appends a step; false when there are too many. */
bool htp_size_formula_push(htp_size_formula *formula, htp_size_formula_kind kind, int64_t number);

/** The size for those that @p axes have in a lane; 0 when a number overflows. */
int64_t htp_size_formula_value(const htp_size_formula *formula, const struct htp_axis *axes,
                               uint32_t lane);

/** The same as a polynomial; @p axes has those of the axes. HTP_NONE when it is too
 * large. */
htp_polynomial_id htp_size_formula_polynomial(htp_algebra *algebra, const htp_size_formula *formula,
                                              const htp_polynomial_id *axes);

#endif
