/*
 * Further tables of a trace: scopes and their arguments, data-dependent sizes, states, rounding.
 */
#ifndef HTP_INTERPRET_TRACE_STATES_H
#define HTP_INTERPRET_TRACE_STATES_H

#include <htp/types.h>

/** A tensor or number passed to a call: an argument, or a part of one. */
typedef struct htp_trace_passed {
    const char *name; /**< the schema's: "hidden_states"; of parts "past_0_key", as in the method's
                         inputs. Not unique; any bytes, since dicts' keys may have any */
    uint32_t value;   /**< its value when the call began; may be a weight or a constant */
} htp_trace_passed;

/** One running call of a module; scope 0 is the root's. */
typedef struct htp_trace_scope {
    uint32_t parent; /**< the caller's scope; HTP_NONE for scope 0 */
    uint32_t module;
    uint32_t call; /**< 0 for the first call of this module, and so on */
    uint32_t site; /**< where the caller makes it: calls[site - 1] of the trace; 0 for scope 0 */
    const htp_trace_passed
        *passed; /**< arguments in their order, without self, None, strings and objects; of very
                    many parts only the first ones. The values may have no readers or producers */
    uint32_t passed_count;
} htp_trace_scope;

/** A data-dependent size, such as the number of elements that a mask selects, and its made-up value
 * in each lane. */
typedef struct htp_trace_size {
    const char *name; /**< of the operator that returns it: "nonzero"; not unique */
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
    uint32_t module;  /**< the module that has it */
    uint32_t loaded;  /**< value: in the archive */
    uint32_t before;  /**< value: when this call begins */
    uint32_t after;   /**< value: at its end; equal if it was only read */
} htp_trace_state;

/** The value of a part of a state when a call begins. */
typedef struct htp_trace_carry {
    bool is_input; /**< a tensor or number that is an input of each call; otherwise the last call's
                      value, known except for sizes */
    uint32_t open_dims[HTP_MAX_RANK]; /**< of a tensor, by dim: 0: the size that the last call left;
                                         otherwise any size, equal for all dims with this number in
                                         all states */
} htp_trace_carry;

/** A state whose value differs from the archive's when a call begins: it has the shape that the
 * last trace left. */
typedef struct htp_trace_carried {
    const char *name;
    const htp_trace_carry *parts;
    uint32_t part_count;
} htp_trace_carried;

/** How libtorch rounds x · (1 / scale) to quantised integers. */
typedef enum htp_rounding_way {
    HTP_ROUNDING_UNKNOWN = 0,
    HTP_ROUNDING_ZERO_BEHIND, /**< rounds, then adds the zero point */
    HTP_ROUNDING_ZERO_BEFORE, /**< adds the zero point, then rounds */
    HTP_ROUNDING_ZERO_IN_ONE, /**< the same, with a fused multiply-add */
} htp_rounding_way;

/** How this libtorch quantises, found by running it. */
typedef struct htp_trace_rounding {
    htp_rounding_way way;
    bool infinity_is_lowest; /**< infinity, and numbers beyond int64, become the lowest level;
                                otherwise they are clipped */
    bool nan_is_highest;     /**< NaN becomes the highest level; otherwise the lowest */
} htp_trace_rounding;

#endif
