#include "onnx/rewriter/rewrite.h"

#include "base/numbers.h"
#include "onnx/files/delivery.h"
#include "onnx/rewriter/move_data.h"
#include "onnx/rewriter/pieces.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    STEP = 4 << 20,               /* bytes between two reports of progress */
    SMALLEST_COPY = 1 << 16,      /* bytes of a run that the system copies */
    SMALLEST_REFERENCE = 1 << 16, /* bytes of a tensor worth a mapping */
};

/* A data file; the last one stays mapped. */
struct mapped_file {
    const htp_view *view; /* that names it */
    uint32_t number;
    htp_input_file file;
    htp_span bytes;
};

/* State of a rewrite. */
struct rewriting {
    htp_view *view;
    htp_arena *arena;
    const htp_rewrite_options *options;
    const char *path;
    htp_edit_list edits; /* the caller's edits, and those of external data */
    htp_pieces pieces;
    htp_moved_data moved;
    struct mapped_file mapped;
    bool is_data_alone;   /* only the data file is written */
    uint64_t done, total; /* bytes */
    struct timespec begin;
    htp_delivery_end end;
    htp_status failure; /* why bytes could not be had, until check_sources() takes it */
};

static const htp_view *second_of(const struct rewriting *r)
{
    return r->options->second ? r->options->second->view : NULL;
}

/* ---- putting bytes ---- */

static bool may_go_on(const struct rewriting *r, const htp_output *output)
{
    return r->end == HTP_DELIVERY_DONE && output->failure == 0;
}

static void report_progress(struct rewriting *r, uint64_t bytes)
{
    r->done += bytes;
    if (!r->options->progress) {
        return;
    }
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    htp_progress progress = {
        .stage = HTP_STAGE_WRITTEN,
        .done = r->done,
        .total = r->total,
        .seconds = (double)(now.tv_sec - r->begin.tv_sec) +
                   (double)(now.tv_nsec - r->begin.tv_nsec) * 1e-9,
        .label = "bytes",
    };
    if (!r->options->progress(r->options->user, &progress)) {
        r->end = HTP_DELIVERY_STOPPED;
    }
}

/* Writes bytes of a mapping. The system copies long runs, and reports truncation as an error. Short
 * runs are read here, after a check of the file. */
static void put_mapped(struct rewriting *r, htp_output *output, const htp_input_file *file,
                       const unsigned char *bytes, uint64_t count)
{
    for (uint64_t at = 0; at < count && may_go_on(r, output); at += STEP) {
        size_t step = count - at < STEP ? (size_t)(count - at) : STEP;
        if (step >= SMALLEST_COPY) {
            htp_output_copy(output, bytes + at, step);
            htp_input_file_drop(bytes + at, step);
            report_progress(r, step);
        } else if (htp_input_file_is_cut(file)) {
            r->end = HTP_DELIVERY_CUT;
        } else {
            htp_output_append(output, bytes + at, step);
            r->done += step;
        }
    }
}

/* ---- data files ---- */

/* Checks that a data file is unchanged since the model was opened. */
static htp_status check_data_file(const htp_view *view, const htp_view_data_file *file)
{
    struct stat facts;
    bool is_same = stat(file->path, &facts) == 0 && (uint64_t)facts.st_size == file->facts.bytes &&
                   (uint64_t)facts.st_dev == file->facts.device &&
                   (uint64_t)facts.st_ino == file->facts.inode &&
                   facts.st_mtim.tv_sec == file->facts.modified.tv_sec &&
                   facts.st_mtim.tv_nsec == file->facts.modified.tv_nsec;
    return is_same ? HTP_OK
                   : htp_status_make(HTP_CODE_BAD_INPUT,
                                     "%s: external data '%s' were changed while they were read",
                                     view->path, htp_view_text(view, file->location));
}

