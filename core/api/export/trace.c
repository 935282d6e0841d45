#include "api/export/trace.h"

#include "api/axes/dynamic_axes.h"
#include "api/session/choose_inputs.h"
#include "api/session/load.h"

/* forward() refused all derived inputs. */
static htp_status refused(htp_session *session, htp_status refusal)
{
    htp_held_status held;
    htp_status_hold(&held, &session->arena, refusal);
    htp_text text = {.arena = &session->arena};
    for (uint32_t i = 0; i < session->inputs.count; i++) {
        const char *input = htp_session_describe_input(session, i);
        if (input) {
            htp_text_addf(&text, " --input %s", input);
        }
    }
    const htp_input_derivation *derived = &session->derivation;
    const char *suspect = derived->suspect ? htp_arena_printf(&session->arena,
                                                              "argument \"%s\" cannot be "
                                                              "derived, ",
                                                              derived->suspect)
                                           : "";
    htp_status status = htp_status_make(
        HTP_CODE_USAGE,
        "%s (inputs were assumed: %snone of %u guesses ran, and this one came furthest; pass those "
        "that forward() takes, in this form:%s)",
        htp_status_message(refusal), suspect, derived->tried, htp_text_string(&text));
    htp_status_free(htp_status_let_go(&held, &session->arena));
    return status;
}

/* Sizes that nobody chose become dynamic as far as the program allows. */
static htp_status trace(htp_session *session)
{
    bool is_derived = session->inputs_origin == HTP_INPUTS_DERIVED;
    if (!session->are_sizes_chosen && !session->options.static_shapes &&
        (!is_derived || session->derivation.are_taken)) {
        return htp_session_trace_dynamic(session);
    }
    htp_status status = htp_session_trace_inputs(session, NULL);
    return is_derived && htp_status_code(status) == HTP_CODE_USAGE ? refused(session, status)
                                                                   : status;
}

htp_status htp_session_trace(htp_session *session)
{
    HTP_TRY(htp_session_load(session));
    htp_session_begin(session, HTP_STAGE_INPUTS);
    HTP_TRY(htp_inputs_choose(session));
    HTP_TRY(htp_session_end(session, session->inputs.count, "inputs"));
    htp_session_begin(session, HTP_STAGE_TRACED);
    HTP_TRY(trace(session));
    return htp_session_end(session, session->graph->trace->node_count, "nodes");
}
