/*
 * The state of one run: the model, its inputs, its graph, and messages for the caller. load.h opens
 * the model, choose_inputs.h chooses inputs, trace.h runs the whole. Private to core/api.
 */
#ifndef HTP_API_SESSION_H
#define HTP_API_SESSION_H

#include "base/arena.h"
#include "base/status.h"
#include "base/vector.h"
#include "graph/graph.h"
#include "lower/driver/lower.h"
#include "source/inputs/inputs.h"
#include "source/reader.h"
#include "source/tracing/shape_conflict.h"

/** Where the inputs came from. */
typedef enum htp_inputs_origin {
    HTP_INPUTS_GIVEN,   /**< by the caller, one by one or in a file */
    HTP_INPUTS_ARCHIVE, /**< held by the archive */
    HTP_INPUTS_DERIVED, /**< from the uses of the arguments */
} htp_inputs_origin;

/** Lives in the frame that calls htp_session_open(); the arena's recovery point must be set. */
typedef struct htp_session {
    htp_arena arena;
    const char *model_path;
    htp_options options;
    htp_limits limits;
    htp_source source;     /* of the model */
    const htp_hint *hints; /* of the method, once are_hints_found */
    uint32_t hint_count;
    bool are_hints_found;
    htp_inputs inputs;
    htp_inputs_origin inputs_origin;
    htp_input_derivation derivation; /* of derived inputs */
    bool is_stopped;                 /* the caller asked to stop */
    bool lacks_memory;               /* for a trial of inputs */
    bool are_sizes_chosen;           /* the inputs came with dynamic axes */
    bool keeps_recorded;             /* the model notes which tensors hold recorded values */
    bool is_untraced;                /* inputs are guessed without running anything */
    const char *opset_needed_by;     /* the operator that required a later opset; NULL: none */
    struct htp_axis_search *search;  /* that found dynamic axes; NULL: the caller chose them */
    htp_kept_arithmetic kept;        /* constants computed from weights that are too large for the
                                        file */
    htp_graph *graph;
    const uint32_t *groups;         /* by scope: equal numbers share sizes; NULL: all do */
    HTP_VECTOR(const char *) notes; /* that the caller has received */
    htp_stage stage;                /* under way */
    double stage_start;
    double stage_seconds[HTP_STAGE_COUNT];
} htp_session;

/** Begins a stage. */
void htp_session_begin(htp_session *session, htp_stage stage);

/** Ends the stage under way. Fails with HTP_CODE_INTERRUPTED when the caller asks to stop. */
HTP_MUST_USE htp_status htp_session_end(htp_session *session, uint64_t done, const char *label);

/** A htp_progress_fn for steps within a stage; @p user is the session. */
bool htp_session_progress(void *user, const htp_progress *progress);

/** Hands a note to the caller. */
void htp_session_note(htp_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** As htp_session_note(), but only with options.details. */
void htp_session_detail(htp_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Reads the program's facts about its arguments, once. */
HTP_MUST_USE htp_status htp_session_find_hints(htp_session *session);

/** Traces with the session's inputs as they are. @param conflict  as for htp_graph_trace() */
HTP_MUST_USE htp_status htp_session_trace_inputs(htp_session *session,
                                                 htp_shape_conflict *conflict);

/** Notes the assumed inputs, and the least sizes of dynamic axes. */
void htp_session_note_inputs(htp_session *session);

/** Input @p index as "ids:int64[batch=2,8]"; NULL for one that is left out. */
const char *htp_session_describe_input(htp_session *session, uint32_t index);

/** Closes the model, and frees the arena unless the options leave memory. */
void htp_session_close(htp_session *session);

#endif
