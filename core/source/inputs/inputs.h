/*
 * The inputs of a trace: given on the command line or in a file, held by the archive, or
 * derived from the graph.
 */
#ifndef HTP_SOURCE_INPUTS_H
#define HTP_SOURCE_INPUTS_H

#include "base/arena.h"
#include "base/status.h"
#include "graph/graph.h"
#include "source/hints/hints.h"

/** Where an input goes: an argument, or a part of one. */
typedef struct htp_input_path {
    const char *text;         /* "past.0.key" */
    uint32_t argument;        /* of the method */
    const char *const *parts; /* below the argument: "0", "key" */
    uint32_t depth;
} htp_input_path;

/** Sizes that an axis can have: forward() refuses others. */
typedef struct htp_bound {
    int64_t least;       /**< 0: none is known */
    int64_t most;        /**< 0: none is known */
    int64_t step;        /**< sizes are that far from each other; 0: they may have any distance */
    int64_t rest;        /**< one of them */
    bool is_told;        /**< the file says so */
    const char *message; /**< of the first refusal that told something; NULL: none did */
} htp_bound;

/** One per argument, in their order; of an argument that is a tuple, list or dict one per part, as
 * deep as they are nested: no item is nested, unless it is empty. Lane 0 has the sizes that were
 * asked for; the others differ from it in the named axes. Without a named axis there is one
 * lane. */
typedef struct htp_inputs {
    htp_input *items;
    const htp_input_path *paths; /* by input */
    uint32_t count;
    uint32_t argument_count; /* of the method */
    uint32_t lane_count;
    htp_axis *axes;
    uint32_t axis_count;
    uint32_t choice;     /**< of the lanes' sizes: the attempt of htp_inputs_choose_lanes() */
    htp_bound *bounds;   /**< by axis: what earlier refusals told; NULL: nothing is known */
    bool keeps_bounds;   /**< sizes out of them are not tried */
    uint32_t **dim_axes; /**< by input and dim: its axis, or HTP_NONE */
    /** After a trace: why it cannot be exported what the program does at the smallest sizes, up to
     * @c largest_failing, and the graph is of larger ones; NULL where it holds there, or forward()
     * refuses such sizes. */
    const char *failure_when_small;
    int64_t largest_failing;
    bool tells_order; /**< axes that nobody named: each of two is the larger one in some lane */
} htp_inputs;

/**
 * Parses specifications (source/inputs/specification.h), matches them with the method's arguments
 * by name (an empty name, ":float32[2,8]", goes by position; "past.0" is part 0 of argument past),
 * and chooses the other lanes' sizes. Arguments that are not named and have a default stay out
 * (is_none).
 *
 * Fails with HTP_CODE_USAGE, or HTP_CODE_UNSUPPORTED when the method needs an argument that no
 * input can be.
 */
HTP_MUST_USE htp_status htp_inputs_parse(htp_arena *arena, const char *const *specifications,
                                         size_t count, const htp_argument *arguments,
                                         uint32_t argument_count, htp_inputs *inputs);

/** The same from JSON text: {"ids": {"dtype": "int64", "shape": [{"batch": 2}, 8]}, ...},
 * {"ids": "int64[batch=2,8]"}, {"steps": 3}, {"past": [{"key": "float32[2,8]"}]}; @p name is used
 * in messages. Where the text is not the user's own, it must not name files: @p may_name_files. */
HTP_MUST_USE htp_status htp_inputs_parse_json(htp_arena *arena, const char *name, const char *text,
                                              bool may_name_files, const htp_argument *arguments,
                                              uint32_t argument_count, htp_inputs *inputs);

/** The specifications of the arrays in a .npz file: "ids:int64[2,8]" for ids.npy; those that were
 * saved without names (arr_0, arr_1) go by position. The arrays' headers alone are read. */
HTP_MUST_USE htp_status htp_inputs_list_npz(htp_arena *arena, const char *path,
                                            const char *const **specifications, size_t *count);

/** Inputs as the archive holds them: all sizes fixed. Fails when there are more of them than
 * arguments, or fewer than the method needs. */
HTP_MUST_USE htp_status htp_inputs_archived(htp_arena *arena, const htp_input *archived,
                                            uint32_t archived_count, const htp_argument *arguments,
                                            uint32_t argument_count, htp_inputs *inputs);

/** A formula of axes in its normal form; NULL where it is too large. */
const char *htp_inputs_write_formula(htp_arena *arena, const htp_inputs *inputs,
                                     const htp_size_formula *formula);

/** What came of inputs that were tried. */
typedef enum htp_trial {
    HTP_TRIAL_REFUSED, /**< forward() does not take them */
    HTP_TRIAL_TAKEN,
    HTP_TRIAL_STOPPED, /**< nothing else is to be tried */
} htp_trial;

