/*
 * A hypothesis for a trace to judge: which dims of the inputs are one axis, and which axes move.
 *
 * A dim is a number, in the order of the inputs. An axis is identified by its first dim.
 */
#ifndef HTP_SOURCE_AXES_H
#define HTP_SOURCE_AXES_H

#include "source/hints/hints.h"
#include "source/inputs/inputs.h"
#include "source/program/operators.h"

/** A dim of a tensor input. */
typedef struct htp_axes_dim {
    uint32_t input;
    uint32_t dim;
    uint32_t family; /**< dims that are likely to be equal: see htp_axes_family() */
} htp_axes_dim;

/** Facts from the program about the dims of an input. */
typedef enum htp_axes_layout {
    HTP_AXES_USUAL,
    HTP_AXES_NO_PICTURE,  /**< joined with others or multiplied, like a cache; or no operator of the
                               program slides windows */
    HTP_AXES_STEPS_FIRST, /**< the steps of a sequence, then the batch */
} htp_axes_layout;

typedef struct htp_axes {
    htp_arena *arena;
    const htp_inputs *given;
    const htp_axes_dim *dims;
    uint32_t count;
    const char *const *names;          /**< by axis; NULL: default names are used */
    uint32_t *axis_of;                 /**< by dim */
    bool *is_fixed;                    /**< by axis */
    const htp_size_formula **formulas; /**< by axis: over dims; NULL: it moves by itself */
    const htp_axes_layout *layouts;    /**< by input; NULL: unknown */
} htp_axes;

/** Every dim of every tensor input as an axis of its own. */
htp_axes htp_axes_apart(htp_arena *arena, const htp_inputs *inputs);

/** The named axes of inputs; other dims are fixed. */
htp_axes htp_axes_named(htp_arena *arena, const htp_inputs *inputs);

/** Whether hints may say more about the inputs than their ranks do. */
bool htp_axes_need_hints(const htp_axes *axes);

/** Notes the layouts of inputs by hints. */
void htp_axes_note_hints(htp_axes *axes, const htp_hint *hints, uint32_t count);

/** Whether an input may be an image, by what is known so far. */
bool htp_axes_may_be_pictures(const htp_axes *axes);

/** Notes that no input is an image unless one of the program's operators slides windows over
 * images. */
void htp_axes_note_operators(htp_axes *axes, const htp_named_operator *operators, uint32_t count);

/** A copy that can be changed independently, in the same arena. */
htp_axes htp_axes_copy(const htp_axes *axes);

/** Joins two axes. The result moves unless one of them is fixed. @return false if they have
 * different sizes, or are one already */
bool htp_axes_join(htp_axes *axes, uint32_t a, uint32_t b);

/** Makes an axis follow others by a formula over dims, which must not depend on it. @return false
 * if formulas become too long */
bool htp_axes_set_formula(htp_axes *axes, uint32_t axis, const htp_size_formula *formula);

/** Whether a dim is the first of an axis that moves by itself. */
bool htp_axes_moves(const htp_axes *axes, uint32_t dim);

/** How many axes move by themselves. */
uint32_t htp_axes_count_moving(const htp_axes *axes);

/** The size of a dim in the example. */
int64_t htp_axes_size(const htp_axes *axes, uint32_t dim);

/**
 * Sets the dynamic axes of inputs, and chooses lanes. Default names follow the usual meaning of
 * dims: the first is "batch", the second of an integer matrix "sequence", the last two of an image
 * "height" and "width" (unless it is known not to be one); others contain the name of their input.
 * @param moving  receives, by axis of the inputs, its first dim
 * @return false if there are no sizes for lanes
 */
bool htp_axes_apply(const htp_axes *axes, htp_inputs *inputs, const uint32_t **moving);

/** The names of axes without formulas, by axis, dynamic or not. */
const char *const *htp_axes_find_names(const htp_axes *axes);

/** The usual meaning of a dim; later ones are fixed by programs more often. */
typedef enum htp_axes_kind {
    HTP_AXES_BATCH,
    HTP_AXES_SEQUENCE,
    HTP_AXES_SPATIAL,
    HTP_AXES_FEATURE, /**< or anything else */
} htp_axes_kind;

htp_axes_kind htp_axes_find_kind(const htp_axes *axes, uint32_t dim);

/** The number of similar dims: with the same position and size, in inputs whose paths differ only
 * in numbers ("past.0.key", "past.1.key"). */
uint32_t htp_axes_count_alike(const htp_axes *axes, uint32_t dim);

#endif
