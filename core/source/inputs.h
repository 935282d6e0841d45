/*
 * The inputs of a trace: given on the command line or in a file, held by the archive, or
 * derived from the graph.
 */
#ifndef HTP_SOURCE_INPUTS_H
#define HTP_SOURCE_INPUTS_H

#include "base/arena.h"
#include "base/status.h"
#include "graph/graph.h"

/** One per argument of forward(). Lane 0 has the sizes that were asked for; lanes 1 and 2 differ
 * from it in the named axes. Without a named axis there is one lane. */
typedef struct htp_inputs {
    htp_shim_input *items;
    uint32_t count;
    uint32_t lane_count;
    htp_axis *axes;
    uint32_t axis_count;
    uint32_t **dim_axes; /**< by input and dim: its axis, or HTP_NONE */
} htp_inputs;

/**
 * Parses "NAME:DTYPE[batch=2,8]" specifications ("NAME:int=3", "NAME:float=0.5" and
 * "NAME:bool=true" for numbers), matches them with forward()'s arguments by name (an empty name,
 * ":float32[2,8]", goes by position), and chooses the other lanes' sizes. Arguments that are not
 * named and have a default stay out (is_none).
 *
 * Fails with HTP_CODE_USAGE, or HTP_CODE_UNSUPPORTED when forward() needs an argument that is
 * neither a tensor nor a number.
 */
HTP_MUST_USE htp_status htp_inputs_parse(htp_arena *arena, const char *const *specifications,
                                         size_t count, const htp_shim_argument *arguments,
                                         uint32_t argument_count, htp_inputs *inputs);

/** The same from JSON text: {"ids": {"dtype": "int64", "shape": [{"batch": 2}, 8]}, ...},
 * {"ids": "int64[batch=2,8]"}, {"steps": 3}; @p name is used in messages. */
HTP_MUST_USE htp_status htp_inputs_parse_json(htp_arena *arena, const char *name, const char *text,
                                              const htp_shim_argument *arguments,
                                              uint32_t argument_count, htp_inputs *inputs);

/** Inputs as the archive holds them: all sizes fixed. Fails when there are more of them than
 * arguments, or fewer than forward() needs. */
HTP_MUST_USE htp_status htp_inputs_archived(htp_arena *arena, const htp_shim_input *archived,
                                            uint32_t archived_count,
                                            const htp_shim_argument *arguments,
                                            uint32_t argument_count, htp_inputs *inputs);

/**
 * Derives inputs from the uses of the arguments. Where uses leave several shapes open (an image's
 * size), @p candidate picks one: they are numbered from 0, likeliest first.
 *
 * An argument that cannot be derived gives a failure (HTP_CODE_USAGE) that names it and shows the
 * flag to pass. Sizes are fixed: no axis is named.
 * @param more  receives whether there are candidates after this one.
 */
HTP_MUST_USE htp_status htp_inputs_derive(htp_arena *arena, const htp_shim_hint *hints,
                                          uint32_t hint_count, const htp_shim_argument *arguments,
                                          uint32_t argument_count, uint32_t candidate,
                                          htp_inputs *inputs, bool *more);

/**
 * Sets the sizes of the named axes in lanes 1 and 2. No two axes move alike, so that a dim's sizes
 * in three lanes tell which axis it follows; no size is 0 or 1, which would broadcast.
 *
 * A model may refuse some sizes (a longest sequence, a multiple of a patch): @p attempt 0 moves one
 * lane up and one down, so that a limit of the program on either side shows; 1 moves both, sizes
 * from 16 on down and smaller ones up; 2 the other way round; 3 keeps what powers of two divide
 * them.
 * @return false when there is no such attempt; nothing is changed then.
 */
bool htp_inputs_choose_lanes(htp_inputs *inputs, uint32_t attempt);

/** One input as a specification: "ids:int64[batch=2,8]". NULL for one that is left out. */
const char *htp_inputs_describe(htp_arena *arena, const htp_inputs *inputs, uint32_t index,
                                const char *name);

#endif
