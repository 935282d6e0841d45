/*
 * Names for dims that differ between the lanes of a trace, and arithmetic with them.
 *
 * A symbol is the name of a size: an axis ("batch"), a polynomial of axes and other symbols
 * ("(height//16)*(width//16) + 1", an expression of Python), or an invented name ("dim_0"). Equal
 * names are equal sizes.
 */
#ifndef HTP_GRAPH_SYMBOLS_H
#define HTP_GRAPH_SYMBOLS_H

#include "graph/graph.h"
#include "graph/polynomial.h"

/** Symbols, and the polynomials that they name. */
typedef struct htp_symbols {
    htp_arena *arena;
    const htp_axis *axes;
    uint32_t axis_count;
    uint32_t lane_count; /* 1 to HTP_MAX_LANES */
    htp_algebra algebra;
    htp_map by_sizes;                       /* sizes by lane -> polynomial */
    htp_map by_name;                        /* -> polynomial */
    HTP_VECTOR(const char *) names;         /* by polynomial; NULL: not named yet */
    HTP_VECTOR(htp_polynomial_id) resolved; /* by polynomial */
    uint32_t next_fresh;
    uint32_t next_unknown;
    bool has_data; /* some sizes are data-dependent */
} htp_symbols;

/** Begins with the names of the axes, whose sizes are at least 1. @p lane_count is limited to
 * HTP_MAX_LANES. */
void htp_symbols_init(htp_symbols *symbols, htp_arena *arena, const htp_axis *axes,
                      uint32_t axis_count, uint32_t lane_count);

/** Marks the axes from @p first on as data-dependent sizes, which may be 0. */
void htp_symbols_set_data(htp_symbols *symbols, uint32_t first);

/**
 * The dim with these sizes, one per lane: a number if all lanes agree, otherwise a symbol. Equal
 * sizes give the same symbol. The first of these forms that fits in every lane: `batch`, `batch*2`,
 * `batch + 2`, `batch + sequence`, `batch*sequence`, `batch*sequence*4`, `batch//2` (without
 * remainder); else an invented name, `dim_0`. Constant time for a small number of axes; only the
 * first 16 are tried in sums and products of two.
 */
htp_dim htp_symbols_dim(htp_symbols *symbols, const int64_t *sizes);

/* ---- arithmetic ---- */

/** The polynomial of a dim. An unknown name becomes a symbol. */
htp_polynomial_id htp_symbols_polynomial(htp_symbols *symbols, htp_dim dim);

/** The dim of a polynomial: a number, which may be negative, or a symbol with the first lane's
 * size. */
htp_dim htp_symbols_name(htp_symbols *symbols, htp_polynomial_id id);

/** Whether a dim may be 0, by its form. An invented name may be if it is 0 in a lane, or if there
 * are data-dependent sizes. */
bool htp_symbols_may_be_zero(htp_symbols *symbols, htp_dim dim);

/** An unknown dim. */
htp_dim htp_symbols_unknown(htp_symbols *symbols);

/** Whether a dim is unknown, or has an unknown in its form. */
bool htp_symbols_has_unknown(htp_symbols *symbols, htp_dim dim);

/**
 * Combines two forms of one size: @p given fits the lanes of the trace, @p derived follows from
 * operators. The result is @p derived if it agrees with the lanes, otherwise an unknown dim. With
 * @p is_named, that takes the given name if it claims nothing: the name of a data-dependent size,
 * or an invented one.
 */
htp_dim htp_symbols_prove(htp_symbols *symbols, htp_dim given, htp_dim derived, bool is_named);

/** A dim with its symbols replaced by their meanings. If an unknown remains, all dims of this form
 * get one invented name with @p is_named; otherwise the symbol is "". */
htp_dim htp_symbols_resolve(htp_symbols *symbols, htp_dim dim, bool is_named);

#endif