static htp_status check_sources(void *user)
{
    struct rewriting *r = user;
    htp_status failure = r->failure;
    r->failure = HTP_OK;
    HTP_TRY(failure);
    const htp_view_data_file *last = NULL; /* most tensors in a row use one file */
    const htp_view *second = second_of(r);
    HTP_TRY(htp_status_prefix(htp_input_file_check(&r->view->file), r->view->path));
    if (second) {
        HTP_TRY(htp_status_prefix(htp_input_file_check(&second->file), second->path));
    }
    for (size_t i = 0; i < r->moved.ranges.count + r->moved.inlined.count; i++) {
        const htp_moved_range *range = i < r->moved.ranges.count
                                           ? &r->moved.ranges.items[i]
                                           : r->moved.inlined.items[i - r->moved.ranges.count];
        const htp_view_data_file *file =
            range->data_file == HTP_NONE ? last : &range->view->data_files.items[range->data_file];
        if (file != last) {
            HTP_TRY(check_data_file(range->view, file));
            last = file;
        }
    }
    return HTP_OK;
}

static void unmap(struct mapped_file *mapped)
{
    if (mapped->bytes.at) {
        (void)munmap((void *)(uintptr_t)mapped->bytes.at, mapped->bytes.bytes);
    }
    htp_input_file_close(&mapped->file);
    *mapped = (struct mapped_file){.view = NULL};
}

/*
 * Maps a data file.
 * @return whether that worked and it is unchanged
 */
static bool map(struct rewriting *r, const htp_moved_range *range)
{
    struct mapped_file *mapped = &r->mapped;
    const htp_view_data_file *known = &range->view->data_files.items[range->data_file];
    unmap(mapped);
    r->failure = htp_input_file_open(&mapped->file, known->path);
    if (r->failure || mapped->file.bytes != known->facts.bytes ||
        mapped->file.inode != known->facts.inode || mapped->file.device != known->facts.device) {
        return false;
    }
    size_t bytes = (size_t)mapped->file.bytes;
    void *at = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, mapped->file.fd, 0);
    mapped->bytes = (htp_span){at == MAP_FAILED ? NULL : at, bytes};
    mapped->view = range->view;
    mapped->number = range->data_file;
    if (at == MAP_FAILED) {
        r->failure = htp_status_make(htp_input_file_code(errno, HTP_CODE_BAD_INPUT),
                                     "%s: cannot be mapped: %s", known->path, strerror(errno));
    }
    return at != MAP_FAILED;
}

/* Bytes of a data file, or of the model. */
static void put_range(struct rewriting *r, htp_output *output, const htp_moved_range *range)
{
    struct mapped_file *mapped = &r->mapped;
    if (range->bytes == 0) {
        return;
    }
    if (range->data_file == HTP_NONE) {
        put_mapped(r, output, &range->view->file, range->view->bytes.at + range->from,
                   range->bytes);
    } else if ((mapped->view != range->view || mapped->number != range->data_file) &&
               !map(r, range)) {
        r->end = HTP_DELIVERY_CUT;
    } else {
        put_mapped(r, output, &mapped->file, mapped->bytes.at + range->from, range->bytes);
    }
}

static htp_delivery_end put_model(void *user, htp_output *output)
{
    struct rewriting *r = user;
    for (size_t i = 0; i < r->pieces.list.count && may_go_on(r, output); i++) {
        const htp_piece *piece = &r->pieces.list.items[i];
        if (piece->data) {
            put_range(r, output, piece->data);
        } else if (piece->of) {
            put_mapped(r, output, &piece->of->file, piece->at, piece->bytes);
        } else {
            htp_output_append(output, piece->at, (size_t)piece->bytes);
        }
    }
    unmap(&r->mapped);
    return r->end;
}

static htp_delivery_end put_data(void *user, htp_output *output)
{
    static const unsigned char zeros[64];
    struct rewriting *r = user;
    for (size_t i = 0; i < r->moved.ranges.count && may_go_on(r, output); i++) {
        const htp_moved_range *range = &r->moved.ranges.items[i];
        if (range->bytes > 0) {
            htp_output_append(output, zeros, (size_t)(range->to - output->position));
            put_range(r, output, range);
        }
    }
    if (may_go_on(r, output) && output->position == 0) {
        htp_output_append(output, zeros, (size_t)r->moved.bytes);
    }
    unmap(&r->mapped);
    return r->end;
}