/** Tries inputs, with one lane. @p trace receives what ran before a refusal, or NULL when that is
 * not known; it is read before the next call. */
typedef htp_trial (*htp_derive_try)(void *user, const htp_inputs *inputs, const htp_trace **trace);

/** What came of deriving inputs. */
typedef struct htp_input_derivation {
    bool are_taken;      /**< forward() took them */
    uint32_t tried;      /**< guesses */
    const char *suspect; /**< where it refused all: the part of an argument that the furthest
                            refusal is about, as flags name it; or NULL */
} htp_input_derivation;

/**
 * Derives inputs from the uses of the arguments, and from what forward() says to them: @p attempt
 * runs one guess after the other, a bounded number of them. @p inputs receives those that it took,
 * or those that forward() came furthest with when it refused all. Arguments that may be left out
 * are, unless forward() asks for them.
 *
 * An argument that is needed and no tensor gives a failure that names it and shows the flag to
 * pass. Sizes are fixed: no axis is named.
 * @param result  receives what came of it
 */
HTP_MUST_USE htp_status htp_inputs_derive(htp_arena *arena, const htp_hint *hints,
                                          uint32_t hint_count, const htp_argument *arguments,
                                          uint32_t argument_count, htp_derive_try attempt,
                                          void *user, htp_inputs *inputs,
                                          htp_input_derivation *result);

/** Lanes whose sizes tell the axes apart; of the first attempt there is one more, of ones. */
enum { HTP_INPUTS_LANES = 3 };

/**
 * Sets the sizes of the named axes in all lanes but the first. No two axes move alike, so that a
 * dim's sizes in three lanes tell which axis it follows; no size is 0.
 *
 * The first attempt has a lane with sizes of next to nothing, in another order than in the lane far
 * away, and a fourth lane, where every axis is 1: what a program cuts off or takes the smaller one
 * of shows there. A model may refuse some sizes (a smallest image, a longest sequence, a multiple
 * of a patch): the next attempts move one lane far, so that dims behind strides move, and the lanes
 * to both sides, so that a limit of the program on either side shows; then sizes keep what powers
 * of two divide them, and later ones stay near. @p attempt counts from 0; where its inputs would be
 * too large, formulas below 1, or sizes out of their bounds, the next one where they are not is
 * chosen.
 * @return false when there is no such attempt; the sizes are not to be used then.
 */
bool htp_inputs_choose_lanes(htp_inputs *inputs, uint32_t attempt);

/** Which sizes the axes have, as the file says: "batch from 2 on; height from 16 to 512, a multiple
 * of 16". NULL where it says nothing. */
const char *htp_inputs_told_sizes(htp_arena *arena, const htp_inputs *inputs);

/** Whether some attempt keeps the bounds of an axis, were it the only one. */
bool htp_inputs_may_move(const htp_inputs *inputs, uint32_t axis);

/** Adds an axis. @return its index */
uint32_t htp_inputs_add_axis(htp_arena *arena, htp_inputs *inputs, htp_axis axis);

/**
 * Makes a dim follow a formula of axes that have none, with the size that it has in lane 0: an axis
 * with a formula, which other dims with an equal one share; the axis itself, or a number, where the
 * formula is no more. The formula is borrowed.
 * @return NULL, or why the dim cannot be that.
 */
const char *htp_inputs_set_formula(htp_arena *arena, htp_inputs *inputs,
                                   const htp_size_formula *formula, uint32_t input, uint32_t dim);

/** Adds a fourth lane with these sizes (by axis), no larger than those of another lane; or leaves
 * it out again (NULL). @return whether formulas are 1 or more there. */
bool htp_inputs_set_last_lane(htp_inputs *inputs, const int64_t *sizes);

/** Whether the bytes of an input can be counted in every lane, as libtorch does: in 63 bits. */
bool htp_input_fits(const htp_input *input, uint32_t lane_count);

/** One input as a specification: "ids:int64[batch=2,8]". NULL for one that is left out. */
const char *htp_inputs_describe(htp_arena *arena, const htp_inputs *inputs, uint32_t index);

/** Puts the inputs together again: one per argument, with what is nested in it. @return NULL where
 * two of them go to one place; @p index (or NULL) receives the second one. */
const htp_input *htp_inputs_nest(htp_arena *arena, const htp_inputs *inputs, uint32_t *index);

/** The flags that would give an argument, or a part of one at @p path: " --input x:DTYPE[DIMS]", or
 * for a tuple " --input x.0:DTYPE[DIMS] --input x.1:int=VALUE". NULL where no input can be that. */
const char *htp_inputs_form(htp_arena *arena, const htp_argument *argument, const char *path);

#endif
