/*
 * One input as text: "NAME:DTYPE[batch=2,8]" or "NAME:int=3". Private to core/source.
 */
#ifndef HTP_SOURCE_SPECIFICATION_H
#define HTP_SOURCE_SPECIFICATION_H

#include "base/arena.h"
#include "base/status.h"
#include "graph/graph.h"

/** A specification, not yet matched with an argument. */
typedef struct htp_specification {
    const char *text; /* as it was given */
    const char *name; /* "" goes by position */
    bool is_scalar;
    double scalar;
    htp_dtype dtype; /* of a number: int64, float64 or bool */
    uint32_t rank;
    htp_dim *dims; /* symbol: the axis' name */
} htp_specification;

/** Parses one specification. A dim is 1 to 2^31 - 1. */
HTP_MUST_USE htp_status htp_specification_parse(htp_arena *arena, const char *text,
                                                htp_specification *specification);

#endif