/* ---- planning ---- */

static htp_move_request request_of(const struct rewriting *r, bool is_beside)
{
    return (htp_move_request){
        .view = r->view,
        .arena = r->arena,
        .has_tensors = r->options->recipe != NULL || r->is_data_alone,
        .tensors = r->options->tensors,
        .tensor_count = r->options->tensor_count,
        .keeps_places = r->options->place == HTP_DATA_KEPT && !r->is_data_alone,
        .is_beside = is_beside,
        .shared = r->options->shared,
        .second = r->options->second,
        .verbatim = r->options->verbatim,
    };
}

static void plan(struct rewriting *r, const htp_edit_list *edits, bool is_beside)
{
    const htp_move_request request = request_of(r, is_beside);
    r->edits.count = 0;
    r->moved = (htp_moved_data){.keeps_offsets = false};
    for (size_t i = 0; i < edits->count; i++) {
        HTP_PUSH(r->arena, &r->edits, edits->items[i]);
    }
    htp_edits_sort(&r->edits);
    htp_moved_data_plan(&request, &r->edits, &r->moved);
}

static htp_status cut(struct rewriting *r)
{
    return htp_pieces_cut(r->view, second_of(r), r->arena, &r->edits, r->options->recipe,
                          &r->pieces);
}

/* Weights move into the model if the caller wants that, or leaves it open and they fit. */
static htp_status choose_place(struct rewriting *r, const htp_edit_list *edits)
{
    const htp_rewrite_options *options = r->options;
    bool is_asked =
        options->place == HTP_DATA_SHARED ||
        (options->place == HTP_DATA_CHOSEN && options->external_data == HTP_EXTERNAL_ALWAYS);
    plan(r, edits, is_asked);
    if (options->place != HTP_DATA_CHOSEN || options->external_data != HTP_EXTERNAL_AUTO) {
        return HTP_OK;
    }
    HTP_TRY(cut(r));
    if (r->pieces.bytes > HTP_DELIVERY_LARGEST_MODEL) {
        plan(r, edits, true);
    }
    return HTP_OK;
}

/* ---- the whole ---- */

static htp_status lay_out(void *user, const char *location, htp_delivery_sizes *sizes)
{
    struct rewriting *r = user;
    if (r->is_data_alone) {
        *sizes = (htp_delivery_sizes){r->moved.bytes, 0};
        r->total = r->moved.bytes;
        return HTP_OK;
    }
    htp_moved_data_name(&r->edits, &r->moved,
                        r->options->shared ? r->options->shared->location : location);
    HTP_TRY(cut(r));
    *sizes = (htp_delivery_sizes){r->pieces.bytes, r->moved.bytes};
    r->total = r->pieces.bytes + r->moved.bytes;
    if (r->pieces.bytes > HTP_DELIVERY_LARGEST_MODEL) {
        return htp_status_make(HTP_CODE_CANNOT_WRITE,
                               "cannot write '%s': it would have %llu bytes, and an ONNX file may "
                               "have %llu",
                               r->path, (unsigned long long)r->pieces.bytes,
                               (unsigned long long)HTP_DELIVERY_LARGEST_MODEL);
    }
    return HTP_OK;
}

static struct rewriting begin(htp_view *view, const char *path, const htp_rewrite_options *options)
{
    static const htp_rewrite_options none = {.progress = NULL};
    struct rewriting r = {.view = view, .options = options ? options : &none, .path = path};
    r.arena = r.options->arena ? r.options->arena : view->arena;
    (void)clock_gettime(CLOCK_MONOTONIC, &r.begin);
    return r;
}

htp_status htp_rewrite(htp_view *view, const htp_edit_list *edits, const char *path,
                       const htp_rewrite_options *options, htp_writer_result *result)
{
    struct rewriting r = begin(view, path, options);
    const htp_delivery delivery = {&r, lay_out, put_model, put_data, check_sources};
    htp_delivered delivered = {.data_path = NULL};
    HTP_TRY(choose_place(&r, edits));
    htp_status status = htp_deliver(r.arena, &delivery, path, &delivered);
    *result = (htp_writer_result){
        .model_bytes = delivered.sizes.model_bytes,
        .external_bytes = delivered.sizes.data_bytes,
        .external_number = delivered.data_number,
        .external_path = delivered.data_path,
    };
    return status;
}

