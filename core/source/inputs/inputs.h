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

/** The destination of an input: an argument, or a part of one. */
typedef struct htp_input_path {
    const char *text;         /* "past.0.key" */
    uint32_t argument;        /* of the method */
    const char *const *parts; /* below the argument: "0", "key" */
    uint32_t depth;
} htp_input_path;

/** The sizes of an axis that forward() may accept. */
typedef struct htp_bound {
    int64_t least;       /**< 0: unknown */
    int64_t most;        /**< 0: unknown */
    int64_t step;        /**< sizes are `rest` plus multiples of it; 0: any */
    int64_t rest;        /**< one of these sizes */
    bool is_declared;    /**< the file declares them */
    bool is_step_shared; /**< the step and the least size are those beside a number of the
                              example */
    const char *message; /**< of the first refusal with a reason; NULL: none */
} htp_bound;

/** Whether a file accepts the combination of input sizes in a lane. */
typedef bool (*htp_takes_lane)(void *user, const htp_inputs *inputs, uint32_t lane);

/** Inputs, in the order of arguments: one for each, or for a tuple, list or dict one for each part,
 * recursively; only empty containers have one themselves. Lane 0 has the requested sizes; the
 * others differ from it in the named axes. Without a named axis there is one lane. */
struct htp_inputs {
    htp_input *items;
    const htp_input_path *paths; /* by input */
    uint32_t count;
    uint32_t argument_count; /* of the method */
    uint32_t lane_count;
    htp_axis *axes;
    uint32_t axis_count;
    uint32_t choice;     /**< the attempt of htp_inputs_choose_lanes() that set the lanes */
    htp_bound *bounds;   /**< by axis: learned from earlier refusals; NULL: unknown */
    bool keeps_bounds;   /**< sizes out of bounds are not tried */
    uint32_t **dim_axes; /**< by input and dim: its axis, or HTP_NONE */
    /** After a trace: why sizes up to @c largest_failing cannot be exported, so that the graph is
     * for larger ones. NULL: they can, or forward() refuses them. */
    const char *failure_when_small;
    int64_t largest_failing;
    bool tells_order;     /**< for assumed axes: each of two is the larger one in some lane */
    htp_takes_lane takes; /**< of a file with conditions on several sizes; NULL: it has none */
    void *taker;          /**< the user of `takes` */
    const char *asked;    /**< these conditions in words; NULL: none */
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

/** As htp_inputs_parse(), from JSON text: {"ids": {"dtype": "int64", "shape": [{"batch": 2}, 8]},
 * ...}, {"ids": "int64[batch=2,8]"}, {"steps": 3}, {"past": [{"key": "float32[2,8]"}]}.
 * @param name            of the text, in messages
 * @param may_name_files  false for text that is not the user's own */
HTP_MUST_USE htp_status htp_inputs_parse_json(htp_arena *arena, const char *name, const char *text,
                                              bool may_name_files, const htp_argument *arguments,
                                              uint32_t argument_count, htp_inputs *inputs);

/** The specifications of the arrays in a .npz file: "ids:int64[2,8]" for ids.npy; those that were
 * saved without names (arr_0, arr_1) go by position. Only the headers of arrays are read. */
HTP_MUST_USE htp_status htp_inputs_list_npz(htp_arena *arena, const char *path,
                                            const char *const **specifications, size_t *count);

/** Inputs as the archive holds them: all sizes fixed. Fails if there are more than arguments, or
 * fewer than the method requires. */
HTP_MUST_USE htp_status htp_inputs_archived(htp_arena *arena, const htp_input *archived,
                                            uint32_t archived_count, const htp_argument *arguments,
                                            uint32_t argument_count, htp_inputs *inputs);

/** A formula over axes in normal form; NULL if it is too large. */
const char *htp_inputs_write_formula(htp_arena *arena, const htp_inputs *inputs,
                                     const htp_size_formula *formula);

/** The outcome of trying inputs. */
typedef enum htp_trial {
    HTP_TRIAL_REFUSED, /**< forward() refuses them */
    HTP_TRIAL_TAKEN,
    HTP_TRIAL_STOPPED, /**< the search must end */
} htp_trial;

/** Tries inputs in one lane. @p trace receives the operators before a refusal, or NULL if unknown;
 * it is read before the next call. */
typedef htp_trial (*htp_derive_try)(void *user, const htp_inputs *inputs, const htp_trace **trace);

/** The outcome of deriving inputs. */
typedef struct htp_input_derivation {
    bool are_taken;      /**< forward() accepted them */
    uint32_t tried;      /**< number of guesses */
    const char *suspect; /**< if it refused all: the part of an argument that the furthest refusal
                            is about, as flags name it; or NULL */
} htp_input_derivation;

/**
 * Derives inputs from the uses of the arguments, and from refusals: @p attempt runs one guess after
 * another, a bounded number of them. @p inputs receives the accepted ones, or those with which
 * forward() came furthest. Optional arguments are left out, unless forward() requires them.
 *
 * Fails for a required argument that is not a tensor, and names the flag to pass. Sizes are fixed:
 * no axis is named.
 * @param result  receives the outcome
 */
HTP_MUST_USE htp_status htp_inputs_derive(htp_arena *arena, const htp_hint *hints,
                                          uint32_t hint_count, const htp_argument *arguments,
                                          uint32_t argument_count, htp_derive_try attempt,
                                          void *user, htp_inputs *inputs,
                                          htp_input_derivation *result);

/** Lanes whose sizes tell the axes apart. The first attempt has one more, of ones. */
enum { HTP_INPUTS_LANES = 3 };

/**
 * Sets the sizes of the named axes in all lanes but the first. No two axes move alike, so the sizes
 * of a dim in three lanes show which axis it follows. No size is 0.
 *
 * The first attempt has a lane of tiny sizes, in another order than in the distant lane, and a
 * fourth lane where every axis is 1: these show where a program slices, or takes a minimum. A model
 * may refuse some sizes (below a smallest image, above a longest sequence, off multiples of a
 * patch). So the next attempts move one lane far, to move dims after strides, and lanes to both
 * sides, to find limits on either side; then sizes keep their powers of two; then they stay near.
 * If the file declares the sizes that it accepts, the last attempt moves one axis after the other.
 *
 * @p attempt counts from 0. Attempts with too large inputs, formulas below 1, sizes out of bounds,
 * or combinations that the file does not accept are skipped.
 * @return false if there is no further attempt; the sizes are invalid then.
 */
bool htp_inputs_choose_lanes(htp_arena *arena, htp_inputs *inputs, uint32_t attempt);

/** Whether sizes (by axis; those with formulas follow) are within bounds, and the file accepts
 * their combination. The inputs stay as they are. */
bool htp_inputs_take(htp_arena *arena, const htp_inputs *inputs, const int64_t *sizes);

/** The sizes that the file declares for its axes: "batch from 2 on; height from 16 to 512, a
 * multiple of 16". NULL: none. */
const char *htp_inputs_declared_sizes(htp_arena *arena, const htp_inputs *inputs);

/** Whether some attempt would keep the bounds of an axis if it were the only one. */
bool htp_inputs_may_move(htp_arena *arena, const htp_inputs *inputs, uint32_t axis);

/** Adds an axis. @return its index */
uint32_t htp_inputs_add_axis(htp_arena *arena, htp_inputs *inputs, htp_axis axis);

/**
 * Makes a dim follow a formula over independent axes, with its size in lane 0 unchanged. It becomes
 * an axis with a formula, shared by dims with an equal one; or, for a trivial formula, the axis
 * itself or a number. The formula is borrowed.
 * @return NULL, or the reason why that is impossible.
 */
const char *htp_inputs_set_formula(htp_arena *arena, htp_inputs *inputs,
                                   const htp_size_formula *formula, uint32_t input, uint32_t dim);

/** Adds a fourth lane with these sizes (by axis), none larger than in another lane; NULL removes
 * it.
 * @return whether formulas are at least 1 in it */
bool htp_inputs_set_last_lane(htp_inputs *inputs, const int64_t *sizes);

/** Whether the number of bytes of an input fits into 63 bits in every lane, as libtorch requires.
 */
bool htp_input_fits(const htp_input *input, uint32_t lane_count);

/** One input as a specification: "ids:int64[batch=2,8]". NULL if it is left out. */
const char *htp_inputs_describe(htp_arena *arena, const htp_inputs *inputs, uint32_t index);

/** Reassembles the inputs: one per argument, with nested ones. @return NULL if two of them have the
 * same path; then @p index (or NULL) receives the second one */
const htp_input *htp_inputs_nest(htp_arena *arena, const htp_inputs *inputs, uint32_t *index);

/** The flags that give an argument, or a part of one at @p path: " --input x:DTYPE[DIMS]", or for a
 * tuple " --input x.0:DTYPE[DIMS] --input x.1:int=VALUE". NULL if it cannot be an input. */
const char *htp_inputs_form(htp_arena *arena, const htp_argument *argument, const char *path);

#endif
