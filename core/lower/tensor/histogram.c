/*
 * Counts elements in bins between edges: aten::histogram; and points in boxes, which have bins for
 * each coordinate: aten::histogramdd.
 *
 * The place of a number is the number of edges not above it; the last bin includes its upper edge.
 * Numbers outside the edges and NaN do not count.
 */
#include "lower/compose/compose.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"
#include "lower/emit/sizes.h"
#include "lower/pointwise/special.h"

enum { MAX_BINS = 1 << 24, MAX_COORDINATES = 64 };

static const int64_t flattened[] = {-1};

/** The operands of a histogram. */
typedef struct binning {
    htp_formula f;
    htp_tensor_id x;     /* a vector: the numbers, or one coordinate of the points */
    size_t coordinate;   /* its index */
    size_t coordinates;  /* number of coordinates */
    htp_tensor_id edges; /* a vector */
    int64_t given; /* number of edges given by the program, which may be unsorted; 0 if unknown */
    htp_tensor_id bins; /* their number, as [1] */
} binning;

/** Sets the edges to a tensor. */
static void read_edges(binning *b, htp_value_id edges)
{
    htp_lowering *l = b->f.l;
    const htp_value *value = &l->graph->values[edges];
    if (value->traced->rank != 1 || (!value->dims[0].symbol && value->dims[0].size < 2)) {
        htp_lower_fail(l, "its edges are no vector of two or more");
        return;
    }
    b->edges = htp_value_tensor_as(l, edges, b->f.dtype);
    b->given = value->dims[0].symbol ? 0 : value->dims[0].size;
    b->bins =
        htp_emit_binary(l, "Sub", htp_emit_dim(l, b->edges, value->dims, 0), htp_emit_int(l, 1));
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

/** The first or last edge, by @p reduce: from the argument range, else the minimum or maximum, else
 * 0 or 1. */
static htp_tensor_id emit_end(const binning *b, const char *reduce, bool is_last)
{
    static const int64_t first = 0;
    htp_lowering *l = b->f.l;
    if (htp_arg_present(l, "range")) {
        size_t count = 0;
        const double *range = htp_arg_floats(l, "range", &count);
        if (l->failure || count != 2 * b->coordinates) {
            htp_lower_fail(l, "it has a range of %zu numbers", count);
            return HTP_NONE;
        }
        return htp_step_number(&b->f, range[2 * b->coordinate + is_last]);
    }
    return has_no_elements(l) ? htp_step_number(&b->f, is_last)
                              : htp_step_reduce(&b->f, reduce, b->x, &first, 1, false);
}

/** Sets the edges to those of @p bins bins, spaced evenly. Equal ends are moved apart. */
static void make_edges(binning *b, int64_t bins)
{
    const htp_formula *f = &b->f;
    if (bins < 1 || bins > MAX_BINS) {
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

/** The number of edges not above each number. */
static htp_tensor_id count_reached(const binning *b)
{
    static const int64_t column[] = {-1, 1};
    static const int64_t along_edges = 1;
    htp_lowering *l = b->f.l;
    htp_tensor_id x = htp_emit_reshape(l, b->x, column, 2);
    htp_tensor_id is_reached = htp_step_compare(&b->f, "GreaterOrEqual", x, b->edges);
    htp_tensor_id place = htp_emit_cast(l, is_reached, HTP_DTYPE_BOOL, HTP_DTYPE_INT64);
    return htp_emit_reduce(l, "ReduceSum", place, &along_edges, 1, false);
}

/** The same by bisection, like std::upper_bound() on edges that may not be sorted: then the probed
 * edges are part of the result. Its range begins at @c first and has @c length edges. */
static htp_tensor_id search_reached(const binning *b)
{
    htp_lowering *l = b->f.l;
    const htp_dtype type = HTP_DTYPE_INT64;
    htp_tensor_id none = htp_emit_int(l, 0);
    htp_tensor_id one = htp_emit_int(l, 1);
    htp_tensor_id first = none;
    htp_tensor_id length = htp_emit_int(l, b->given);
    for (int64_t longest = b->given; longest > 0; longest /= 2) {
        htp_tensor_id half = htp_emit_binary(l, "Div", length, htp_emit_int(l, 2));
        htp_tensor_id middle = htp_emit_binary(l, "Add", first, half);
        htp_tensor_id behind = htp_emit_binary(l, "Add", middle, one);
        middle = htp_typed_extreme(l, "Min", type, middle, htp_emit_int(l, b->given - 1));
        htp_tensor_id edge =
            htp_emit(l, "Gather", HTP_IN(b->edges, middle), HTP_AT(htp_attribute_int("axis", 0)));
        htp_tensor_id is_above = htp_step_compare(&b->f, "Greater", edge, b->x);
        htp_tensor_id is_found = htp_emit_binary(l, "Equal", length, none);
        first =
            htp_typed_where(l, type, htp_emit_binary(l, "Or", is_above, is_found), first, behind);
        htp_tensor_id rest =
            htp_emit_binary(l, "Sub", htp_emit_binary(l, "Sub", length, half), one);
        length =
            htp_typed_where(l, type, is_above, half, htp_typed_extreme(l, "Max", type, rest, none));
    }
    return first;
}

/** The number of edges up to each number; 0 outside of the first and last edge, and for NaN. For
 * three edges or fewer, any order gives the same. */
static htp_tensor_id emit_places(const binning *b)
{
    enum { FEW = 3 };
    htp_lowering *l = b->f.l;
    htp_tensor_id place = b->given > FEW ? search_reached(b) : count_reached(b);
    htp_tensor_id first = htp_emit_slice(l, b->edges, 0, 0, 1);
    htp_tensor_id last = htp_emit_slice(l, b->edges, 0, -1, INT64_MAX);
    htp_tensor_id is_between =
        htp_emit_binary(l, "And", htp_step_compare(&b->f, "GreaterOrEqual", b->x, first),
                        htp_step_compare(&b->f, "LessOrEqual", b->x, last));
    return htp_typed_where(l, HTP_DTYPE_INT64, is_between, place, htp_emit_int(l, 0));
}

/**
 * The bin of each number, from 0 on; any bin for numbers outside.
 * @param is_inside  set to the mask of numbers in a bin
 */
static htp_tensor_id emit_bins(const binning *b, htp_tensor_id *is_inside)
{
    htp_lowering *l = b->f.l;
    htp_tensor_id place = emit_places(b);
    *is_inside = htp_typed_predicate_scalar(l, "Greater", HTP_DTYPE_INT64, place, 0);
    place = htp_typed_extreme(l, "Min", HTP_DTYPE_INT64, place, b->bins);
    place = htp_typed_extreme(l, "Max", HTP_DTYPE_INT64, place, htp_emit_int(l, 1));
    return htp_emit_binary(l, "Sub", place, htp_emit_int(l, 1));
}

/**
 * The number or total weight of numbers or points at each position.
 * @param count  number of positions, as [1]
 */
static htp_tensor_id emit_counts(const htp_formula *f, htp_tensor_id place, htp_tensor_id is_inside,
                                 htp_tensor_id count)
{
    htp_lowering *l = f->l;
    htp_tensor_id weight = htp_step_number(f, 1);
    if (htp_arg_present(l, "weight")) {
        weight = htp_emit_reshape(l, htp_step_arg(f, "weight"), flattened, 1);
    }
    htp_tensor_id zero = htp_step_number(f, 0);
    weight = htp_step_where(f, is_inside, weight, zero);
    return htp_emit(l, "ScatterElements",
                    HTP_IN(htp_typed_expand(l, f->dtype, zero, count), place, weight),
                    HTP_AT(htp_attribute_string("reduction", "add")));
}

/** The distances between neighbouring edges. */
static htp_tensor_id emit_widths(const binning *b)
{
    htp_lowering *l = b->f.l;
    return htp_step_binary(&b->f, "Sub", htp_emit_slice(l, b->edges, 0, 1, INT64_MAX),
                           htp_emit_slice(l, b->edges, 0, 0, -1));
}

/** @p counts, a vector, divided by their sum. */
static htp_tensor_id divide_by_total(const htp_formula *f, htp_tensor_id counts)
{
    static const int64_t first = 0;
    return htp_step_binary(f, "Div", counts,
                           htp_step_reduce(f, "ReduceSum", counts, &first, 1, true));
}

/** histogram.bins_tensor, histogram.bin_ct */
void htp_lower_histogram(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_math_dtype(l, "self", HTP_MATH_ALLOW_DOUBLE);
    binning b = {.f = htp_formula_of_kernel(l, dtype), .coordinates = 1};
    b.x = htp_emit_reshape(l, htp_step_arg(&b.f, "self"), flattened, 1);
    if (l->row->op) {
        read_edges(&b, htp_arg_value(l, "bins"));
    } else {
        make_edges(&b, htp_arg_int(l, "bins"));
    }
    if (l->failure) {
        return;
    }
    htp_tensor_id is_inside = HTP_NONE;
    htp_tensor_id place = emit_bins(&b, &is_inside);
    htp_tensor_id counts = emit_counts(&b.f, place, is_inside, b.bins);
    if (htp_arg_bool_or(l, "density", false)) {
        counts = htp_step_binary(&b.f, "Div", divide_by_total(&b.f, counts), emit_widths(&b));
    }
    htp_formula_bind(&b.f, 0, counts);
    htp_formula_bind(&b.f, 1, b.edges);
}

/* ---- points ---- */

/** Reads the bins of every coordinate; NULL if they are invalid. */
static binning *read_coordinates(htp_lowering *l, size_t *count)
{
    const htp_dim *dims = htp_arg_dims(l, "self");
    uint32_t rank = htp_arg_rank(l, "self");
    if (rank < 2 || dims[rank - 1].symbol || dims[rank - 1].size < 1 ||
        dims[rank - 1].size > MAX_COORDINATES) {
        htp_lower_fail(l, "its points have no fixed number of coordinates, or too many");
        return NULL;
    }
    size_t bins_count = 0;
    const uint32_t *edges = l->row->op ? htp_arg_list(l, "bins", &bins_count) : NULL;
    const int64_t *bins = l->row->op ? NULL : htp_arg_ints(l, "bins", &bins_count);
    *count = (size_t)dims[rank - 1].size;
    if (l->failure || (bins_count != *count && (!bins || bins_count != 1))) {
        htp_lower_fail(l, "it lacks the bins of each coordinate");
        return NULL;
    }
    htp_formula f = htp_formula_of_kernel(l, htp_arg_math_dtype(l, "self", HTP_MATH_ALLOW_DOUBLE));
    const int64_t shape[] = {-1, dims[rank - 1].size};
    htp_tensor_id points = htp_emit_reshape(l, htp_step_arg(&f, "self"), shape, 2);
    binning *all = htp_arena_alloc(l->arena, *count * sizeof(binning));
    for (size_t i = 0; i < *count && !l->failure; i++) {
        htp_tensor_id index = htp_emit_scalar_int(l, HTP_DTYPE_INT64, (int64_t)i);
        all[i] = (binning){.f = f, .coordinate = i, .coordinates = *count};
        all[i].x =
            htp_emit(l, "Gather", HTP_IN(points, index), HTP_AT(htp_attribute_int("axis", 1)));
        if (bins) {
            make_edges(&all[i], bins[bins_count == 1 ? 0 : i]);
        } else if (edges) {
            read_edges(&all[i], edges[i]);
        }
    }
    return l->failure ? NULL : all;
}

/** The number of points in every box, as a vector. @param shape  of all boxes */
static htp_tensor_id count_points(htp_lowering *l, const binning *all, size_t count,
                                  htp_tensor_id shape)
{
    static const int64_t first = 0;
    htp_tensor_id is_inside = HTP_NONE;
    htp_tensor_id place = emit_bins(&all[0], &is_inside);
    for (size_t i = 1; i < count; i++) {
        htp_tensor_id is_between = HTP_NONE;
        htp_tensor_id bin = emit_bins(&all[i], &is_between);
        place = htp_emit_binary(l, "Add", htp_emit_binary(l, "Mul", place, all[i].bins), bin);
        is_inside = htp_emit_binary(l, "And", is_inside, is_between);
    }
    htp_tensor_id boxes = htp_emit_reduce(l, "ReduceProd", shape, &first, 1, true);
    return emit_counts(&all[0].f, place, is_inside, boxes);
}

/** histogramdd, histogramdd.int_bins, histogramdd.TensorList_bins; with a row's parameter, the bins
 * are given by their edges. */
void htp_lower_point_histogram(htp_lowering *l)
{
    size_t count = 0;
    const binning *all = read_coordinates(l, &count);
    const htp_trace_value *list = htp_graph_value(l->graph, htp_output_value(l, 1));
    if (!all || list->element_count != count) {
        htp_lower_fail(l, "it lacks the bins of each coordinate");
        return;
    }
    const htp_formula *f = &all[0].f;
    htp_sizes sizes = htp_sizes_begin(l);
    for (size_t i = 0; i < count; i++) {
        htp_sizes_add_tensor(&sizes, all[i].bins);
        htp_bind_value(l, list->elements[i],
                       htp_emit_cast(l, all[i].edges, f->dtype, htp_output_dtype(l, 0)));
    }
    htp_tensor_id shape = htp_sizes_end(&sizes);
    htp_tensor_id counts = count_points(l, all, count, shape);
    bool is_density = htp_arg_bool_or(l, "density", false);
    counts = is_density ? divide_by_total(f, counts) : counts;
    counts = htp_emit_binary(l, "Reshape", counts, shape);
    for (size_t i = 0; i < count && is_density; i++) {
        htp_tensor_id widths = htp_emit_channels(l, emit_widths(&all[i]), count - i - 1);
        counts = htp_step_binary(f, "Div", counts, widths);
    }
    htp_formula_bind(f, 0, counts);
}
