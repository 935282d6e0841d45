/*
 * The processor time of the passes that check a file before it is used, for `scripts/bench
 * --document-checks`. The linker puts these functions around the passes (-Wl,--wrap) in a copy of
 * the program. Each call appends a line to the file $HTP_CHECK_TIMES: the pass, and its
 * nanoseconds.
 */
#include "base/sandbox/landlock.h"
#include "base/sandbox/seccomp.h"
#include "source/archive/archive.h"
#include "source/contents/contents.h"

#include <htp/htp.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long long begin(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* The descriptor is opened at the first pass, before the sandbox closes the file system. */
static void end(const char *pass, long long since)
{
    static int fd = -1;
    const long long took = begin() - since;
    const char *path = getenv("HTP_CHECK_TIMES");
    char line[128];
    if (fd < 0 && path) {
        fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    }
    const int length = snprintf(line, sizeof(line), "%s %lld\n", pass, took);
    if (fd < 0 || write(fd, line, (size_t)length) != length) {
        abort(); /* a measurement that is lost is none */
    }
}

/* A pass in the program, and the function around it. */
#define AROUND(type, pass, parameters, arguments)                                                  \
    type __real_##pass parameters;                                                                 \
    type __wrap_##pass parameters;                                                                 \
    type __wrap_##pass parameters                                                                  \
    {                                                                                              \
        const long long since = begin();                                                           \
        type result = __real_##pass arguments;                                                     \
        end(#pass, since);                                                                         \
        return result;                                                                             \
    }

AROUND(htp_status, htp_archive_open, (const char *path, htp_archive *archive), (path, archive))
AROUND(htp_status, htp_archive_list, (htp_arena * arena, const char *path, htp_archive *archive),
       (arena, path, archive))
AROUND(htp_status, htp_contents_check, (htp_arena * arena, const char *path, htp_archive *archive),
       (arena, path, archive))
AROUND(htp_landlock, htp_landlock_begin, (bool keeps_reading, bool keeps_signals),
       (keeps_reading, keeps_signals))
AROUND(bool, htp_landlock_end, (htp_landlock * landlock), (landlock))
AROUND(bool, htp_seccomp_give_up_privileges, (void), ())
AROUND(bool, htp_seccomp_enforce, (void), ())

void __real_htp_landlock_allow(const htp_landlock *landlock, const char *path,
                               htp_landlock_use use);
void __wrap_htp_landlock_allow(const htp_landlock *landlock, const char *path,
                               htp_landlock_use use);
void __wrap_htp_landlock_allow(const htp_landlock *landlock, const char *path, htp_landlock_use use)
{
    const long long since = begin();
    __real_htp_landlock_allow(landlock, path, use);
    end("htp_landlock_allow", since);
}
