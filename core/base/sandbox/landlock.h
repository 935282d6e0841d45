/*
 * Landlock: the kernel lets a process give up files. What it opened before stays open.
 */
#ifndef HTP_BASE_LANDLOCK_H
#define HTP_BASE_LANDLOCK_H

#include <stdbool.h>
#include <stdint.h>

/** What may still be done with a file, or with everything in a folder. */
typedef enum htp_landlock_use {
    HTP_LANDLOCK_READ,  /**< files are read */
    HTP_LANDLOCK_LIST,  /**< files are read, folders listed */
    HTP_LANDLOCK_WRITE, /**< files are read and written; in a folder they are made and removed */
} htp_landlock_use;

typedef struct htp_landlock {
    int rules;     /**< -1: the kernel has no Landlock, or does not let this process use it */
    int version;   /**< of the kernel's interface */
    uint64_t held; /**< the rights that need a rule */
} htp_landlock;

/**
 * Begins a set of rules that allows nothing.
 * @param keeps_reading  all files may be read
 * @param keeps_signals  other processes may be signalled
 */
htp_landlock htp_landlock_begin(bool keeps_reading, bool keeps_signals);

/** Adds a rule. A path that is not there is left out. */
void htp_landlock_allow(const htp_landlock *landlock, const char *path, htp_landlock_use use);

/** Holds this thread, and the threads and processes that it starts from now on, to the rules. They
 * cannot be taken back. Needs no_new_privs (seccomp.h). @return false if nothing is held */
bool htp_landlock_end(htp_landlock *landlock);

/** Discards the rules without enforcing them. */
void htp_landlock_abandon(htp_landlock *landlock);

#endif
