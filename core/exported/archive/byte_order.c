#include "exported/archive/byte_order.h"

#include <string.h>

htp_status htp_exported_check_order(const htp_exported_file *file)
{
    static const uint16_t one = 1;
    size_t bytes;
    const char *order = htp_exported_file_record(file, "byteorder", &bytes);
    unsigned char first;
    memcpy(&first, &one, 1);
    const char *own = first ? "little" : "big";
    return !order || (bytes == strlen(own) && memcmp(order, own, bytes) == 0)
               ? HTP_OK
               : htp_status_make(HTP_CODE_UNSUPPORTED,
                                 "its numbers are not %s-endian as this machine's are; export it "
                                 "on one like this",
                                 own);
}
