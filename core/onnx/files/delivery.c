#include "onnx/files/delivery.h"

#include "base/write_signals.h"
#include "onnx/files/leftovers.h"
#include "onnx/files/publication.h"

#include <string.h>

/* State of a delivery, prepared before any file is open. */
struct files {
    htp_arena_guard guard;
    const htp_delivery *delivery;
    htp_output model, data;
    htp_publication publication;
    htp_delivery_sizes sizes;
    htp_write_signals before;
};

typedef htp_delivery_end put_function(void *user, htp_output *output);

/* Writes into an open file by @p put. */
static htp_status fill(const htp_delivery *delivery, htp_output *output, put_function *put,
                       uint64_t bytes)
{
    htp_delivery_end end = put(delivery->user, output);
    if (end == HTP_DELIVERY_STOPPED) {
        return htp_status_make(HTP_CODE_INTERRUPTED, "stopped while '%s' was written",
                               output->path);
    }
    htp_status status = htp_output_finish(output);
    if (end == HTP_DELIVERY_CUT || htp_status_code(status) == HTP_CODE_BAD_INPUT) {
        htp_status reason = delivery->check_sources(delivery->user);
        if (reason) {
            htp_status_free(status);
            status = reason;
        }
    }
    HTP_TRY(status);
    if (output->position != bytes) {
        return htp_status_make(HTP_CODE_INTERNAL, "'%s' came out with %llu bytes instead of %llu",
                               output->path, (unsigned long long)output->position,
                               (unsigned long long)bytes);
    }
    return HTP_OK;
}

/* Calls lay_out() with the data file's name as the model has it, without a folder. */
static htp_status lay_out(struct files *files)
{
    const char *path = files->publication.data_path;
    const char *slash = strrchr(path, '/');
    return files->delivery->lay_out(files->delivery->user, slash ? slash + 1 : path, &files->sizes);
}

/* Writes the model that refers to the written data file. The data file's name is final only under
 * the folder's lock. */
static htp_status fill_model_beside(struct files *files)
{
    htp_output *file = files->publication.model;
    HTP_TRY(htp_publication_choose(&files->publication, file->path));
    HTP_TRY(lay_out(files));
    return fill(files->delivery, file, files->delivery->put_model, files->sizes.model_bytes);
}

/* Publishes unless the sources changed in the meantime. */
static htp_status publish(struct files *files)
{
    htp_publication *publication = &files->publication;
    if (publication->data) {
        HTP_TRY(fill_model_beside(files));
    } else {
        htp_external_find_use(publication->model->path, &publication->use);
    }
    HTP_TRY(files->delivery->check_sources(files->delivery->user));
    return htp_publication_commit(publication);
}

/* Writes the larger file before taking the lock. */
static htp_status write_files(struct files *files)
{
    const htp_delivery *delivery = files->delivery;
    htp_output *file = &files->model;
    htp_output *data = files->sizes.data_bytes > 0 ? &files->data : NULL;
    if (!file->is_direct) {
        htp_leftovers_remove(file->path, file->owner);
    }
    HTP_TRY(htp_output_open(file, files->sizes.model_bytes));
    if (data) {
        HTP_TRY(htp_output_open(data, files->sizes.data_bytes));
        HTP_TRY(fill(delivery, data, delivery->put_data, files->sizes.data_bytes));
    } else {
        HTP_TRY(fill(delivery, file, delivery->put_model, files->sizes.model_bytes));
    }
    if (file->is_direct) {
        return delivery->check_sources(delivery->user);
    }
    htp_publication_begin(&files->publication, file, data);
    return publish(files);
}

/* Chooses the layout with a forecast of the data file's name. */
static htp_status prepare(struct files *files, const char *path)
{
    htp_output *file = &files->model;
    HTP_TRY(htp_output_find(file, path));
    char *data_path = files->publication.data_path;
    (void)htp_external_path(file->path, 0, data_path, PATH_MAX);
    HTP_TRY(lay_out(files));
    if (files->sizes.data_bytes == 0) {
        return HTP_OK;
    }
    if (file->is_direct) {
        return htp_status_make(HTP_CODE_USAGE,
                               "cannot write weights to '%s' beside '%s': both must be files",
                               data_path, file->path);
    }
    HTP_TRY(htp_publication_choose(&files->publication, file->path));
    return htp_output_find_beside(&files->data, file, data_path);
}

/* Closes what is open, and removes what is not published. */
static void discard(struct files *files)
{
    htp_publication_end(&files->publication);
    htp_output_discard(&files->model);
    if (files->sizes.data_bytes > 0) {
        htp_output_discard(&files->data);
    }
    htp_write_signals_release(&files->before);
}

static void release(htp_arena_guard *guard)
{
    discard((struct files *)guard);
}

static htp_status write_prepared(struct files *files, htp_delivered *delivered, char *data_path)
{
    htp_status status = write_files(files);
    *delivered = (htp_delivered){.sizes = files->sizes};
    if (files->sizes.data_bytes > 0) {
        memcpy(data_path, files->publication.data_path, PATH_MAX);
        delivered->data_path = data_path;
        delivered->data_number = files->publication.number;
    }
    return status;
}

htp_status htp_deliver(htp_arena *arena, const htp_delivery *delivery, const char *path,
                       htp_delivered *delivered)
{
    struct files *files = HTP_NEW(arena, struct files);
    char *data_path = htp_arena_alloc(arena, PATH_MAX);
    files->delivery = delivery;
    files->guard.release = release;
    HTP_TRY(prepare(files, path));
    htp_write_signals_hold(&files->before);
    htp_arena_guard_begin(arena, &files->guard);
    htp_status status = write_prepared(files, delivered, data_path);
    htp_arena_guard_end(arena);
    discard(files);
    return status;
}
