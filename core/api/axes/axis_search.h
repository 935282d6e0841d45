/*
 * The search for dynamic axes: known facts, and one trial. Private to core/api.
 */
#ifndef HTP_API_AXIS_SEARCH_H
#define HTP_API_AXIS_SEARCH_H

#include "api/axes/axis_bounds.h"
#include "api/axes/axis_refusals.h"
#include "api/session/session.h"
#include "source/input_search/axes.h"

enum { HTP_AXIS_TRIALS = 64 }; /* of one search, so that it ends in time */

/** By dim: facts about the axis that begins there. */
typedef struct htp_axis_finding {
    const char *conflict; /* why it does not move; NULL: nothing is known against it */
    bool is_refused;      /* the program runs, and cannot be exported where it moves */
    bool is_operators;    /* an operator needs its size */
    bool is_tried;        /* alone */
    uint32_t alike;       /* of a family: how many of its axes had one outcome */
    uint32_t target;      /* of a family: the axis that one of them was joined with */
} htp_axis_finding;

typedef struct htp_axis_search {
    htp_session *session;
    htp_axes axes;
    htp_axis_finding *findings; /* by dim */
    htp_axis_bounds bounds;     /* learned from refusals */
    htp_axis_refusals refusals; /* of all trials */
    uint32_t trials;
    bool is_done;   /* the last trace had all dynamic axes */
    bool one_order; /* of htp_shape_conflict, in all traces */
} htp_axis_search;

/** Begins a search with these axes, in the session's arena. */
htp_axis_search *htp_axis_search_new(htp_session *session, const htp_axes *axes);

/** Traces with some axes. The conditions of @p conflict name dims. */
HTP_MUST_USE htp_status htp_axis_search_trace(htp_axis_search *search, const htp_axes *axes,
                                              bool tries_one, htp_shape_conflict *conflict);

/** Whether a status says nothing about the sizes: out of memory, an interrupt. */
bool htp_axis_search_is_final(htp_status status);

/** Makes an axis fixed, for a reason. */
void htp_axis_search_fix(htp_axis_search *search, uint32_t axis, const char *reason,
                         const htp_shape_conflict *conflict);

/** Changes the axes to meet the conditions of a refusal: joins equal ones, turns sums into sums of
 * others, drops fixed ones. @return whether anything changed. */
bool htp_axis_search_apply(htp_axis_search *search, const htp_shape_conflict *conflict);

/** Notes for --verbose which axes the program fixes, and why. */
void htp_axis_search_note(const htp_axis_search *search);

/** Notes which axes are fixed because the model could not be exported with them. */
void htp_axis_search_note_refused(const htp_axis_search *search);

#endif
