/*
 * Finds and opens the shim, the library between the core and libtorch.
 */
#ifndef HTP_SOURCE_SHIM_LOADER_H
#define HTP_SOURCE_SHIM_LOADER_H

#include "base/status.h"

#include <htp/shim.h>

/**
 * The shim, opened at first use (dlopen costs some 400 ms) and kept for the life of the process.
 * Searched in $HTP_SHIM, beside the running executable, beside this library, and at the place of
 * installation. Thread-safe.
 */
HTP_MUST_USE htp_status htp_shim_load(const htp_shim **shim);

/** Opens a library that registers operators with libtorch; it stays open. */
HTP_MUST_USE htp_status htp_shim_load_library(const htp_shim *shim, const char *path);

#endif
