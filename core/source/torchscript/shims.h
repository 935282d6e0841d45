/*
 * The shims of an installation, and which versions of libtorch each serves. Private to
 * core/source/torchscript.
 */
#ifndef HTP_SOURCE_SHIMS_H
#define HTP_SOURCE_SHIMS_H

#include "source/torchscript/libtorch.h"

/** A shim: libhtp-shim-2.13.so was built with libtorch 2.13, and serves 2.13 up to `last`. */
typedef struct htp_shim_file {
    const char *path;
    unsigned major, minor, last;
} htp_shim_file;

typedef struct htp_shims {
    const char *folder; /* the one with shims; NULL: there is none */
    const char *tried;  /* all folders that were looked at */
    HTP_VECTOR(htp_shim_file) files;
} htp_shims;

/** Finds the shims: beside this library, beside the running executable, and at the place of
 * installation. The first folder with shims has them all. */
htp_shims htp_shims_find(htp_arena *arena);

/** The shim for a version: the one that was built with it, else one that serves it, too.
 * @return NULL if there is none, or the version is not known */
const htp_shim_file *htp_shims_pick(const htp_shims *shims, const htp_libtorch_number *version);

/** The versions that shims serve, for people: "1.13, 2.8, 2.13 to 2.15". */
const char *htp_shims_versions(htp_arena *arena, const htp_shims *shims);

#endif
