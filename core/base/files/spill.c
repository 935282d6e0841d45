#include "base/files/spill.h"

#include "base/files/descriptor.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGNMENT = 64 };

static htp_status refuse(const char *what)
{
    return htp_status_make(HTP_CODE_CANNOT_WRITE,
                           "tensors cannot be %s a temporary file: %s; set TMPDIR to a folder with "
                           "room",
                           what, strerror(errno));
}

htp_status htp_spill_add(htp_spill *spill, const void *bytes, size_t count, uint64_t *offset)
{
    static const char padding[ALIGNMENT] = {0};
    if (!spill->is_open) {
        spill->fd = htp_descriptor_open_unnamed();
        spill->is_open = spill->fd >= 0;
        if (!spill->is_open) {
            return refuse("kept in");
        }
    }
    size_t gap = (ALIGNMENT - count % ALIGNMENT) % ALIGNMENT;
    *offset = spill->bytes;
    if (!htp_descriptor_write_all(spill->fd, bytes, count) ||
        !htp_descriptor_write_all(spill->fd, padding, gap)) {
        return refuse("written to");
    }
    spill->bytes += count + gap;
    return HTP_OK;
}

htp_status htp_spill_map(htp_spill *spill)
{
    if (spill->bytes == 0) {
        return HTP_OK;
    }
    void *address = mmap(NULL, spill->bytes, PROT_READ, MAP_SHARED, spill->fd, 0);
    if (address == MAP_FAILED) {
        return refuse("read from");
    }
    spill->mapped = address;
    return HTP_OK;
}

void htp_spill_close(htp_spill *spill)
{
    if (spill->mapped) {
        (void)munmap((void *)(uintptr_t)spill->mapped, spill->bytes);
    }
    if (spill->is_open) {
        (void)close(spill->fd);
    }
    *spill = (htp_spill){.is_open = false};
}
