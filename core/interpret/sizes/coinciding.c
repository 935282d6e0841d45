/*
 * Size-derived numbers and sizes that coincide at all sampled sizes, but not at all sizes:
 * y.size(0) // 100 and y[::100] if no lane has a hundred. They become data-dependent. A window
 * whose count is equal in all lanes refuses the lanes, so that others are tried.
 */
#include "interpret/sizes/sizes.h"

#include "base/text.h"
#include "interpret/lanes/call_facts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- numbers ---- */

/* A number, or the element of a 1-element tensor. Integers are exact at any size. */
typedef struct size_number {
    bool is_there;
    bool is_whole;
    int64_t whole;
    double real;
} size_number;

static size_number number_of(htp_machine *m, const htp_operand *value)
{
    htp_operand number = *value;
    if (value->kind == HTP_OPERAND_TENSOR &&
        (!value->as.tensor->is_real || !htp_tensor_number(m, value->as.tensor, &number))) {
        return (size_number){0};
    }
    switch (number.kind) {
    case HTP_OPERAND_INT:
        return (size_number){true, true, number.as.i, (double)number.as.i};
    case HTP_OPERAND_BOOL:
        return (size_number){true, true, number.as.b, number.as.b};
    case HTP_OPERAND_FLOAT:
        return (size_number){true, false, 0, number.as.f};
    default:
        return (size_number){0};
    }
}

/* The number of an item in a lane. Data-dependent values other than sizes count as equal in all
 * lanes. */
static size_number number_in(htp_machine *m, const htp_item *item, size_t lane)
{
    return number_of(m, &item->lane[htp_has_lanes(item) ? lane : 0]);
}

/* Whether both are equal, or both are missing. */
static bool is_equal(size_number a, size_number b)
{
    if (!a.is_there || !b.is_there) {
        return a.is_there == b.is_there;
    }
    return a.is_whole && b.is_whole ? a.whole == b.whole : a.real == b.real;
}

static bool is_multiple(size_number whole, size_number part)
{
    if (!whole.is_there || !part.is_there || part.real == 0) {
        return false;
    }
    if (whole.is_whole && part.is_whole) {
        return part.whole == -1 || whole.whole % part.whole == 0;
    }
    return fmod(whole.real, part.real) == 0;
}

/* ---- operators with steps ---- */

/* Whether an operator divides and rounds. */
static bool divides(const htp_program_schema *schema)
{
    static const char *const divisions[] = {"aten::floordiv", "aten::floor_divide",
                                            "aten::__round_to_zero_floordiv"};
    return htp_text_is_one_of(schema->name, divisions, sizeof(divisions) / sizeof(divisions[0])) ||
           (strcmp(schema->name, "aten::div") == 0 && strstr(schema->overload, "mode"));
}

static bool gives_remainder(const htp_program_schema *schema)
{
    static const char *const remainders[] = {"aten::remainder", "aten::fmod"};
    return htp_text_is_one_of(schema->name, remainders, sizeof(remainders) / sizeof(remainders[0]));
}

/* Whether an operator selects bits of integers. */
static bool masks(const htp_program_schema *schema)
{
    static const char *const masking[] = {"aten::__and__", "aten::__or__", "aten::__xor__"};
    return strcmp(schema->overload, "int") == 0 &&
           htp_text_is_one_of(schema->name, masking, sizeof(masking) / sizeof(masking[0]));
}

/* Whether a division is exact in all lanes. */
static bool leaves_none(htp_machine *m, const htp_items *inputs)
{
    bool are_multiples = inputs->count > 1;
    for (uint32_t lane = 0; lane < m->lane_count && are_multiples; lane++) {
        size_number whole = number_in(m, inputs->items[0], lane);
        size_number part = number_in(m, inputs->items[1], lane);
        are_multiples = is_multiple(whole, part);
    }
    return are_multiples;
}

static bool is_condition(const htp_operand *value)
{
    return value->kind == HTP_OPERAND_BOOL ||
           (value->kind == HTP_OPERAND_TENSOR && value->as.tensor->type == HTP_SCALAR_BOOL);
}

