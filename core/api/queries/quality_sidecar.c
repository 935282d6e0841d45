/*
 * Stores metrics in the sidecars of models.
 */
#include "api/export/sidecar.h"
#include "api/queries/quality_task.h"
#include "onnx/files/delivery.h"
#include "report/sidecar/sidecar_check.h"

#include <string.h>
#include <unistd.h>

/* ---- before the work ---- */

htp_status htp_quality_find_sidecars(htp_quality_task *w)
{
    const char *given = w->options.sidecar;
    if (given && *given && w->own > 1) {
        return htp_status_make(HTP_CODE_USAGE, "'%s' cannot be the sidecar of %zu models", given,
                               w->own);
    }
    for (size_t i = 0; given && i < w->own; i++) {
        htp_quality_task_entry *entry = &w->entries[i];
        htp_output *output = HTP_NEW(&w->arena, htp_output);
        entry->sidecar = *given ? given : htp_sidecar_default_path(&w->arena, entry->path);
        HTP_TRY(htp_output_find(output, entry->sidecar));
        if (output->is_direct) {
            return htp_status_make(HTP_CODE_USAGE, "the sidecar '%s' is no file", entry->sidecar);
        }
    }
    return HTP_OK;
}

htp_status htp_quality_open_sidecar(htp_quality_task *w, htp_quality_task_entry *entry)
{
    htp_findings findings = {.arena = &w->arena};
    if (!entry->sidecar || access(entry->sidecar, F_OK) != 0) {
        return HTP_OK;
    }
    HTP_TRY(htp_sidecar_file_open(&entry->document, &w->arena, entry->sidecar));
    HTP_TRY(htp_sidecar_check(&w->arena, &entry->model->view, &entry->model->tree, &entry->document,
                              &findings));
    return findings.list.count == 0
               ? HTP_OK
               : htp_sidecar_file_wrong(&entry->document,
                                        "it belongs to another model than '%s' "
                                        "(%s)",
                                        entry->path, findings.list.items[0]);
}

/* ---- writing ---- */

/* An existing sidecar with one part replaced. */
struct patch {
    const htp_quality_task_entry *entry;
    htp_slice parts[4];
};

static htp_status lay_out(void *user, const char *location, htp_delivery_sizes *sizes)
{
    const struct patch *patch = user;
    (void)location;
    *sizes = (htp_delivery_sizes){0};
    for (size_t i = 0; i < 4; i++) {
        sizes->model_bytes += patch->parts[i].length;
    }
    return HTP_OK;
}

static htp_delivery_end put_parts(void *user, htp_output *output)
{
    const struct patch *patch = user;
    for (size_t i = 0; i < 4; i++) {
        htp_output_copy(output, patch->parts[i].at, patch->parts[i].length);
    }
    return HTP_DELIVERY_DONE;
}

static htp_status check_sources(void *user)
{
    const struct patch *patch = user;
    HTP_TRY(htp_model_check_files(patch->entry->model));
    return htp_sidecar_file_check(&patch->entry->document);
}

/* Replaces earlier results, or appends the first ones after the last member. */
static htp_status patch_document(htp_quality_task *w, const htp_quality_task_entry *entry,
                                 const char *quality)
{
    const htp_sidecar_file *document = &entry->document;
    const htp_json_part *text = &document->text;
    bool has_quality = document->quality.at != NULL;
    size_t begin = has_quality ? (size_t)(document->quality.at - text->at) : document->end;
    size_t end = begin + document->quality.length;
    struct patch patch = {.entry = entry};
    patch.parts[0] = (htp_slice){text->at, begin};
    patch.parts[1] = htp_slice_of(has_quality ? "" : ",\n\"" HTP_SIDECAR_QUALITY "\": ");
    patch.parts[2] = htp_slice_of(quality);
    patch.parts[3] = (htp_slice){text->at + end, text->length - end};
    const htp_delivery delivery = {
        .user = &patch, .lay_out = lay_out, .put_model = put_parts, .check_sources = check_sources};
    htp_delivered delivered;
    return htp_deliver(&w->arena, &delivery, entry->sidecar, &delivered);
}

htp_status htp_quality_write_sidecar(htp_quality_task *w, htp_quality_task_entry *entry)
{
    htp_json json = {.text.arena = &w->arena};
    if (!entry->sidecar) {
        return HTP_OK;
    }
    htp_report_quality_part(&json, &entry->quality);
    const char *quality = htp_text_string(&json.text);
    return entry->document.text.at
               ? patch_document(w, entry, quality)
               : htp_sidecar_write_measured(entry->model, entry->sidecar, quality);
}
