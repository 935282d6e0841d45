/*
 * Which files and folders of this process are not on disk yet. After a power failure, a file that
 * is renamed to its place before could be empty, and a folder could have its former names.
 */
#ifndef TESTS_FAULTS_SYNCED_H
#define TESTS_FAULTS_SYNCED_H

#include <stdbool.h>

/** The file is changed. Pipes and the like do not count. */
void htp_synced_change(int file);

/** The file or folder is on disk as it is now. */
void htp_synced_done(int file);

/** Whether the file or folder of a name is on disk, or this process did not change it. */
bool htp_synced_is(const char *path);

/** A file or folder is renamed to this path. Temporary names do not count, here and below. */
void htp_synced_name(const char *path);

/** Whether the folder of this path is on disk as it is now. The next step relies on that: another
 * rename, or the removal of what a former one made useless. */
bool htp_synced_are_names(const char *path);

/** The same of all folders. Async-signal-safe. */
bool htp_synced_are_all_names(void);

#endif
