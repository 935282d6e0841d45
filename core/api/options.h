/*
 * Options as the pipeline works with them. Private to core/api.
 */
#ifndef HTP_API_OPTIONS_H
#define HTP_API_OPTIONS_H

#include "base/status.h"

/** Copies @p given (NULL: all defaults; a shorter struct of an earlier version: defaults for the
 * rest) to @p options and checks every field. Strings stay the caller's. */
HTP_MUST_USE htp_status htp_options_take(const htp_options *given, htp_options *options);

#endif
