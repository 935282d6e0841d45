#include "onnx/files/publication.h"

#include "base/files/descriptor.h"
#include "onnx/files/leftovers.h"
#include "onnx/files/permissions.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void htp_publication_begin(htp_publication *publication, htp_output *model, htp_output *data)
{
    memset(publication, 0, sizeof(*publication));
    publication->model = model;
    publication->data = data;
    publication->lock = htp_leftovers_lock(model->path, &publication->lock_fd);
}

/* Checks that a name can be replaced without loss. @return errno; EBUSY if not */
static int judge_name(const char *path, bool is_unknown)
{
    struct stat facts;
    if (lstat(path, &facts) != 0) {
        return errno == ENOENT ? 0 : errno;
    }
    bool is_free = S_ISREG(facts.st_mode) && !is_unknown && access(path, W_OK) == 0;
    return is_free ? 0 : EBUSY;
}

/* Whether two files are regular ones with the same bytes. */
static bool are_equal(int first, int second)
{
    char bytes[2][1 << 15];
    struct stat facts[2];
    if (fstat(first, &facts[0]) != 0 || fstat(second, &facts[1]) != 0 ||
        !S_ISREG(facts[1].st_mode) || facts[0].st_size != facts[1].st_size) {
        return false;
    }
    for (off_t at = 0; at < facts[0].st_size;) {
        ssize_t got = pread(first, bytes[0], sizeof(bytes[0]), at);
        if (got <= 0 || pread(second, bytes[1], (size_t)got, at) != got ||
            memcmp(bytes[0], bytes[1], (size_t)got) != 0) {
            return false;
        }
        at += got;
    }
    return true;
}

/* Whether the file at data_path has the same contents as the new data file. If so, syncs it. */
static bool has_same_data(const htp_publication *publication)
{
    const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int new_file = open(htp_temporary_path(publication->data->temporary), flags);
    int old_file = new_file < 0 ? -1 : open(publication->data_path, flags);
    bool is_same = old_file >= 0 && are_equal(new_file, old_file) && fsync(old_file) == 0;
    if (old_file >= 0) {
        (void)close(old_file);
    }
    if (new_file >= 0) {
        (void)close(new_file);
    }
    return is_same;
}

/* Looks for an equal data file, so that a repeated export keeps its file and name. */
static bool find_same_data(htp_publication *publication, const char *path)
{
    for (unsigned i = 0; publication->data && i < HTP_EXTERNAL_NUMBERS; i++) {
        publication->number = i;
        if (publication->use.numbers & UINT64_C(1) << i &&
            htp_external_path(path, i, publication->data_path, PATH_MAX) &&
            has_same_data(publication)) {
            return true;
        }
    }
    return false;
}

htp_status htp_publication_choose(htp_publication *publication, const char *path)
{
    int error = EBUSY;
    htp_external_find_use(path, &publication->use);
    publication->has_same_data = find_same_data(publication, path);
    if (publication->has_same_data) {
        return HTP_OK;
    }
    for (unsigned i = 0; i < HTP_EXTERNAL_NUMBERS && error == EBUSY; i++) {
        publication->number = i;
        if (!htp_external_path(path, i, publication->data_path, PATH_MAX)) {
            error = ENAMETOOLONG;
        } else if (!(publication->use.numbers & UINT64_C(1) << i)) {
            error = judge_name(publication->data_path, publication->use.is_unknown);
        }
    }
    return error ? htp_output_cannot_write(publication->data_path, error) : HTP_OK;
}

/* ---- the steps ---- */

/* Whether data file @p number is removed along with the old model. */
static bool goes(const htp_publication *publication, unsigned number)
{
    bool is_new = publication->data && number == publication->number;
    return publication->use.is_ours && publication->use.numbers & UINT64_C(1) << number && !is_new;
}

