/*
 * seccomp: the kernel refuses system calls to this process.
 */
#ifndef HTP_BASE_SECCOMP_H
#define HTP_BASE_SECCOMP_H

#include <stdbool.h>

/** Gives up new privileges, which both walls need: no program started from here has more rights
 * than this process. @return false where the kernel does not know that */
bool htp_seccomp_give_up_privileges(void);

/**
 * Refuses the calls of denied_calls.def to all threads of this process, with EPERM, so that a
 * library that asks for one goes on without it. Calls of another architecture end the process.
 * That cannot be taken back. @return false if nothing is refused
 */
bool htp_seccomp_enforce(void);

#endif
