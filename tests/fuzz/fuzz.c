#include "fuzz.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char *fuzz_two_nodes(unsigned slot)
{
    static const char model_bytes[] =
        "\x08\x0a\x3a\x4f\x0a\x13\x0a\x01x\x12\x01v\x1a\x06/a/Neg\x22\x03Neg"
        "\x0a\x13\x0a\x01v\x12\x01y\x1a\x06/b/Neg\x22\x03Neg\x12\x01g"
        "\x5a\x0f\x0a\x01x\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x01"
        "\x62\x0f\x0a\x01y\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x01\x42\x04\x0a\x00\x10\x12";
    return fuzz_file(slot, model_bytes, sizeof(model_bytes) - 1);
}

_Noreturn void fuzz_fail(const char *condition, const char *file, int line)
{
    (void)fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    abort();
}

const char *fuzz_file(unsigned slot, const void *data, size_t size)
{
    enum { SLOTS = 2 };
    static int files[SLOTS] = {-1, -1};
    static char paths[SLOTS][32];
    FUZZ_CHECK(slot < SLOTS);
    if (files[slot] >= 0) {
        (void)close(files[slot]);
    }
    files[slot] = memfd_create("fuzz", MFD_CLOEXEC);
    FUZZ_CHECK(files[slot] >= 0);
    for (size_t done = 0; done < size;) {
        ssize_t wrote = write(files[slot], (const char *)data + done, size - done);
        FUZZ_CHECK(wrote > 0);
        done += (size_t)wrote;
    }
    (void)snprintf(paths[slot], sizeof(paths[slot]), "/proc/self/fd/%d", files[slot]);
    return paths[slot];
}

bool fuzz_is_ok(htp_status status)
{
    if (!status) {
        return true;
    }
    htp_code code = htp_status_code(status);
    const char *message = htp_status_message(status);
    FUZZ_CHECK(code == HTP_CODE_BAD_INPUT || code == HTP_CODE_USAGE ||
               code == HTP_CODE_UNSUPPORTED);
    FUZZ_CHECK(*message && !strchr(message, '\n'));
    htp_status_free(status);
    return false;
}