/* Whether a number differs between the lanes, or may be equal by chance, as a condition on sizes.
 */
static bool moves(htp_machine *m, const htp_item *item, uint32_t lane_count)
{
    if (htp_is_constant(item)) {
        return false;
    }
    size_number first = number_in(m, item, 0);
    bool differs = first.is_there && is_condition(&item->lane[0]);
    for (uint32_t lane = 1; lane < lane_count && first.is_there && !differs; lane++) {
        differs = !is_equal(number_in(m, item, lane), first);
    }
    return differs;
}

static bool any_moves(htp_machine *m, const htp_items *items)
{
    for (size_t i = 0; i < items->count; i++) {
        const htp_item *item = items->items[i];
        bool is_held = item->kind == HTP_ITEM_LIST || item->kind == HTP_ITEM_TUPLE;
        if (is_held ? any_moves(m, &item->elements) : moves(m, item, m->lane_count)) {
            return true;
        }
    }
    return false;
}

static bool is_smooth(const htp_item *item)
{
    return !item->is_stepped;
}

/* Whether a slice ends at a number, so that it may cut at other sizes. */
static bool cuts(const htp_call *call)
{
    const htp_items *inputs = &call->inputs;
    if (strcmp(call->schema.name, "aten::slice") != 0 || inputs->count <= 3 ||
        !htp_is_tensor(inputs->items[0])) {
        return false;
    }
    const htp_operand *end = &inputs->items[3]->lane[0];
    return end->kind == HTP_OPERAND_INT && end->as.i > 0 && end->as.i != INT64_MAX;
}

/* Whether the first output equals @p input in every lane, or 0 if that is NULL. */
static bool gives_each(htp_machine *m, const htp_item *input, const htp_lanes *results)
{
    const size_number nothing = {.is_there = true, .is_whole = true};
    bool is_each = results->count > 0;
    for (uint32_t lane = 0; lane < m->lane_count && is_each; lane++) {
        size_number wanted = input ? number_in(m, input, lane) : nothing;
        is_each = is_equal(number_of(m, &results->lane[lane][0]), wanted);
    }
    return is_each;
}

/* Whether an operator rounds in some lane. A remainder of 0 in all lanes does not count: a program
 * may require multiples. */
static bool steps(htp_machine *m, const htp_call *call, const htp_lanes *results)
{
    if (htp_call_has_fact(call, HTP_FACT_ROUNDS) && call->inputs.count > 0) {
        const htp_item *rounded = call->inputs.items[0];
        return !gives_each(m, rounded, results) || moves(m, rounded, 1);
    }
    if (gives_remainder(&call->schema)) {
        return !gives_each(m, NULL, results);
    }
    return htp_call_has_fact(call, HTP_FACT_HAS_LIMIT) || masks(&call->schema) || cuts(call) ||
           (divides(&call->schema) && !leaves_none(m, &call->inputs));
}

/* ---- numbers that coincide ---- */

bool htp_coinciding_is_stepped(htp_machine *m, const htp_call *call, const htp_lanes *results)
{
    return m->lane_count > 1 && !htp_call_has_fact(call, HTP_FACT_TELLS_TYPE) &&
           (!htp_items_all(&call->inputs, is_smooth) || steps(m, call, results));
}

/* Whether a constant is an integer, or there is none. */
static bool is_whole(size_number number)
{
    return !number.is_there || number.is_whole || fmod(number.real, 1) == 0;
}

/* Whether a named operator has a constant operand. */
static bool has_constant(htp_machine *m, const htp_call *call, const char *name, int64_t constant)
{
    bool is_found = false;
    bool is_such = strcmp(call->schema.name, name) == 0;
    for (size_t i = 0; is_such && i < call->inputs.count && !is_found; i++) {
        const htp_item *input = call->inputs.items[i];
        size_number number = htp_is_constant(input) ? number_in(m, input, 0) : (size_number){0};
        is_found = is_equal(number, (size_number){true, true, constant, (double)constant});
    }
    return is_found;
}

/* Whether an operator is linear in its dynamic operand, with integer coefficients for integers:
 * then rounding changes nothing. */