/* The path of data file @p number, if it is removed. @return whether it is */
static bool find_old(const htp_publication *publication, unsigned number, char *path)
{
    struct stat facts;
    return goes(publication, number) &&
           htp_external_path(publication->model->path, number, path, PATH_MAX) &&
           lstat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

/* Records for the next run which data files this one may leave behind. @return errno */
static int write_down(htp_publication *publication, bool places_data)
{
    char path[PATH_MAX];
    htp_journal journal = {0};
    if (!publication->lock) {
        return 0;
    }
    if (places_data) {
        htp_journal_add(&journal, publication->data_path, publication->data->fd);
    }
    for (unsigned i = 0; i < HTP_EXTERNAL_NUMBERS; i++) {
        if (find_old(publication, i, path)) {
            htp_journal_add(&journal, path, -1);
        }
    }
    if (journal.used == 0) {
        return 0;
    }
    htp_temporary_keep(publication->lock);
    return htp_journal_write(&journal, publication->lock_fd);
}

static void remove_old(const htp_publication *publication)
{
    char path[PATH_MAX];
    for (unsigned i = 0; i < HTP_EXTERNAL_NUMBERS; i++) {
        if (find_old(publication, i, path)) {
            (void)unlink(path);
        }
    }
}

/* Renames a finished file to its place. @return errno */
static int place(htp_output *output, const char *path)
{
    if (rename(htp_temporary_path(output->temporary), path) != 0) {
        return errno;
    }
    htp_temporary_release(output->temporary);
    output->temporary = NULL;
    return 0;
}

/* Renames the data file to its place; one that exists there is kept aside. @return errno */
static int place_data(htp_publication *publication)
{
    const char *path = publication->data_path;
    publication->kept = htp_temporary_name(path);
    if (!publication->kept) {
        return errno;
    }
    if (rename(path, htp_temporary_path(publication->kept)) != 0) {
        int error = errno;
        htp_temporary_release(publication->kept);
        publication->kept = NULL;
        if (error != ENOENT) {
            return error;
        }
    }
    return place(publication->data, path);
}

/* Undoes place_data(). */
static void take_back_data(htp_publication *publication, bool is_placed)
{
    if (publication->kept) {
        (void)rename(htp_temporary_path(publication->kept), publication->data_path);
        htp_temporary_release(publication->kept);
        publication->kept = NULL;
    } else if (is_placed) {
        (void)unlink(publication->data_path);
    }
}

static htp_status publish(htp_publication *publication)
{
    htp_output *model = publication->model;
    bool places_data = publication->data && !publication->has_same_data;
    int error = write_down(publication, places_data);
    bool is_placed = false;
    if (places_data && !error) {
        error = place_data(publication);
        is_placed = !error;
    }
    const char *path = places_data && !is_placed ? publication->data_path : model->path;
    error = error ? error : htp_descriptor_sync_folder_of(model->path);
    error = error ? error : place(model, model->path);
    if (error) {
        take_back_data(publication, is_placed);
        return htp_output_cannot_write(path, error);
    }
    /* Not before the rename is on disk: a crash could bring the old model back. */
    if (htp_descriptor_sync_folder_of(model->path) == 0) {
        remove_old(publication);
    }
    htp_temporary_remove(publication->kept);
    publication->kept = NULL;
    return HTP_OK;
}

/* ---- permissions ---- */

/* The file whose permissions the data file gets: the old data file, the file at its place, or the
 * old model, which contained the weights. */
static const char *find_like(htp_publication *publication, char *path)
{
    struct stat facts;
    for (unsigned i = 0; i < HTP_EXTERNAL_NUMBERS; i++) {
        if (publication->use.numbers & UINT64_C(1) << i &&
            htp_external_path(publication->model->path, i, path, PATH_MAX) &&
            lstat(path, &facts) == 0 && S_ISREG(facts.st_mode)) {
            return path;
        }
    }
    return lstat(publication->data_path, &facts) == 0 ? publication->data_path
                                                      : publication->model->path;
}

static void set_permissions(htp_publication *publication)
{
    char path[PATH_MAX];
    htp_permissions_copy(publication->model->path, publication->model->fd);
    if (publication->data && !publication->has_same_data) {
        htp_permissions_copy(find_like(publication, path), publication->data->fd);
    }
}

void htp_publication_end(htp_publication *publication)
{
    if (publication->lock) {
        htp_temporary_remove(publication->lock);
        (void)close(publication->lock_fd);
        publication->lock = NULL;
    }
}

htp_status htp_publication_commit(htp_publication *publication)
{
    if (publication->model->is_direct) {
        return HTP_OK;
    }
    sigset_t all, before; /* an interruption between the steps would leave work for the next run */
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &before);
    set_permissions(publication);
    htp_status status = publish(publication);
    htp_publication_end(publication);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}
