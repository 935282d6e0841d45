/*
 * Refuses bodies that are nested too deeply to be read.
 */
#ifndef HTP_LOWER_NESTING_H
#define HTP_LOWER_NESTING_H

#include "lower/emit/lowering.h"
#include "lower/refusal/report.h"

/**
 * Refuses nodes whose bodies are nested deeper than protobuf's readers allow: they stop at 100
 * nested messages (CodedInputStream::SetRecursionLimit), of which a body takes three, and the type
 * of a value in it up to nine. Linear in the nodes.
 */
void htp_lower_check_nesting(htp_lowering *l, htp_unsupported *unsupported);

#endif
