/*
 * Further tables of a trace: scopes and their arguments, sizes that the data decides, state,
 * rounding.
 */
#ifndef HTP_INTERPRET_TRACE_STATES_H
#define HTP_INTERPRET_TRACE_STATES_H

#include <htp/types.h>

/** A tensor or number that a call was given: an argument, or a part of one. */
typedef struct htp_trace_passed {
    const char *name; /**< the schema's: "hidden_states"; of parts "past_0_key", as those of the
                           method's inputs are named. Not unique; any bytes, as dicts' keys are */
    uint32_t value;   /**< as it was when the call began; a weight or a constant, too */
} htp_trace_passed;

/** One running call of a module; scope 0 is the root's. */
typedef struct htp_trace_scope {
    uint32_t parent; /**< the caller's scope; HTP_NONE for scope 0 */
    uint32_t module;
    uint32_t call; /**< 0 for the first call of this module, and so on */
    uint32_t site; /**< where the caller makes it: calls[site - 1] of the trace; 0 for scope 0 */
    const htp_trace_passed *passed; /**< arguments in their order, self left out. None, strings and
                                        objects are left out, and so are parts beyond the first ones
                                        of very many. Perhaps nothing reads or makes the values */
    uint32_t passed_count;
} htp_trace_scope;

/** A data-dependent size, such as the number of elements that a mask selects, and its made-up value
 * in each lane. */
typedef struct htp_trace_size {
    const char *name; /**< of the operator that gives it: "nonzero"; not unique */
    int64_t sizes[HTP_MAX_LANES];
} htp_trace_size;

/**
 * A state: an attribute of a module that a call of the method changes and the next call reads; or a
 * tensor in such an attribute that a call changes in place.
 *
 * Lists, tuples and dicts are values of HTP_TRACE_LIST; their parts are counted depth first.
 */
typedef struct htp_trace_state {
    const char *name; /**< dotted path: "encoder.rnn.hidden" */
    uint32_t module;  /**< that holds it */
    uint32_t loaded;  /** < value: in the archive */
    uint32_t before;  /** < value: at the begin of this call */
    uint32_t after;   /** < value: at its end; equal if it was only read */
} htp_trace_state;

/** The value of a part of a state when a call begins. */
typedef struct htp_trace_carry {
    bool is_input; /** < a tensor or number that is an input of each call; otherwise the value that
                       the last call left, known except for sizes */
    uint32_t open_dims[HTP_MAX_RANK]; /** < of a tensor, by dim: 0: the size that the last call
                                          left; otherwise any size, equal for all dims of one number
                                          in all states */
} htp_trace_carry;

/** A state whose value at the begin of a call is not the archive's: it has the shape that the last
 * trace left. */
typedef struct htp_trace_carried {
    const char *name;
    const htp_trace_carry *parts;
    uint32_t part_count;
} htp_trace_carried;

/** How libtorch makes levels of numbers x · (1 / scale). */
typedef enum htp_rounding_way {
    HTP_ROUNDING_UNKNOWN = 0,
    HTP_ROUNDING_ZERO_BEHIND, /**< rounds them, and adds the zero point */
    HTP_ROUNDING_ZERO_BEFORE, /**< adds the zero point, and rounds */
    HTP_ROUNDING_ZERO_IN_ONE, /**< the same, with multiplication and addition rounded as one */
} htp_rounding_way;

/** How this libtorch rounds to levels, found by asking it. */
typedef struct htp_trace_rounding {
    htp_rounding_way way;
    bool infinity_is_lowest; /** < infinite, or beyond int64; otherwise it is clipped */
    bool nan_is_highest;     /**< otherwise the lowest level */
} htp_trace_rounding;

#endif