static bool gives_line(htp_machine *m, const htp_call *call)
{
    static const char *const lines[] = {
        "aten::add",   "aten::sub",   "aten::rsub", "aten::neg",  "aten::ceil",
        "aten::floor", "aten::trunc", "aten::Int",  "aten::item", "prim::NumToTensor"};
    const char *name = call->schema.name;
    const htp_items *inputs = &call->inputs;
    size_t moving = 0;
    bool are_whole = true;
    for (size_t i = 0; i < inputs->count; i++) {
        bool is_constant = htp_is_constant(inputs->items[i]);
        moving += !is_constant;
        are_whole = are_whole && (!is_constant || is_whole(number_in(m, inputs->items[i], 0)));
    }
    bool is_product = strcmp(name, "aten::mul") == 0 && moving == 1;
    bool is_by_one = inputs->count == 2 && !htp_is_constant(inputs->items[0]) &&
                     has_constant(m, call, "aten::div", 1);
    return are_whole &&
           (is_product || is_by_one || has_constant(m, call, "aten::to", HTP_SCALAR_LONG) ||
            htp_text_is_one_of(name, lines, sizeof(lines) / sizeof(lines[0])));
}

const htp_item *htp_coinciding_follows(htp_machine *m, const htp_call *call)
{
    const htp_item *follows = NULL;
    bool is_line = gives_line(m, call);
    for (size_t i = 0; i < call->inputs.count && is_line; i++) {
        const htp_item *input = call->inputs.items[i];
        if (!htp_is_constant(input)) {
            is_line = input->follows && (!follows || follows == input->follows);
            follows = input->follows;
        }
    }
    return is_line && follows && number_in(m, follows, 0).is_whole ? follows : NULL;
}

bool htp_coinciding_is_one(htp_machine *m, const htp_call *call, const htp_lanes *results)
{
    if (results->count != 1 || call->schema.is_mutable || gives_remainder(&call->schema) ||
        has_constant(m, call, "aten::mul", 0) || htp_coinciding_follows(m, call) ||
        !htp_coinciding_is_stepped(m, call, results) || is_condition(&results->lane[0][0])) {
        return false;
    }
    size_number first = number_of(m, &results->lane[0][0]);
    bool is_one = first.is_there && any_moves(m, &call->inputs);
    for (uint32_t lane = 0; lane < m->lane_count && is_one; lane++) {
        is_one = is_equal(number_of(m, &results->lane[lane][0]), first);
    }
    return is_one;
}

/* Equal texts mean equal numbers of one type. */
static void add_number(size_number number, htp_text *text)
{
    if (number.is_whole) {
        htp_text_addf(text, " %" PRId64, number.whole);
    } else {
        htp_text_addf(text, " %a", number.real);
    }
}

/* The lanes' values distinguish sizes; other data-dependent values count by identity. */
const char *htp_coinciding_formula(htp_machine *m, const htp_call *call)
{
    htp_text text = {.arena = m->arena};
    htp_text_add(&text, call->schema.kind);
    for (size_t i = 0; i < call->inputs.count; i++) {
        const htp_item *input = call->inputs.items[i];
        htp_text_add(&text, " of");
        for (uint32_t lane = 0; lane < m->lane_count; lane++) {
            size_number number = {0};
            if (htp_has_lanes(input)) {
                number = number_of(m, &input->lane[lane]);
            }
            if (number.is_there) {
                add_number(number, &text);
            } else {
                htp_text_addf(&text, " %%%u", (unsigned)input->id);
            }
        }
    }
    return htp_text_string(&text);
}

/* A view of unknown contents stays a view, since its memory may be changed through it. */
static htp_outcome hide_view(htp_machine *m, htp_call *call, htp_items *outputs)
{
    htp_lanes views = {0};
    HTP_DO(htp_call_run_lanes(m, call, HTP_MODE_SIZES, &views));
    return htp_call_make_outputs(m, call, HTP_MODE_SIZES, &views, true, outputs);
}

