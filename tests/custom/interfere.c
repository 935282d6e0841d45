/*
 * Preloaded into a program under test: acts before one of its calls of a function that changes
 * files.
 *
 *   INTERFERE="CALL N ACTION [PATH [PATH]]"   CALL is a function's name, or any; N counts from 1
 *
 * kill: ends the process (SIGKILL). cut PATH: cuts the file to half its size. change PATH: rewrites
 * its last byte. replace PATH OTHER: renames OTHER to PATH.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void act(const char *action, const char *path, const char *other)
{
    struct stat facts = {0};
    if (*path && stat(path, &facts) != 0) {
        abort();
    }
    if (strcmp(action, "kill") == 0) {
        (void)kill(getpid(), SIGKILL);
    } else if (strcmp(action, "cut") == 0 && truncate(path, facts.st_size / 2) == 0) {
        return;
    } else if (strcmp(action, "change") == 0) {
        /* Long ago, so that the time differs however coarse the clock is. */
        static const struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
        int fd = open(path, O_WRONLY);
        if (fd >= 0 && pwrite(fd, "", 1, facts.st_size - 1) == 1 && futimens(fd, times) == 0 &&
            close(fd) == 0) {
            return;
        }
    } else if (strcmp(action, "replace") == 0 &&
               syscall(SYS_renameat2, AT_FDCWD, other, AT_FDCWD, path, 0) == 0) {
        return;
    }
    abort();
}

static void before(const char *call)
{
    static int calls;
    char wanted[32] = "", action[32] = "", path[1024] = "", other[1024] = "";
    int number = 0;
    const char *order = getenv("INTERFERE");
    if (order &&
        sscanf(order, "%31s %d %31s %1023s %1023s", wanted, &number, action, path, other) >= 3 &&
        (strcmp(wanted, "any") == 0 || strcmp(wanted, call) == 0) && ++calls == number) {
        act(action, path, other);
    }
}

#define HOOK(name, parameters, arguments)                                                          \
    int name parameters                                                                            \
    {                                                                                              \
        int(*next) parameters;                                                                     \
        *(void **)&next = dlsym(RTLD_NEXT, #name);                                                 \
        before(#name);                                                                             \
        return next arguments;                                                                     \
    }

HOOK(rename, (const char *from, const char *to), (from, to))
HOOK(link, (const char *from, const char *to), (from, to))
HOOK(unlink, (const char *path), (path))
HOOK(fsync, (int fd), (fd))
HOOK(fallocate, (int fd, int mode, off_t offset, off_t bytes), (fd, mode, offset, bytes))
