#include "base/sandbox/landlock.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The numbers of the three calls are the same on all architectures. The headers of older systems
 * have neither them nor the later rights, and libraries for them are rare. */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

/* linux/landlock.h */
enum {
    VERSION_FLAG = 1,
    RULE_PATH_BENEATH = 1,
};

struct ruleset {
    uint64_t files;
    uint64_t network;
    uint64_t scoped;
};

struct path_beneath {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

enum right {
    EXECUTE = 1 << 0,
    WRITE_FILE = 1 << 1,
    READ_FILE = 1 << 2,
    READ_DIR = 1 << 3,
    REMOVE_DIR = 1 << 4,
    REMOVE_FILE = 1 << 5,
    MAKE_DIR = 1 << 7,
    MAKE_REG = 1 << 8,
    REFER = 1 << 13,
    TRUNCATE = 1 << 14,
};

enum {
    NETWORK_ALL = 3, /* TCP: bind, connect */
    SCOPE_ABSTRACT_SOCKETS = 1,
    SCOPE_SIGNALS = 2,
};

enum {
    OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE,
    READS = READ_FILE,
    LISTS = READ_FILE | READ_DIR,
    WRITES = WRITE_FILE | READ_FILE | READ_DIR | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG |
             REFER | TRUNCATE,
};

/* What each version of the interface knows, all in all. */
static const struct {
    int version;
    uint64_t files;
    uint64_t network;
    uint64_t scoped;
    size_t bytes; /* of struct ruleset */
} versions[] = {
    {6, 0xffff, NETWORK_ALL, SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS, 24},
    {5, 0xffff, NETWORK_ALL, 0, 16}, /* + ioctl() of devices */
    {4, 0x7fff, NETWORK_ALL, 0, 16},
    {3, 0x7fff, 0, 0, 8}, /* + TRUNCATE */
    {2, 0x3fff, 0, 0, 8}, /* + REFER */
    {1, 0x1fff, 0, 0, 8},
};
enum { VERSIONS = sizeof(versions) / sizeof(versions[0]) };

static size_t find_version(int version)
{
    size_t i = 0;
    while (i + 1 < VERSIONS && versions[i].version > version) {
        i++;
    }
    return i;
}

htp_landlock htp_landlock_begin(bool keeps_reading, bool keeps_signals)
{
    htp_landlock landlock = {.rules = -1};
    landlock.version = (int)syscall(SYS_landlock_create_ruleset, NULL, 0, VERSION_FLAG);
    if (landlock.version < 1) {
        return landlock;
    }
    size_t row = find_version(landlock.version);
    struct ruleset rules = {versions[row].files, versions[row].network, versions[row].scoped};
    if (keeps_reading) {
        rules.files &= ~(uint64_t)(LISTS | EXECUTE); /* a library is read and executed */
    }
    if (keeps_signals) {
        rules.scoped &= ~(uint64_t)SCOPE_SIGNALS;
    }
    landlock.held = rules.files;
    landlock.rules = (int)syscall(SYS_landlock_create_ruleset, &rules, versions[row].bytes, 0);
    return landlock;
}

void htp_landlock_allow(const htp_landlock *landlock, const char *path, htp_landlock_use use)
{
    static const uint64_t rights[] = {
        [HTP_LANDLOCK_READ] = READS, [HTP_LANDLOCK_LIST] = LISTS, [HTP_LANDLOCK_WRITE] = WRITES};
    struct stat facts;
    if (landlock->rules < 0) {
        return;
    }
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &facts) == 0) {
        uint64_t allowed = rights[use] & landlock->held;
        if (!S_ISDIR(facts.st_mode)) {
            allowed &= OF_FILES;
        }
        const struct path_beneath rule = {allowed, fd};
        (void)syscall(SYS_landlock_add_rule, landlock->rules, RULE_PATH_BENEATH, &rule, 0);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
}

void htp_landlock_abandon(htp_landlock *landlock)
{
    if (landlock->rules >= 0) {
        (void)close(landlock->rules);
    }
    landlock->rules = -1;
}

bool htp_landlock_end(htp_landlock *landlock)
{
    bool is_held =
        landlock->rules >= 0 && syscall(SYS_landlock_restrict_self, landlock->rules, 0) == 0;
    htp_landlock_abandon(landlock);
    return is_held;
}
