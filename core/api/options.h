/*
 * Options as the pipeline works with them. Private to core/api.
 */
#ifndef HTP_API_OPTIONS_H
#define HTP_API_OPTIONS_H

#include "base/status.h"

/**
 * Copies a caller's struct over the defaults. It may be of an earlier version, and shorter. Both
 * begin with their size (struct_size).
 * @param what   the beginning of the message: "the options were"
 * @param maker  the function that initialises them
 */
HTP_MUST_USE htp_status htp_given_copy(void *defaults, size_t bytes, const void *given,
                                       const char *what, const char *maker);

/** Copies @p given (NULL: all defaults; a shorter struct of an earlier version: defaults for the
 * rest) to @p options and checks every field. Strings stay the caller's. */
HTP_MUST_USE htp_status htp_options_copy(const htp_options *given, htp_options *options);

#endif
