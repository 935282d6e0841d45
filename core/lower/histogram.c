/*
 * Counting elements in bins between edges: aten::histogram.
 *
 * The place of a number is how many edges are not above it; the last bin has its upper edge, too.
 * Numbers beyond the edges, and NaN, do not count.
 */
#include "lower/compose.h"
#include "lower/kernels.h"
#include "lower/special.h"
#include "lower/table.h"

enum { MOST_BINS = 1 << 24 };

static const int64_t flattened[] = {-1};

/** What is counted, and where. */
typedef struct binning {
    htp_formula f;
    htp_tensor_id x;     /* a vector */
    htp_tensor_id edges; /* a vector that rises */
    htp_tensor_id bins;  /* how many, as [1] */
} binning;

/** Sets the edges to the tensor that is the argument bins. */
static void read_edges(binning *b)
{
    htp_lowering *l = b->f.l;
    const htp_dim *dim = htp_arg_dims(l, "bins");
    if (htp_arg_rank(l, "bins") != 1 || (!dim->symbol && dim->size < 2)) {
        htp_lower_fail(l, "its edges are no vector of two or more");
        return;
    }
    b->edges = htp_step_arg(&b->f, "bins");
    b->bins = htp_emit_binary(l, "Sub", htp_emit_dim(l, b->edges, dim, 0), htp_emit_int(l, 1));
}

/** Whether the argument self is known to have no elements. */
static bool has_no_elements(htp_lowering *l)
{
    const htp_dim *dims = htp_arg_dims(l, "self");
    for (uint32_t i = 0; i < htp_arg_rank(l, "self"); i++) {
        if (!dims[i].symbol && dims[i].size == 0) {
            return true;
        }
    }
    return false;
}

/** The first edge, or the last one, as @p reduce tells: of the argument range, else the least or
 * greatest number, else 0 or 1. */
static htp_tensor_id emit_end(const binning *b, const char *reduce, bool is_last)
{
    static const int64_t first = 0;
    htp_lowering *l = b->f.l;
    if (htp_arg_present(l, "range")) {
        size_t count = 0;
        const double *range = htp_arg_floats(l, "range", &count);
        if (l->failure || count != 2) {
            htp_lower_fail(l, "it has a range of %zu numbers", count);
            return HTP_TENSOR_NONE;
        }
        return htp_step_number(&b->f, range[is_last]);
    }
    return has_no_elements(l) ? htp_step_number(&b->f, is_last)
                              : htp_step_reduce(&b->f, reduce, b->x, &first, 1, false);
}

/** Sets the edges to as many as the argument bins tells, spaced evenly. Ends that are equal are
 * moved. */
static void make_edges(binning *b)
{
    const htp_formula *f = &b->f;
    int64_t bins = htp_arg_int(f->l, "bins");
    if (bins < 1 || bins > MOST_BINS) {
        htp_lower_fail(f->l, "%lld bins are not valid, or too many", (long long)bins);
        return;
    }
    htp_tensor_id low = emit_end(b, "ReduceMin", false);
    htp_tensor_id high = emit_end(b, "ReduceMax", true);
    htp_tensor_id is_one = htp_step_compare(f, "Equal", low, high);
    low = htp_step_where(f, is_one, htp_step_scalar(f, "Sub", low, 0.5), low);
    high = htp_step_where(f, is_one, htp_step_scalar(f, "Add", high, 0.5), high);
    b->edges = htp_emit_linspace(f, low, high, bins + 1);
    b->bins = htp_emit_int(f->l, bins);
}

/** How many edges are not above each number; what is above them all has none. */
static htp_tensor_id emit_places(const binning *b)
{
    static const int64_t column[] = {-1, 1};
    static const int64_t along_edges = 1;
    htp_lowering *l = b->f.l;
    htp_tensor_id x = htp_emit_reshape(l, b->x, column, 2);
    htp_tensor_id is_reached = htp_step_compare(&b->f, "GreaterOrEqual", x, b->edges);
    htp_tensor_id place = htp_emit_cast(l, is_reached, HTP_DTYPE_BOOL, HTP_DTYPE_INT64);
    place = htp_emit_reduce(l, "ReduceSum", place, &along_edges, 1, false);
    htp_tensor_id last = htp_emit_slice(l, b->edges, 0, -1, INT64_MAX);
    htp_tensor_id is_beyond = htp_step_compare(&b->f, "Greater", b->x, last);
    return htp_typed_where(l, HTP_DTYPE_INT64, is_beyond, htp_emit_int(l, 0), place);
}

/** The number of elements in each bin, or their weight. */
static htp_tensor_id emit_counts(const binning *b)
{
    htp_lowering *l = b->f.l;
    htp_tensor_id place = emit_places(b);
    htp_tensor_id is_inside = htp_typed_predicate_scalar(l, "Greater", HTP_DTYPE_INT64, place, 0);
    place = htp_typed_extreme(l, "Min", HTP_DTYPE_INT64, place, b->bins);
    place = htp_typed_extreme(l, "Max", HTP_DTYPE_INT64, place, htp_emit_int(l, 1));
    place = htp_emit_binary(l, "Sub", place, htp_emit_int(l, 1));
    htp_tensor_id weight = htp_step_number(&b->f, 1);
    if (htp_arg_present(l, "weight")) {
        weight = htp_emit_reshape(l, htp_step_arg(&b->f, "weight"), flattened, 1);
    }
    htp_tensor_id zero = htp_step_number(&b->f, 0);
    weight = htp_step_where(&b->f, is_inside, weight, zero);
    return htp_emit(l, "ScatterElements",
                    HTP_IN(htp_typed_expand(l, b->f.dtype, zero, b->bins), place, weight),
                    HTP_AT(htp_attribute_string("reduction", "add")));
}

/** histogram.bins_tensor, histogram.bin_ct */
void htp_lower_histogram(htp_lowering *l)
{
    static const int64_t first = 0;
    htp_dtype dtype = htp_arg_math_dtype(l, "self", HTP_MATH_ALLOW_DOUBLE);
    binning b = {.f = htp_formula_of_kernel(l, dtype)};
    b.x = htp_emit_reshape(l, htp_step_arg(&b.f, "self"), flattened, 1);
    if (l->row->op) {
        read_edges(&b);
    } else {
        make_edges(&b);
    }
    if (l->failure) {
        return;
    }
    htp_tensor_id counts = emit_counts(&b);
    if (htp_arg_bool_or(l, "density", false)) {
        htp_tensor_id total = htp_step_reduce(&b.f, "ReduceSum", counts, &first, 1, true);
        htp_tensor_id widths =
            htp_step_binary(&b.f, "Sub", htp_emit_slice(l, b.edges, 0, 1, INT64_MAX),
                            htp_emit_slice(l, b.edges, 0, 0, -1));
        counts = htp_step_binary(&b.f, "Div", counts, total);
        counts = htp_step_binary(&b.f, "Div", counts, widths);
    }
    htp_formula_bind(&b.f, 0, counts);
    htp_formula_bind(&b.f, 1, b.edges);
}
