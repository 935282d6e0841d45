/*
 * Where libtorch is, and which version it has, before it is opened. Private to
 * core/source/torchscript.
 */
#ifndef HTP_SOURCE_LIBTORCH_H
#define HTP_SOURCE_LIBTORCH_H

#include "base/arena.h"
#include "base/status.h"
#include "base/vector.h"

#include <stdbool.h>

/** A version of libtorch; all zeroes: unknown. */
typedef struct htp_libtorch_number {
    unsigned major, minor;
    const char *text; /* "2.13.0"; NULL if the third number is not known */
} htp_libtorch_number;

/** A libtorch_cpu.so. */
typedef struct htp_libtorch {
    const char *path;
    htp_libtorch_number version;
} htp_libtorch;

typedef HTP_VECTOR(htp_libtorch) htp_libtorches;

/** Reads "2.13.0+cpu" or "2.13". @return false if @p text does not begin with a version */
bool htp_libtorch_number_read(htp_arena *arena, const char *text, htp_libtorch_number *version);

/**
 * The libtorch in a folder: of a torch package, of a distribution, or a prefix such as /usr. Its
 * version is in version.py or build-version beside the folder of libraries, or in the name of the
 * library.
 * @return false if there is none
 */
bool htp_libtorch_in(htp_arena *arena, const char *folder, htp_libtorch *libtorch);

/**
 * The ones that may be opened, in the order of preference. If the process has opened one, that
 * alone; else the one that was asked for alone, by @p chosen or $HTP_LIBTORCH. Otherwise: the
 * folder "libtorch" beside the shims, torch packages of Python (base/python_package.h), the
 * system's.
 * @param chosen  as htp_libtorch_in(); NULL: none
 * @param shims   the folder of the shims
 * @return HTP_CODE_USAGE if there is none where one was asked for
 */
HTP_MUST_USE htp_status htp_libtorch_list(htp_arena *arena, const char *chosen, const char *shims,
                                          htp_libtorches *found);

/** Files of a folder whose names begin with @p prefix, sorted by name. */
typedef HTP_VECTOR(const char *) htp_file_names;
htp_file_names htp_libtorch_files(htp_arena *arena, const char *folder, const char *prefix);

#endif
