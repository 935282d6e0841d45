/*
 * Names for dims that differ between the lanes of a trace, and arithmetic with them.
 *
 * A symbol is the name of a size: an axis ("batch"), a polynomial of axes and other symbols
 * ("(height//16)*(width//16) + 1"), or a name of its own ("dim_0"). Python computes the value of
 * one from those of the axes. Equal names are equal sizes.
 */
#ifndef HTP_GRAPH_SYMBOLS_H
#define HTP_GRAPH_SYMBOLS_H

#include "graph/graph.h"
#include "graph/polynomial.h"

/** Symbols, and the polynomials that they are. */
typedef struct htp_symbols {
    htp_arena *arena;
    const htp_axis *axes;
    uint32_t axis_count;
    uint32_t lane_count; /* 1 to HTP_SHIM_MAX_LANES */
    htp_algebra algebra;
    htp_map by_sizes;                       /* sizes by lane -> polynomial */
    htp_map by_name;                        /* -> polynomial */
    HTP_VECTOR(const char *) names;         /* by polynomial; NULL: not named yet */
    HTP_VECTOR(htp_polynomial_id) resolved; /* by polynomial */
    uint32_t next_fresh;
    uint32_t next_unknown;
} htp_symbols;

/** Starts with the axes' own names. @p lane_count is cut to HTP_SHIM_MAX_LANES. */
void htp_symbols_init(htp_symbols *symbols, htp_arena *arena, const htp_axis *axes,
                      uint32_t axis_count, uint32_t lane_count);

/**
 * The dim with these sizes, one per lane: a number when all lanes agree, otherwise a symbol. Equal
 * sizes give the same symbol. The first of these forms that fits in every lane:
 * `batch`, `batch*2`, `batch + 2`, `batch + sequence`, `batch*sequence`, `batch*sequence*4`,
 * `batch//2` (without remainder), else a name of its own, `dim_0`. Constant time for a small number
 * of axes; sums and products of two are looked for among the first 16.
 */
htp_dim htp_symbols_dim(htp_symbols *symbols, const int64_t *sizes);

/* ---- arithmetic ---- */

/** The polynomial of a dim. A name that was never given becomes a symbol. */
htp_polynomial_id htp_symbols_polynomial(htp_symbols *symbols, htp_dim dim);

/** The dim of a polynomial: a number, which may be negative, or a symbol with the first lane's
 * size. */
htp_dim htp_symbols_name(htp_symbols *symbols, htp_polynomial_id id);

/** A dim of which nothing is known. */
htp_dim htp_symbols_unknown(htp_symbols *symbols);

/** Whether two dims have the same sizes in every lane, as far as all of these are known. */
bool htp_symbols_agree(htp_symbols *symbols, htp_dim a, htp_dim b);

/**
 * The better of two dims for one size: @p given, which a trace's lanes gave, and @p derived, which
 * follows from operators. That is the one that is derived where it has the sizes that the lanes
 * have. Where one of them is unknown, or has a name of its own, it is kept in mind what it is.
 */
htp_dim htp_symbols_refine(htp_symbols *symbols, htp_dim given, htp_dim derived);

/** A dim with what was learned of its symbols since. The symbol is "" where there is an unknown
 * dim in it. */
htp_dim htp_symbols_resolve(htp_symbols *symbols, htp_dim dim);

#endif
