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

typedef struct htp_inputs htp_inputs;

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
    const char *message; /** < of the first refusal with a reason; NULL: none */
} htp_bound;

/** Whether a file accepts the sizes of inputs in a lane, all together. */
typedef bool (*htp_takes_lane)(void *user, const htp_inputs *inputs, uint32_t lane);

/** One per argument, in their order; of an argument that is a tuple, list or dict one per part,
 * recursively; only empty containers remain. Lane 0 has the requested sizes; the others differ from
 * it in the named axes. Without a named axis there is one lane. */
struct htp_inputs {
    htp_input *items;
    const htp_input_path *paths; /* by input */
    uint32_t count;
    uint32_t argument_count; /* of the method */
    uint32_t lane_count;
    htp_axis *axes;
    uint32_t axis_count;
    uint32_t choice;     /**< of the lanes' sizes: the attempt of htp_inputs_choose_lanes() */
    htp_bound *bounds;   /** < by axis: learned from earlier refusals; NULL: unknown */
    bool keeps_bounds;   /**< sizes out of them are not tried */
    uint32_t **dim_axes; /**< by input and dim: its axis, or HTP_NONE */
    /** After a trace: why the behaviour at sizes up to @c largest_failing cannot be exported, so
     * that the graph is for larger ones; NULL if it holds there, or forward() refuses such
     * sizes. */
    const char *failure_when_small;
    int64_t largest_failing;
    bool tells_order;     /**< axes that nobody named: each of two is the larger one in some lane */
    htp_takes_lane takes; /**< of a file that asks something of several sizes; NULL: it does not */
    void *taker;          /**< its user */
    const char *asked;    /**< what that is, in words; NULL: nothing */
};

/**
 * Parses specifications (source/inputs/specification.h), matches them with the method's arguments
 * by name (an empty name, ":float32[2,8]", goes by position; "past.0" is part 0 of argument past),
 * and chooses the other lanes' sizes. Arguments with a default that are not named are left out
 * (is_none).
 *
 * Fails with HTP_CODE_USAGE, or HTP_CODE_UNSUPPORTED if a required argument cannot be an input.
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

/** The outcome of trying inputs. */
typedef enum htp_trial {
    HTP_TRIAL_REFUSED, /**< forward() does not take them */
    HTP_TRIAL_TAKEN,
    HTP_TRIAL_STOPPED, /**< nothing else is to be tried */
} htp_trial;

/** Tries inputs in one lane. @p trace receives the operators before a refusal, or NULL if unknown;
 * it is read before the next call. */
typedef htp_trial (*htp_derive_try)(void *user, const htp_inputs *inputs, const htp_trace **trace);

/** The outcome of deriving inputs. */
typedef struct htp_input_derivation {
    bool are_taken;      /**< forward() took them */
    uint32_t tried;      /**< guesses */
    const char *suspect; /**< where it refused all: the part of an argument that the furthest
                            refusal is about, as flags name it; or NULL */
} htp_input_derivation;

/**
 * Derives inputs from the uses of the arguments, and from refusals: @p attempt runs one guess after
 * another, a bounded number of them. @p inputs receives the accepted ones, or those with which
 * forward() came furthest. Optional arguments are left out, unless forward() requires them.
 *
 * A required argument that is no tensor is a failure, with the flag to pass. Sizes are fixed: no
 * axis is named.
 * @param result  receives the outcome
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
 * The first attempt has a lane of tiny sizes, in another order than in the distant lane, and a
 * fourth lane where every axis is 1: these show where a program cuts off, or takes a minimum. A
 * model may refuse some sizes (a smallest image, a longest sequence, a multiple of a patch): the
 * next attempts move one lane far, to move dims behind strides, and lanes to both sides, to find
 * limits on either side; then sizes keep their powers of two, and later ones stay near. If the file
 * says which sizes it accepts, the last attempt moves one axis after the other. @p attempt counts
 * from 0; attempts with too large inputs, formulas below 1, sizes out of bounds, or sizes that the
 * file does not accept together are skipped.
 * @return false if there is no further attempt; the sizes are invalid then.
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
 * Makes a dim follow a formula over independent axes, keeping its size in lane 0. It becomes an
 * axis with a formula, shared by dims with an equal one; or the axis itself, or a number, if the
 * formula is no more than that. The formula is borrowed.
 * @return NULL, or the reason against it.
 */
const char *htp_inputs_set_formula(htp_arena *arena, htp_inputs *inputs,
                                   const htp_size_formula *formula, uint32_t input, uint32_t dim);

/** Adds a fourth lane with these sizes (by axis), none larger than another lane's; or removes it
 * (NULL). @return whether formulas are at least 1 there. */
bool htp_inputs_set_last_lane(htp_inputs *inputs, const int64_t *sizes);

/** Whether the bytes of an input can be counted in every lane, as libtorch does: in 63 bits. */
bool htp_input_fits(const htp_input *input, uint32_t lane_count);

/** One input as a specification: "ids:int64[batch=2,8]". NULL for one that is left out. */
const char *htp_inputs_describe(htp_arena *arena, const htp_inputs *inputs, uint32_t index);

/** Reassembles the inputs: one per argument, with nested ones. @return NULL if two of them have one
 * place; @p index (or NULL) receives the second one. */
const htp_input *htp_inputs_nest(htp_arena *arena, const htp_inputs *inputs, uint32_t *index);

/** The flags that would give an argument, or a part of one at @p path: " --input x:DTYPE[DIMS]", or
 * for a tuple " --input x.0:DTYPE[DIMS] --input x.1:int=VALUE". NULL where no input can be that. */
const char *htp_inputs_form(htp_arena *arena, const htp_argument *argument, const char *path);

#endif
