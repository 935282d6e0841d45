/*
 * Names for dims that differ between the lanes of a trace. Private to core/graph.
 */
#ifndef HTP_GRAPH_SYMBOLS_H
#define HTP_GRAPH_SYMBOLS_H

#include "base/vector.h"
#include "graph/graph.h"

/** Names that were given, and the sizes that they stand for. */
typedef struct htp_symbols {
    htp_arena *arena;
    const htp_axis *axes;
    uint32_t axis_count;
    uint32_t lane_count; /* 1 to HTP_SHIM_MAX_LANES */
    HTP_VECTOR(const char *) names;
    htp_map by_sizes; /* sizes by lane -> index in names */
    htp_map taken;    /* names */
    uint32_t next_fresh;
} htp_symbols;

/** Starts with the axes' own names. @p lane_count is cut to HTP_SHIM_MAX_LANES. */
void htp_symbols_init(htp_symbols *symbols, htp_arena *arena, const htp_axis *axes,
                      uint32_t axis_count, uint32_t lane_count);

/**
 * The dim with these sizes, one per lane: a number when all lanes agree, otherwise a symbol. Equal
 * sizes give the same symbol. The first of these forms that fits in every lane:
 * `batch`, `batch*2`, `batch + 2`, `batch + sequence`, `batch*sequence`, `batch*sequence*4`,
 * `batch/2` (without remainder), else a name of its own, `dim_0`. Constant time for a small number
 * of axes; sums and products of two are looked for among the first 16.
 */
htp_dim htp_symbols_dim(htp_symbols *symbols, const int64_t *sizes);

#endif
