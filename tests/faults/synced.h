/*
 * Which files of this process are not on disk yet. A file that is renamed to its place before could
 * be empty after a power failure.
 */
#ifndef TESTS_FAULTS_SYNCED_H
#define TESTS_FAULTS_SYNCED_H

#include <stdbool.h>

/** The file is changed. Pipes and the like do not count. */
void htp_synced_change(int file);

/** The file is on disk as it is now. */
void htp_synced_done(int file);

/** Whether the file of a name is on disk, or this process did not change it. */
bool htp_synced_is(const char *path);

#endif
