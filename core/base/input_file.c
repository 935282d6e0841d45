#include "base/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SMALLEST_DROP = 1 << 16 }; /* bytes of a mapping worth a system call */

/* Notes the identity of an open file. @return errno */
static int note(htp_input_file *file, int fd)
{
    struct stat facts;
    *file = (htp_input_file){.fd = fd};
    if (fstat(fd, &facts) != 0) {
        return errno;
    }
    file->bytes = (uint64_t)facts.st_size;
    file->modified = facts.st_mtim;
    file->device = (uint64_t)facts.st_dev;
    file->inode = (uint64_t)facts.st_ino;
    return 0;
}

htp_status htp_input_file_open(htp_input_file *file, const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int error = fd < 0 ? errno : note(file, fd);
    if (error != 0) {
        if (fd >= 0) {
            (void)close(fd);
        }
        *file = (htp_input_file){.fd = -1};
        return htp_status_make(htp_input_file_code(error, HTP_CODE_BAD_INPUT),
                               "%s: cannot be opened: %s", path, strerror(error));
    }
    file->is_open = true;
    return HTP_OK;
}

int htp_input_file_stream(htp_input_file *file, const char *path, FILE **stream)
{
    *stream = fopen(path, "rbe");
    int error = *stream ? note(file, fileno(*stream)) : errno;
    if (error != 0 && *stream) {
        (void)fclose(*stream);
        *stream = NULL;
    }
    return error;
}

htp_code htp_input_file_code(int error, htp_code otherwise)
{
    return error == ENOMEM ? HTP_CODE_INTERNAL : otherwise;
}

const void *htp_input_file_map(const htp_input_file *file)
{
    const void *mapped = mmap(NULL, (size_t)file->bytes, PROT_READ, MAP_PRIVATE, file->fd, 0);
    return mapped == MAP_FAILED ? NULL : mapped;
}

void htp_input_file_drop(const void *begin, uint64_t bytes)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = ((uintptr_t)begin + page - 1) / page * page;
    uintptr_t last = ((uintptr_t)begin + (uintptr_t)bytes) / page * page;
    if (bytes >= SMALLEST_DROP && last > first) {
        (void)madvise((void *)first, last - first, MADV_DONTNEED);
    }
}

bool htp_input_file_is_cut(const htp_input_file *file)
{
    struct stat facts;
    return fstat(file->fd, &facts) == 0 && (uint64_t)facts.st_size < file->bytes;
}

const char *htp_input_file_placeholder(const void *head, size_t count)
{
    static const char pointer[] = "version https://git-lfs";
    size_t length = sizeof(pointer) - 1;
    return count >= length && memcmp(head, pointer, length) == 0
               ? "a Git LFS pointer; fetch the file itself with git lfs pull"
               : NULL;
}

static htp_status changed(void)
{
    return htp_status_make(HTP_CODE_BAD_INPUT,
                           "the file was changed while it was read; export it again");
}

htp_status htp_input_file_check(const htp_input_file *file)
{
    struct stat facts;
    if (fstat(file->fd, &facts) != 0) {
        return htp_status_make(HTP_CODE_BAD_INPUT, "the file cannot be read any more: %s",
                               strerror(errno));
    }
    if ((uint64_t)facts.st_size < file->bytes) {
        return htp_status_make(HTP_CODE_BAD_INPUT, "the file was cut short while it was read");
    }
    bool is_same = (uint64_t)facts.st_size == file->bytes &&
                   facts.st_mtim.tv_sec == file->modified.tv_sec &&
                   facts.st_mtim.tv_nsec == file->modified.tv_nsec;
    return is_same || !S_ISREG(facts.st_mode) ? HTP_OK : changed();
}

htp_status htp_input_file_judge(const htp_input_file *file, const char *path, htp_status status)
{
    htp_status change = htp_status_prefix(htp_input_file_check(file), path);
    htp_status_free(change ? status : HTP_OK);
    return change ? change : status;
}

htp_status htp_input_file_check_path(const htp_input_file *file, const char *path)
{
    struct stat facts;
    HTP_TRY(htp_input_file_check(file));
    bool is_same = stat(path, &facts) == 0 && (uint64_t)facts.st_dev == file->device &&
                   (uint64_t)facts.st_ino == file->inode;
    return is_same ? HTP_OK : changed();
}

void htp_input_file_close(htp_input_file *file)
{
    if (file->is_open) {
        (void)close(file->fd);
        file->is_open = false;
    }
}
