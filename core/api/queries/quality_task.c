/*
 * References and profiles of measured models.
 */
#include "api/queries/quality_task.h"

#include "query/compare/compare.h"

#include <string.h>
#include <unistd.h>

static htp_reference new_reference(htp_quality_task *w, const htp_quality_task_entry *entry,
                                   const char *file, const char *kind, const htp_tree *tree)
{
    uint32_t count = entry->subject.node_count;
    uint32_t *modules = HTP_NEW_ARRAY(&w->arena, uint32_t, count + 1U);
    memset(modules, 0xff, (count + 1U) * sizeof(*modules));
    htp_reference reference = {.file = file, .kind = kind, .tree = tree, .modules = modules};
    reference.has_paths = htp_subject_list_paths(&w->arena, tree, &reference.paths);
    return reference;
}

static void count_matched(htp_reference *reference, uint32_t nodes)
{
    for (uint32_t n = 0; n < nodes; n++) {
        reference->matched += reference->modules[n] != HTP_NONE;
    }
    reference->unmatched = nodes - reference->matched;
}

/* Operations of a sidecar, by the names and op types of nodes. */
static htp_status take_sidecar(htp_quality_task *w, htp_quality_task_entry *entry)
{
    const char *file = w->options.reference;
    HTP_TRY(htp_sidecar_file_open(&w->sidecar, &w->arena, file));
    HTP_TRY(htp_tree_find_sidecar(&entry->model->view, &w->sidecar_tree, &w->sidecar));
    entry->reference = new_reference(w, entry, file, "sidecar", &w->sidecar_tree);
    uint32_t *modules = (uint32_t *)entry->reference.modules;
    for (uint32_t n = 0; n < entry->subject.node_count; n++) {
        modules[n] = htp_reference_find_ran(&w->sidecar_tree, n);
    }
    count_matched(&entry->reference, entry->subject.node_count);
    return HTP_OK;
}

/* A TorchScript model, exported anew; nodes are matched one by one. */
static htp_status take_torchscript(htp_quality_task *w, htp_quality_task_entry *entry)
{
    const htp_fresh_export *fresh = &w->fresh;
    HTP_TRY(htp_fresh_export_make(&w->fresh, &w->arena, w->options.reference,
                                  w->options.export_options));
    const htp_view *const views[] = {&fresh->view, &entry->model->view};
    const htp_tree *const trees[] = {&fresh->tree, &entry->model->tree};
    htp_comparison *comparison = HTP_NEW(&w->arena, htp_comparison);
    HTP_TRY(htp_compare(&w->arena, views, trees, comparison));
    entry->reference = new_reference(w, entry, w->options.reference, fresh->kind, &fresh->tree);
    uint32_t *modules = (uint32_t *)entry->reference.modules;
    for (uint32_t n = 0; n < fresh->view.nodes.count; n++) {
        uint32_t other = comparison->correspondence.counterparts[n];
        if (other != HTP_NONE) {
            modules[other] = fresh->modules[n];
        }
    }
    count_matched(&entry->reference, entry->subject.node_count);
    return HTP_OK;
}

htp_status htp_quality_take_reference(htp_quality_task *w, htp_quality_task_entry *entry)
{
    unsigned char begin = 0;
    htp_input_file file = {.fd = -1};
    HTP_TRY(htp_input_file_open(&file, w->options.reference));
    ssize_t got = pread(file.fd, &begin, 1, 0);
    htp_input_file_close(&file);
    bool is_archive = got == 1 && begin == 'P';
    return is_archive ? take_torchscript(w, entry) : take_sidecar(w, entry);
}

htp_status htp_quality_carry_reference(htp_quality_task *w, const htp_quality_task_entry *from,
                                       htp_quality_task_entry *to)
{
    const htp_view *const views[] = {&from->model->view, &to->model->view};
    const htp_tree *const trees[] = {&from->model->tree, &to->model->tree};
    bool has_reference = from->quality.reference != NULL;
    htp_comparison *comparison = HTP_NEW(&w->arena, htp_comparison);
    HTP_TRY(htp_compare(&w->arena, views, trees, comparison));
    to->reference = new_reference(w, to, has_reference ? from->reference.file : from->path,
                                  has_reference ? from->reference.kind : "model",
                                  has_reference ? from->reference.tree : &from->model->tree);
    uint32_t *modules = (uint32_t *)to->reference.modules;
    for (uint32_t n = 0; n < from->subject.node_count; n++) {
        uint32_t other = comparison->correspondence.counterparts[n];
        if (other != HTP_NONE) {
            modules[other] = has_reference ? from->reference.modules[n]
                                           : htp_reference_find_ran(&from->model->tree, n);
        }
    }
    count_matched(&to->reference, to->subject.node_count);
    return HTP_OK;
}

/* ---- times ---- */

htp_status htp_quality_take_profile(htp_quality_task *w, htp_quality_task_entry *entry)
{
    const htp_tree *tree = &entry->model->tree;
    const htp_profile_model model = {&entry->model->view, tree};
    htp_quality_module *modules = entry->quality.modules;
    HTP_TRY(htp_profile_read(&w->profile, &w->arena, w->options.profile));
    htp_profile_place(&w->profile, &model, NULL);
    for (uint32_t i = 0; i < tree->module_count; i++) {
        modules[i].milliseconds = 0;
    }
    for (size_t i = 0; i < w->profile.kernels.count; i++) {
        const htp_kernel *kernel = &w->profile.kernels.items[i];
        uint32_t module = kernel->innermost != HTP_NONE ? kernel->innermost : kernel->module;
        if (module != HTP_NONE) {
            modules[module].milliseconds += (double)kernel->time / 1000;
        }
    }
    for (uint32_t i = tree->module_count; i-- > 1;) {
        if (tree->modules[i].parent != HTP_NONE) {
            modules[tree->modules[i].parent].milliseconds += modules[i].milliseconds;
        }
    }
    return HTP_OK;
}
