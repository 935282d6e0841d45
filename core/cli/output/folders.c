#include "cli/output/folders.h"

#include "base/files/descriptor.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The length of a path without its last name and the slashes before it. */
static size_t above(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] == '/') {
        length--;
    }
    while (length > 0 && path[length - 1] != '/') {
        length--;
    }
    while (length > 0 && path[length - 1] == '/') {
        length--;
    }
    return length;
}

/* Makes the folder that the first @p length bytes of the path name. @return errno of a failed sync
 */
static int make(htp_cli_folders *folders, const char *path, size_t length)
{
    char name[PATH_MAX];
    (void)snprintf(name, sizeof(name), "%.*s", (int)length, path);
    if (mkdir(name, (mode_t)0777) != 0) {
        return 0;
    }
    if (!*folders->path) {
        folders->kept = above(path, length);
    }
    memcpy(folders->path, name, sizeof(name));
    return htp_descriptor_sync_folder_of(name);
}

int htp_cli_folders_make(htp_cli_folders *folders, const char *path)
{
    size_t length = strlen(path);
    if (length >= PATH_MAX) {
        return 0;
    }
    int error = 0;
    for (size_t i = 1; error == 0 && i <= length; i++) {
        if ((path[i] == '/' || path[i] == '\0') && path[i - 1] != '/') {
            error = make(folders, path, i);
        }
    }
    return error;
}

void htp_cli_folders_remove_empty(htp_cli_folders *folders)
{
    size_t length = strlen(folders->path);
    while (length > folders->kept && rmdir(folders->path) == 0) {
        length = above(folders->path, length);
        folders->path[length] = '\0';
    }
}