htp_status htp_rewrite_data(htp_view *view, const char *path, const htp_rewrite_options *options,
                            uint64_t *offsets, uint64_t *bytes)
{
    static const htp_edit_list no_edits = {0};
    struct rewriting r = begin(view, path, options);
    const htp_delivery delivery = {&r, lay_out, put_data, put_data, check_sources};
    htp_delivered delivered;
    r.is_data_alone = true;
    plan(&r, &no_edits, true);
    for (size_t i = 0; i < view->tensors.count; i++) {
        offsets[i] = UINT64_MAX;
    }
    for (size_t i = 0; i < r.moved.tensors.count; i++) {
        offsets[r.moved.tensors.items[i].tensor] = r.moved.tensors.items[i].to;
    }
    *bytes = r.moved.bytes;
    return r.moved.bytes == 0 ? HTP_OK : htp_deliver(r.arena, &delivery, path, &delivered);
}

/* ---- models in memory ---- */

/* Lets large tensors refer to their bytes in the view's file. A runtime maps these; it would copy
 * bytes within the model. */
static void refer_to_own_file(const htp_view *view, htp_arena *arena,
                              const htp_rewrite_options *options, const char *name,
                              htp_edit_list *edits)
{
    uint64_t *offsets = HTP_NEW_ARRAY(arena, uint64_t, view->tensors.count + 1);
    htp_numbers large = {0};
    htp_moved_data moved = {.keeps_offsets = false};
    for (size_t i = 0; i < options->tensor_count; i++) {
        const htp_view_tensor *tensor = &view->tensors.items[options->tensors[i]];
        bool is_large =
            tensor->bytes >= SMALLEST_REFERENCE && htp_moved_data_is_in_file(view, tensor->data);
        if (is_large && tensor->graph == 0 && tensor->attribute == HTP_NONE) {
            offsets[options->tensors[i]] = (uint64_t)(tensor->data.at - view->bytes.at);
            HTP_PUSH(arena, &large, options->tensors[i]);
        }
    }
    const htp_shared_data shared = {name, offsets};
    const htp_move_request request = {
        .view = view,
        .arena = arena,
        .has_tensors = true,
        .tensors = large.items,
        .tensor_count = large.count,
        .is_beside = true,
        .shared = &shared,
    };
    htp_moved_data_plan(&request, edits, &moved);
    htp_moved_data_name(edits, &moved, name);
}

htp_status htp_rewrite_in_memory(const htp_view *view, htp_arena *arena,
                                 const htp_rewrite_options *options, const char *own_name,
                                 htp_span *model)
{
    htp_edit_list edits = {0};
    htp_pieces pieces = {.bytes = 0};
    if (own_name) {
        refer_to_own_file(view, arena, options, own_name, &edits);
    }
    HTP_TRY(htp_pieces_cut(view, NULL, arena, &edits, options->recipe, &pieces));
    if (pieces.bytes > HTP_DELIVERY_LARGEST_MODEL) {
        return htp_status_make(HTP_CODE_BAD_INPUT, "%s: it is too large to run as one model",
                               view->path);
    }
    unsigned char *bytes = htp_arena_alloc(arena, (size_t)pieces.bytes + 1);
    *model = (htp_span){bytes, (size_t)pieces.bytes};
    for (size_t i = 0; i < pieces.list.count; i++) {
        const htp_piece *piece = &pieces.list.items[i];
        if (piece->of && htp_input_file_is_cut(&view->file)) {
            break; /* its bytes must not be touched */
        }
        memcpy(bytes, piece->at, (size_t)piece->bytes);
        bytes += piece->bytes;
    }
    return htp_status_prefix(htp_input_file_check(&view->file), view->path);
}
