/*
 * Sizes of dynamic axes, and of dims that are formulas of them. Private to core/verify.
 */
#ifndef HTP_VERIFY_AXES_H
#define HTP_VERIFY_AXES_H

#include "base/map.h"
#include "base/vector.h"
#include "verify/verify.h"

/** The axes of a model's inputs. */
typedef struct htp_made_axes {
    HTP_VECTOR(const char *) names;
    htp_map numbers; /* by name */
    const int64_t *sizes;
} htp_made_axes;

/** Adds the axes that a dim's symbol names: `past` and `sequence` of "past + sequence". */
void htp_made_axes_add(htp_arena *arena, htp_made_axes *sizes, const char *symbol);

/**
 * The size of a dim: of an axis, or of a formula: + - * // ( ), and numbers.
 * @return -1 where the text is no such formula, or names an unknown axis, or the result does not
 *         fit into 31 bits.
 */
int64_t htp_made_axes_size(const htp_made_axes *sizes, const char *symbol);

#endif
