/*
 * The order of bytes in the numbers of an archive. Private to core/exported/archive.
 */
#ifndef HTP_EXPORTED_BYTE_ORDER_H
#define HTP_EXPORTED_BYTE_ORDER_H

#include "base/status.h"
#include "exported/archive/weights.h"

/** Refuses an archive that declares a byte order other than this machine's. */
HTP_MUST_USE htp_status htp_exported_check_order(const htp_exported_file *file);

#endif
