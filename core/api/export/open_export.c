/*
 * Opens the model that an export would write.
 */
#include "api/export/fresh_export.h"
#include "api/model.h"

#include <stdlib.h>

static htp_status make_guarded(htp_model *model, htp_fresh_export *fresh, const char *model_path,
                               const htp_options *options)
{
    if (htp_arena_recover(&model->arena) != 0) {
        return htp_status_make(HTP_CODE_INTERNAL, "%s: out of memory", model_path);
    }
    return htp_fresh_export_make_model(fresh, &model->arena, model_path, options);
}

htp_status htp_model_open_export(const char *model_path, const htp_options *options,
                                 htp_model **model)
{
    htp_fresh_export fresh = {.has_fd = false};
    if (!model) {
        return htp_status_make(HTP_CODE_USAGE, "there is no place for the model");
    }
    *model = NULL;
    htp_model *opened = calloc(1, sizeof(*opened));
    if (!opened) {
        return htp_status_make(HTP_CODE_INTERNAL, "out of memory");
    }
    htp_arena_init(&opened->arena);
    htp_status status = make_guarded(opened, &fresh, model_path, options);
    opened->view = fresh.view;
    opened->tree = fresh.tree;
    if (status) {
        htp_model_free(opened);
        return status;
    }
    *model = opened;
    return HTP_OK;
}
