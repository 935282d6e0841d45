// What a defect of libtorch would let a model do, as an operator. Each attempt succeeds where
// nothing forbids it.
#ifndef HOUSE_ATTACKS_H
#define HOUSE_ATTACKS_H

#include <c10/util/Exception.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace attacks
{

inline bool opens(const char *path, int flags)
{
    const int file = open(path, flags, 0600);
    return file >= 0 && close(file) == 0;
}

inline bool lists(const char *path)
{
    DIR *folder = opendir(path);
    return folder != nullptr && closedir(folder) == 0;
}

inline bool runs()
{
    const pid_t child = fork();
    if (child == 0) {
        (void)execl("/bin/true", "true", nullptr);
        _exit(1);
    }
    int state = 1;
    return child > 0 && waitpid(child, &state, 0) == child && state == 0;
}

inline bool reads_memory()
{
    int from = 7;
    int to = 0;
    const iovec remote = {&from, sizeof(from)};
    const iovec local = {&to, sizeof(to)};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == sizeof(from);
}

inline bool succeeds(const std::string &what)
{
    const char *elsewhere = getenv("ELSEWHERE"); // a file that is no output
    if (what == "read") {
        return opens("/etc/passwd", O_RDONLY);
    }
    if (what == "list") {
        return lists("/");
    }
    if (what == "write") {
        return opens(elsewhere, O_WRONLY);
    }
    if (what == "create") {
        return opens((std::string(elsewhere) + ".new").c_str(), O_WRONLY | O_CREAT);
    }
    if (what == "remove") {
        return unlink(elsewhere) == 0;
    }
    if (what == "rename") {
        return rename(elsewhere, (std::string(elsewhere) + ".moved").c_str()) == 0;
    }
    if (what == "chmod") {
        return chmod(elsewhere, 0600) == 0;
    }
    if (what == "exec") {
        return runs();
    }
    if (what == "socket") {
        return socket(AF_INET, SOCK_DGRAM, 0) >= 0;
    }
    if (what == "ptrace") {
        return ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0;
    }
    if (what == "memory") {
        return reads_memory();
    }
    return false;
}

// Fails if the attempt succeeds, and from then on: an operator may run several times.
inline void attempt(const std::string &what)
{
    static bool has_succeeded;
    if (what == "crash") {
        (void)raise(SIGSEGV);
    }
    while (what == "loop") {
        (void)getppid();
    }
    has_succeeded = has_succeeded || succeeds(what);
    TORCH_CHECK(!has_succeeded, what, " succeeded");
}

} // namespace attacks

#endif
