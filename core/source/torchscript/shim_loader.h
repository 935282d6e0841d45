/*
 * Finds and opens the shim, the library between the core and libtorch.
 */
#ifndef HTP_SOURCE_SHIM_LOADER_H
#define HTP_SOURCE_SHIM_LOADER_H

#include "base/status.h"

#include <htp/shim.h>

/**
 * The shim, opened at first use (dlopen costs some 400 ms) and kept for the life of the process:
 * $HTP_SHIM, which brings its libtorch, or the shim for the version of the first libtorch that has
 * one (libtorch.h, shims.h). That libtorch is opened before the shim. Thread-safe.
 * @param libtorch  the folder of the libtorch to open, as for htp_libtorch_list(); NULL: any
 * @return HTP_CODE_INTERNAL if there is no shim, no libtorch, or none with a shim;
 *         HTP_CODE_USAGE if there is no libtorch in the folder that was asked for
 */
HTP_MUST_USE htp_status htp_shim_load(const char *libtorch, const htp_shim **shim);

/** Opens a library that registers operators with libtorch; it stays open. */
HTP_MUST_USE htp_status htp_shim_load_library(const htp_shim *shim, const char *path);

#endif
