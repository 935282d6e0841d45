/*
 * Folders that are made for outputs, and removed where nothing was written.
 */
#ifndef HTP_CLI_FOLDERS_H
#define HTP_CLI_FOLDERS_H

#include <limits.h>
#include <stddef.h>

/** All zeroes: none were made. */
typedef struct htp_cli_folders {
    char path[PATH_MAX]; /* the innermost one that was made; "" for none */
    size_t kept;         /* length of its beginning that names what was there before */
} htp_cli_folders;

/** Makes a folder and those above it that are missing, and writes their names to disk. A failure to
 * make one is silent: whatever writes there reports it.
 * @return errno of a folder that did not get to disk; else 0 */
int htp_cli_folders_make(htp_cli_folders *folders, const char *path);

/** Removes those that were made and are empty. */
void htp_cli_folders_remove_empty(htp_cli_folders *folders);

#endif
