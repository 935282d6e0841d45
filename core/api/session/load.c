#include "api/session/load.h"

#include "api/readers.h"
#include "api/session/choose_method.h"

htp_status htp_session_load(htp_session *session)
{
    const htp_options *options = &session->options;
    const htp_source_options how = {.libraries = options->libraries,
                                    .library_count = options->library_count,
                                    .libtorch = options->libtorch,
                                    .model = options->model,
                                    .limits = &session->limits,
                                    .is_inference = options->eval,
                                    .progress = htp_session_progress,
                                    .user = session};
    htp_session_begin(session, HTP_STAGE_LOADED);
    for (size_t i = 0; i < options->limit_count; i++) {
        HTP_TRY(htp_limits_set(&session->limits, options->limits[i]));
    }
    HTP_TRY(
        htp_source_open(&session->source, &session->arena, session->model_path, htp_readers, &how));
    HTP_TRY(htp_method_choose(session));
    return htp_session_end(session, session->source.module_count, "modules");
}
