/*
 * Options as the pipeline works with them. Private to core/api.
 */
#ifndef HTP_API_OPTIONS_H
#define HTP_API_OPTIONS_H

#include "base/status.h"

/**
 * Copies what a caller filled in over the defaults, of which there may be more: @p given may be of
 * an earlier version. Both begin with their size (struct_size).
 * @param what   the beginning of the message: "the options were"
 * @param maker  the function that has to fill them in first
 */
HTP_MUST_USE htp_status htp_given_take(void *defaults, size_t bytes, const void *given,
                                       const char *what, const char *maker);

/** Copies @p given (NULL: all defaults; a shorter struct of an earlier version: defaults for the
 * rest) to @p options and checks every field. Strings stay the caller's. */
HTP_MUST_USE htp_status htp_options_take(const htp_options *given, htp_options *options);

#endif
