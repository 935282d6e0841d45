/*
 * The door: a reader of programs of torch.export (.pt2), without libtorch. All types are in the
 * file, so nothing is interpreted: its nodes become a trace.
 */
#ifndef HTP_EXPORTED_EXPORTED_H
#define HTP_EXPORTED_EXPORTED_H

#include "source/reader.h"

/** The reader. */
extern const htp_reader htp_exported_reader;

#endif
