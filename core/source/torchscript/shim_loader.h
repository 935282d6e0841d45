/*
 * The shim, which stands between the core and libtorch: where it is found, and how it is opened.
 */
#ifndef HTP_SOURCE_SHIM_LOADER_H
#define HTP_SOURCE_SHIM_LOADER_H

#include "base/status.h"

#include <htp/shim.h>

/**
 * The shim, opened at first use (dlopen costs some 400 ms) and kept for the life of the process.
 * Looked for in $HTP_SHIM, beside the running executable, beside this library, and where it was
 * installed. Thread-safe.
 */
HTP_MUST_USE htp_status htp_shim_load(const htp_shim **shim);

/** Opens a library that registers operators with libtorch; it stays open. */
HTP_MUST_USE htp_status htp_shim_load_library(const htp_shim *shim, const char *path);

#endif