htp_outcome htp_coinciding_make(htp_machine *m, htp_call *call, const htp_lanes *results,
                                htp_items *outputs)
{
    m->sizes.has_flats = true;
    if (call->schema.return_count == 1 && call->schema.returns[0].is_alias) {
        return hide_view(m, call, outputs);
    }
    if (results->lane[0][0].kind != HTP_OPERAND_TENSOR) {
        return htp_call_make_unknown_numbers(m, call, outputs);
    }
    htp_trace_size size;
    HTP_DO(htp_sizes_of(m, htp_coinciding_formula(m, call), call->base_name, &size));
    htp_lanes made = htp_lanes_make(m, 1);
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        const htp_runner_tensor *like = results->lane[lane][0].as.tensor;
        htp_making making = {.way = HTP_MAKE_FILLED,
                             .type = like->type,
                             .rank = like->rank,
                             .dims = like->dims,
                             .number = size.sizes[lane],
                             .real = (double)size.sizes[lane]};
        const htp_runner_tensor *filled = NULL;
        HTP_DO(htp_tensor_make(m, &making, &filled));
        made.lane[lane][0] = (htp_operand){.kind = HTP_OPERAND_TENSOR, .as.tensor = filled};
    }
    return htp_call_make_outputs(m, call, HTP_MODE_REAL, &made, true, outputs);
}

/* ---- dims that coincide ---- */

static bool has_windows(const htp_call *call)
{
    static const char upsampling[] = "aten::upsample_";
    const char *name = call->schema.name;
    bool is_scaled = strncmp(name, upsampling, strlen(upsampling)) == 0 &&
                     strcmp(call->schema.overload, "vec") == 0 && call->inputs.count > 1 &&
                     htp_is_none(call->inputs.items[1]);
    return is_scaled || htp_call_has_fact(call, HTP_FACT_HAS_WINDOWS);
}

/* The operand of a named argument from index @p first on, or NULL. */
static const htp_item *find_operand(const htp_call *call, const char *name, size_t first)
{
    for (size_t i = first; i < call->inputs.count && i < call->schema.argument_count; i++) {
        if (strcmp(call->schema.arguments[i].name, name) == 0) {
            return call->inputs.items[i];
        }
    }
    return NULL;
}

/* Whether an operator's step along a dim exceeds one. */
static bool has_long_steps(const htp_call *call)
{
    const htp_item *step = find_operand(call, "step", 0);
    if (!step) {
        return false;
    }
    const htp_operand *value = &step->lane[0];
    return (value->kind == HTP_OPERAND_INT && value->as.i != 1) ||
           (value->kind == HTP_OPERAND_FLOAT && value->as.f != 1);
}

/* Whether a window exceeds a dim of the input in all lanes, including one with large sizes: it is a
 * single window, as in global pooling. */
static bool is_covered(const htp_machine *m, const htp_call *call, uint32_t dim)
{
    const htp_item *input = call->inputs.items[0];
    const htp_item *windows = find_operand(call, "kernel_size", 1);
    size_t from_end = htp_tensor_in(input, 0)->rank - dim;
    if (!windows || from_end > windows->elements.count) {
        return false;
    }
    const htp_operand *size = &windows->elements.items[windows->elements.count - from_end]->lane[0];
    bool is_larger = size->kind == HTP_OPERAND_INT;
    for (uint32_t lane = 0; lane < m->lane_count && is_larger; lane++) {
        is_larger = size->as.i > htp_tensor_in(input, lane)->dims[dim];
    }
    return is_larger;
}

/* Whether a dim of the first output is equal in all lanes, although the first input's differs. */
static htp_outcome compare_dim(htp_machine *m, const htp_call *call, const htp_lanes *results,
                               uint32_t dim, bool *is_flat)
{
    const htp_item *input = call->inputs.items[0];
    uint32_t rank = results->lane[0][0].as.tensor->rank;
    bool differs = !htp_item_is_fixed(m, input, dim);
    *is_flat = dim < rank;
    for (uint32_t lane = 1; lane < m->lane_count && *is_flat; lane++) {
        const htp_operand *result = &results->lane[lane][0];
        if (result->kind != HTP_OPERAND_TENSOR || result->as.tensor->rank <= dim) {
            return htp_machine_stop(m, HTP_FAILS, "its output's rank depends on a dynamic axis");
        }
        *is_flat = result->as.tensor->dims[dim] == results->lane[0][0].as.tensor->dims[dim];
    }
    *is_flat = *is_flat && differs;
    return HTP_GOES_ON;
}

