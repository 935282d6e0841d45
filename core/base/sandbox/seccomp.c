#include "base/sandbox/seccomp.h"

#include <errno.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

bool htp_seccomp_give_up_privileges(void)
{
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

#ifdef OWN_ARCHITECTURE

static const unsigned denied[] = {
#define DENIED(name) SYS_##name,
#include "base/sandbox/denied_calls.def"
};

enum {
    DENIED_COUNT = sizeof(denied) / sizeof(denied[0]),
    OTHER_NUMBERS = 0x40000000, /* from here on: calls of x32, which is another architecture */
    HEAD = 4,
    TAIL = 3,
};

_Static_assert(DENIED_COUNT <= UCHAR_MAX, "a jump has 8 bits");

/* Compares with @p value, and jumps over so many instructions. */
static struct sock_filter jump(unsigned how, unsigned value, unsigned if_true, unsigned if_false)
{
    return (struct sock_filter){(unsigned short)(BPF_JMP | how | BPF_K), (unsigned char)if_true,
                                (unsigned char)if_false, value};
}

static struct sock_filter load(size_t offset)
{
    return (struct sock_filter){BPF_LD | BPF_W | BPF_ABS, 0, 0, (unsigned)offset};
}

static struct sock_filter end(unsigned verdict)
{
    return (struct sock_filter){BPF_RET | BPF_K, 0, 0, verdict};
}

bool htp_seccomp_enforce(void)
{
    enum { LENGTH = HEAD + DENIED_COUNT + TAIL };
    struct sock_filter code[LENGTH];
    const struct sock_fprog filter = {LENGTH, code};
    const unsigned flags = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
    code[0] = load(offsetof(struct seccomp_data, arch));
    code[1] = jump(BPF_JEQ, OWN_ARCHITECTURE, 0, LENGTH - 1 - 2);
    code[2] = load(offsetof(struct seccomp_data, nr));
    code[3] = jump(BPF_JGE, OTHER_NUMBERS, LENGTH - 1 - 4, 0);
    for (unsigned i = 0; i < DENIED_COUNT; i++) {
        code[HEAD + i] = jump(BPF_JEQ, denied[i], DENIED_COUNT - i, 0);
    }
    code[LENGTH - 3] = end(SECCOMP_RET_ALLOW);
    code[LENGTH - 2] = end(SECCOMP_RET_ERRNO | EPERM);
    code[LENGTH - 1] = end(SECCOMP_RET_KILL_PROCESS);
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter) == 0;
}

#else

bool htp_seccomp_enforce(void)
{
    return false;
}

#endif
