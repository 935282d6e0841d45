/*
 * The formats that models are read from. Private to core/api.
 */
#ifndef HTP_API_READERS_H
#define HTP_API_READERS_H

#include "source/reader.h"

/** All of them, with NULL at the end. */
extern const htp_reader *const htp_readers[];

#endif