/* The first such dim, or -1. */
static htp_outcome find_coinciding_dim(htp_machine *m, const htp_call *call,
                                       const htp_lanes *results, int64_t *found)
{
    const htp_item *input = call->inputs.items[0];
    *found = -1;
    for (uint32_t dim = 0; htp_is_tensor(input) && dim < htp_tensor_in(input, 0)->rank; dim++) {
        bool is_flat = false;
        HTP_DO(compare_dim(m, call, results, dim, &is_flat));
        if (is_flat && !is_covered(m, call, dim)) {
            *found = dim;
            return HTP_GOES_ON;
        }
    }
    return HTP_GOES_ON;
}

/* Whether the first output has equally many elements in all lanes. */
static bool has_one_count(const htp_machine *m, const htp_lanes *results)
{
    bool is_same = true;
    for (uint32_t lane = 1; lane < m->lane_count && is_same; lane++) {
        const htp_operand *result = &results->lane[lane][0];
        is_same = result->kind == HTP_OPERAND_TENSOR &&
                  result->as.tensor->elements == results->lane[0][0].as.tensor->elements;
    }
    return is_same;
}

/* How an operator walks along dims. */
typedef struct step_way {
    bool is_made;     /* a range with a step above one */
    bool is_windowed; /* sliding windows */
    bool is_padded;   /* widths computed by rounding */
    bool is_cut;      /* slices with a step above one */
} step_way;

static step_way find_way(const htp_call *call)
{
    const char *name = call->schema.name;
    bool is_padding = strcmp(name, "aten::pad") == 0 || strcmp(name, "aten::constant_pad_nd") == 0;
    bool is_range = strcmp(name, "aten::arange") == 0;
    bool is_cutting = strcmp(name, "aten::slice") == 0 || strcmp(name, "aten::unfold") == 0;
    return (step_way){
        .is_made = is_range && has_long_steps(call),
        .is_windowed = has_windows(call),
        .is_padded =
            is_padding && call->inputs.count > 1 && !htp_item_all(call->inputs.items[1], is_smooth),
        .is_cut = is_cutting && has_long_steps(call),
    };
}

/* Fails if the number of windows does not change. */
htp_outcome htp_coinciding_resize(htp_machine *m, htp_call *call, const htp_lanes *results,
                                  htp_lanes *resized, bool *is_done)
{
    step_way way = find_way(call);
    bool is_any = way.is_made || way.is_windowed || way.is_padded || way.is_cut;
    *is_done = false;
    if (m->lane_count == 1 || !is_any || call->inputs.count == 0 || results->count == 0 ||
        results->lane[0][0].kind != HTP_OPERAND_TENSOR) {
        return HTP_GOES_ON;
    }
    /* Windows as large as the tensor are always single; ranges and padding follow numbers. Steps
     * that grow with the size select equally many elements. */
    bool has_moving_step = way.is_cut && moves(m, find_operand(call, "step", 0), m->lane_count);
    if (any_moves(m, &call->inputs) != (way.is_made || way.is_padded) && !has_moving_step) {
        return HTP_GOES_ON;
    }
    int64_t dim;
    HTP_DO(find_coinciding_dim(m, call, results, &dim));
    if (way.is_made) {
        dim = has_one_count(m, results) ? 0 : -1;
    }
    if (dim < 0) {
        return HTP_GOES_ON;
    }
    if (way.is_windowed) {
        return htp_machine_stop(
            m, HTP_FAILS, "dim %" PRId64 " of its output has one size at all sizes that were tried",
            dim);
    }
    m->sizes.has_flats = true;
    *is_done = true;
    htp_trace_size size;
    HTP_DO(htp_recording_new_size(m, call->base_name, &size));
    return htp_sizes_run_with(m, call, &call->inputs, dim, &size, resized);
}
