#include "onnx/files/permissions.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>

#define ACCESS_LIST "system.posix_acl_access"

/* The kernel's limit: about 8,000 entries. */
enum { LONGEST_LIST = 1 << 16 };

/*
 * Copies the access control list.
 * @return false if there is a list that cannot be copied
 */
static bool copy_access_list(const char *path, int fd)
{
    char list[LONGEST_LIST];
    ssize_t bytes = getxattr(path, ACCESS_LIST, list, sizeof(list));
    if (bytes > 0) {
        return fsetxattr(fd, ACCESS_LIST, list, (size_t)bytes, 0) == 0;
    }
    bool has_none = bytes == 0 || errno == ENODATA || errno == ENOTSUP;
    /* Removes a default list inherited from the folder. */
    (void)fremovexattr(fd, ACCESS_LIST);
    return has_none;
}

void htp_permissions_copy(const char *path, int fd)
{
    struct stat wanted, given;
    if (stat(path, &wanted) != 0 || fstat(fd, &given) != 0) {
        return;
    }
    if (given.st_uid != wanted.st_uid || given.st_gid != wanted.st_gid) {
        if (fchown(fd, wanted.st_uid, wanted.st_gid) != 0) {
            (void)!fchown(fd, (uid_t)-1, wanted.st_gid);
        }
        (void)fstat(fd, &given);
    }
    mode_t mode = wanted.st_mode & 0777;
    if (given.st_gid != wanted.st_gid || !copy_access_list(path, fd)) {
        mode = (mode & 0707) | (mode & 0070 & (mode & 07) << 3);
    }
    (void)fchmod(fd, mode);
    (void)fsync(fd);
}
