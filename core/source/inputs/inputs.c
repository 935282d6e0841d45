/*
 * Matches specifications with the method's arguments.
 */
#include "source/inputs/inputs.h"

#include "base/checked.h"
#include "base/dtype.h"
#include "source/inputs/specification.h"

#include <string.h>

/* State of matching: inputs by argument, in the given order. */
struct matching {
    htp_arena *arena;
    const htp_argument *arguments;
    uint32_t argument_count;
    htp_specification *specifications;
    htp_input_path *paths; /* by specification */
    uint32_t *places;      /* by specification: its input */
    size_t count;
    htp_map symbols;
};

static const char *argument_names(const struct matching *m)
{
    htp_text text = {.arena = m->arena};
    for (uint32_t i = 0; i < m->argument_count; i++) {
        htp_text_addf(&text, "%s%s", i ? ", " : "", m->arguments[i].name);
    }
    return m->argument_count ? htp_text_string(&text) : "none";
}

static htp_status find_argument(const struct matching *m, size_t position, uint32_t *index)
{
    const htp_specification *specification = &m->specifications[position];
    if (*specification->name == '\0') {
        *index = (uint32_t)position;
        return position < m->argument_count
                   ? HTP_OK
                   : htp_status_make(HTP_CODE_USAGE,
                                     "input \"%s\": there are no more arguments; they are: %s",
                                     specification->text, argument_names(m));
    }
    for (uint32_t i = 0; i < m->argument_count; i++) {
        if (strcmp(m->arguments[i].name, specification->name) == 0) {
            *index = i;
            return HTP_OK;
        }
    }
    return htp_status_make(HTP_CODE_USAGE,
                           "input \"%s\": there is no argument \"%s\"; the arguments are: %s",
                           specification->text, specification->name, argument_names(m));
}

static bool accepts_scalar(htp_trace_kind kind, htp_dtype dtype)
{
    return (kind == HTP_TRACE_INT && dtype == HTP_DTYPE_INT64) ||
           (kind == HTP_TRACE_FLOAT && dtype != HTP_DTYPE_BOOL) ||
           (kind == HTP_TRACE_BOOL && dtype == HTP_DTYPE_BOOL);
}

/* The tracer checks the parts of a tuple, list or dict. */
static htp_status check_kind(const struct matching *m, const htp_specification *specification,
                             const htp_argument *argument)
{
    bool is_list = argument->kind == HTP_TRACE_LIST;
    bool fits = argument->kind == HTP_TRACE_TENSOR;
    if (specification->part_count > 0 || specification->is_empty) {
        fits = is_list;
    } else if (specification->is_scalar) {
        fits = accepts_scalar(argument->kind, specification->dtype);
    }
    if (fits) {
        return HTP_OK;
    }
    const char *form = htp_inputs_form(m->arena, argument, argument->name);
    bool is_number = argument->kind == HTP_TRACE_INT || argument->kind == HTP_TRACE_FLOAT ||
                     argument->kind == HTP_TRACE_BOOL;
    return htp_status_make(HTP_CODE_USAGE, "input \"%s\": argument \"%s\" has type %s%s%s%s",
                           specification->text, argument->name, argument->type,
                           form ? "; pass" : "", form ? form : "",
                           form && is_number ? ", or without =VALUE to keep it an input" : "");
}

/* Adds the axes of a formula in their order, which messages will use. Their sizes are set by the
 * dims that name them. */
static void add_axes_of(struct matching *m, htp_inputs *inputs, const char *formula)
{
    for (const char *at = formula; *at;) {
        size_t length = htp_size_formula_name_length(at);
        const char *name = htp_arena_printf(m->arena, "%.*s", (int)length, at);
        bool is_call = at[length] == '(';
        if (length > 0 && !is_call && !htp_map_get(&m->symbols, name, NULL)) {
            uint32_t axis = htp_inputs_add_axis(m->arena, inputs, (htp_axis){name, {0}, NULL});
            htp_map_set(m->arena, &m->symbols, name, axis);
        }
        at += length > 0 ? length : 1;
    }
}

/* The axis named @p symbol, added if it is new. */
static htp_status find_axis(struct matching *m, htp_inputs *inputs, const htp_dim *dim,
                            uint32_t *index)
{
    if (!htp_map_get(&m->symbols, dim->symbol, index)) {
        *index = htp_inputs_add_axis(m->arena, inputs, (htp_axis){dim->symbol, {dim->size}, NULL});
        htp_map_set(m->arena, &m->symbols, dim->symbol, *index);
    }
    int64_t *known = &inputs->axes[*index].sizes[0];
    *known = *known == 0 ? dim->size : *known;
    int64_t size = *known;
    if (size != dim->size) {
        return htp_status_make(HTP_CODE_USAGE,
                               "axis \"%s\" has sizes %lld and %lld; one name has one size",
                               dim->symbol, (long long)size, (long long)dim->size);
    }
    return HTP_OK;
}

static htp_status fill(struct matching *m, const htp_specification *specification,
                       htp_inputs *inputs, uint32_t index)
{
    htp_input *input = &inputs->items[index];
    input->is_none = false;
    input->is_nested = specification->is_empty;
    input->is_scalar = specification->is_scalar;
    input->is_open = specification->is_open;
    input->scalar = specification->scalar;
    input->dtype = specification->dtype;
    input->rank = specification->rank;
    inputs->dim_axes[index] = HTP_NEW_ARRAY(m->arena, uint32_t, input->rank);
    for (uint32_t d = 0; d < input->rank; d++) {
        const htp_dim *dim = &specification->dims[d];
        input->dims[0][d] = dim->size;
        inputs->dim_axes[index][d] = HTP_NONE;
        if (dim->symbol && dim->size > 0 && htp_size_formula_is_name(dim->symbol)) {
            HTP_TRY(find_axis(m, inputs, dim, &inputs->dim_axes[index][d]));
        }
    }
    return HTP_OK;
}

/* The error of a formula with an axis of unknown size, or NULL. */
static const char *find_unknown(htp_arena *arena, const htp_inputs *inputs,
                                const htp_size_formula *formula)
{
    for (uint32_t i = 0; i < formula->count; i++) {
        const htp_size_formula_step *step = &formula->steps[i];
        if (step->kind == HTP_SIZE_AXIS && inputs->axes[step->number].sizes[0] == 0) {
            return htp_size_formula_no_size(arena, inputs->axes[step->number].symbol);
        }
    }
    return NULL;
}

/* Computes sizes from those of all named axes. */
static htp_status fill_formulas(struct matching *m, const htp_specification *specification,
                                htp_inputs *inputs, uint32_t index)
{
    for (uint32_t d = 0; d < specification->rank; d++) {
        const htp_dim *dim = &specification->dims[d];
        if (!dim->symbol || inputs->dim_axes[index][d] != HTP_NONE) {
            continue;
        }
        htp_size_formula *formula = HTP_NEW(m->arena, htp_size_formula);
        const char *problem = htp_size_formula_parse(m->arena, dim->symbol, &m->symbols, formula);
        problem = problem ? problem : find_unknown(m->arena, inputs, formula);
        problem = problem ? problem : htp_inputs_set_formula(m->arena, inputs, formula, index, d);
        if (problem) {
            return htp_status_make(HTP_CODE_USAGE, "input \"%s\": %s", specification->text,
                                   problem);
        }
        int64_t size = inputs->items[index].dims[0][d];
        if (dim->size > 0 && dim->size != size) {
            return htp_status_make(HTP_CODE_USAGE, "input \"%s\": %s is %lld, not %lld",
                                   specification->text, dim->symbol, (long long)size,
                                   (long long)dim->size);
        }
    }
    return HTP_OK;
}

static htp_status check_left_out(htp_arena *arena, const htp_argument *argument)
{
    if (argument->is_optional) {
        return HTP_OK;
    }
    const char *form = htp_inputs_form(arena, argument, argument->name);
    if (!form) {
        return htp_status_make(HTP_CODE_UNSUPPORTED,
                               "argument \"%s\" has type %s, which cannot be a model's input; wrap "
                               "the module in one that takes tensors",
                               argument->name, argument->type);
    }
    bool is_tensor = argument->kind == HTP_TRACE_TENSOR;
    bool is_number = argument->kind == HTP_TRACE_INT || argument->kind == HTP_TRACE_FLOAT ||
                     argument->kind == HTP_TRACE_BOOL;
    return htp_status_make(HTP_CODE_USAGE, "argument \"%s\" is missing; pass%s%s%s%s",
                           argument->name, form, is_tensor ? ", for example " : "",
                           is_tensor ? argument->name : "",
                           is_tensor   ? ":float32[2,8]"
                           : is_number ? "; without =VALUE it stays an input of the model"
                                       : "");
}

static bool has_small_formula(const htp_inputs *inputs)
{
    bool is_small = false;
    for (uint32_t i = 0; i < inputs->axis_count; i++) {
        for (uint32_t lane = 0; inputs->axes[i].formula && lane < inputs->lane_count; lane++) {
            is_small = is_small || inputs->axes[i].sizes[lane] < 1;
        }
    }
    return is_small;
}

/* Chooses lanes for the given inputs, and checks that no required one is missing. */
static htp_status complete(htp_arena *arena, htp_inputs *inputs, const htp_argument *arguments)
{
    uint32_t second = 0;
    if (!htp_inputs_nest(arena, inputs, &second)) {
        return htp_status_make(HTP_CODE_USAGE, "input \"%s\" is given twice",
                               inputs->paths[second].text);
    }
    if (!htp_inputs_choose_lanes(arena, inputs, 0) && has_small_formula(inputs)) {
        return htp_status_make(HTP_CODE_USAGE,
                               "a formula is below 1 at every choice of other sizes "
                               "for its axes; give them larger ones");
    }
    for (uint32_t i = 0; i < inputs->count; i++) {
        const htp_input *input = &inputs->items[i];
        const htp_input_path *path = &inputs->paths[i];
        if (!input->is_none) {
            if (!htp_input_fits(input, inputs->lane_count)) {
                return htp_status_make(HTP_CODE_USAGE, "input \"%s\" is too large", path->text);
            }
        } else if (path->depth == 0) {
            HTP_TRY(check_left_out(arena, &arguments[path->argument]));
        }
    }
    return HTP_OK;
}

static htp_status read_specifications(struct matching *m, const char *const *texts)
{
    for (size_t i = 0; i < m->count; i++) {
        htp_specification *specification = &m->specifications[i];
        htp_input_path *path = &m->paths[i];
        HTP_TRY(htp_specification_parse(m->arena, texts[i], specification));
        HTP_TRY(find_argument(m, i, &path->argument));
        const htp_argument *argument = &m->arguments[path->argument];
        HTP_TRY(check_kind(m, specification, argument));
        path->parts = specification->parts;
        path->depth = specification->part_count;
        htp_text text = {.arena = m->arena};
        htp_text_add(&text, argument->name);
        for (uint32_t part = 0; part < path->depth; part++) {
            htp_text_addf(&text, ".%s", path->parts[part]);
        }
        path->text = htp_text_string(&text);
    }
    return HTP_OK;
}

/* @return by argument, and one more: the index of its first input. An argument without inputs has
 * one that is left out. */
static uint32_t *place_arguments(const struct matching *m)
{
    uint32_t *places = HTP_NEW_ARRAY(m->arena, uint32_t, (size_t)m->argument_count + 1);
    for (size_t i = 0; i < m->count; i++) {
        places[m->paths[i].argument + 1]++;
    }
    for (uint32_t i = 0; i < m->argument_count; i++) {
        places[i + 1] = places[i] + (places[i + 1] ? places[i + 1] : 1);
    }
    return places;
}

static htp_inputs all_left_out(const struct matching *m, const uint32_t *places,
                               htp_input_path *paths)
{
    uint32_t count = places[m->argument_count];
    htp_inputs inputs = {
        .items = HTP_NEW_ARRAY(m->arena, htp_input, count),
        .paths = paths,
        .count = count,
        .argument_count = m->argument_count,
        .lane_count = 1,
        .dim_axes = HTP_NEW_ARRAY(m->arena, uint32_t *, count),
    };
    for (uint32_t i = 0; i < m->argument_count; i++) {
        paths[places[i]] = (htp_input_path){.text = m->arguments[i].name, .argument = i};
        inputs.items[places[i]].is_none = true;
    }
    return inputs;
}

htp_status htp_inputs_parse(htp_arena *arena, const char *const *specifications, size_t count,
                            const htp_argument *arguments, uint32_t argument_count,
                            htp_inputs *inputs)
{
    struct matching m = {
        .arena = arena,
        .arguments = arguments,
        .argument_count = argument_count,
        .specifications = HTP_NEW_ARRAY(arena, htp_specification, count),
        .paths = HTP_NEW_ARRAY(arena, htp_input_path, count),
        .places = HTP_NEW_ARRAY(arena, uint32_t, count),
        .count = count,
    };
    HTP_TRY(read_specifications(&m, specifications));
    uint32_t *places = place_arguments(&m);
    htp_input_path *paths =
        HTP_NEW_ARRAY(arena, htp_input_path, (size_t)places[argument_count] + 1);
    *inputs = all_left_out(&m, places, paths);
    for (size_t i = 0; i < count; i++) {
        for (uint32_t d = 0; d < m.specifications[i].rank; d++) {
            const char *symbol = m.specifications[i].dims[d].symbol;
            if (symbol && !htp_size_formula_is_name(symbol)) {
                add_axes_of(&m, inputs, symbol);
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t place = places[m.paths[i].argument]++;
        paths[place] = m.paths[i];
        m.places[i] = place;
        HTP_TRY(fill(&m, &m.specifications[i], inputs, place));
    }
    for (size_t i = 0; i < count; i++) {
        HTP_TRY(fill_formulas(&m, &m.specifications[i], inputs, m.places[i]));
    }
    return complete(arena, inputs, arguments);
}

/* ---- inputs of the archive ---- */

static uint32_t count_leaves(const htp_input *input)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < input->count; i++) {
        count += count_leaves(&input->items[i]);
    }
    return count ? count : 1;
}

/* Adds an input and its nested ones; paths include those of containers. */
static void flatten(htp_arena *arena, const htp_input *input, htp_input_path path,
                    htp_inputs *inputs, htp_input_path *paths)
{
    for (uint32_t i = 0; i < input->count; i++) {
        const char **parts =
            htp_arena_grow(arena, path.parts, path.depth, (size_t)path.depth + 1, sizeof(*parts));
        parts[path.depth] = input->items[i].name;
        const htp_input_path inner = {
            .text = htp_arena_printf(arena, "%s.%s", path.text, input->items[i].name),
            .argument = path.argument,
            .parts = parts,
            .depth = path.depth + 1,
        };
        flatten(arena, &input->items[i], inner, inputs, paths);
    }
    if (input->count == 0) {
        uint32_t index = inputs->count++;
        inputs->items[index] = *input;
        inputs->dim_axes[index] = HTP_NEW_ARRAY(arena, uint32_t, input->rank);
        memset(inputs->dim_axes[index], 0xff, input->rank * sizeof(uint32_t));
        paths[index] = path;
    }
}

htp_status htp_inputs_archived(htp_arena *arena, const htp_input *archived, uint32_t archived_count,
                               const htp_argument *arguments, uint32_t argument_count,
                               htp_inputs *inputs)
{
    if (archived_count > argument_count) {
        return htp_status_make(HTP_CODE_USAGE,
                               "the archive holds %u inputs, but there are %u arguments; pass "
                               "--input",
                               archived_count, argument_count);
    }
    static const htp_input left_out = {.is_none = true};
    uint32_t count = 0;
    for (uint32_t i = 0; i < argument_count; i++) {
        count += i < archived_count ? count_leaves(&archived[i]) : 1;
    }
    htp_input_path *paths = HTP_NEW_ARRAY(arena, htp_input_path, count);
    *inputs = (htp_inputs){
        .items = HTP_NEW_ARRAY(arena, htp_input, count),
        .paths = paths,
        .argument_count = argument_count,
        .dim_axes = HTP_NEW_ARRAY(arena, uint32_t *, count),
    };
    for (uint32_t i = 0; i < argument_count; i++) {
        const htp_input_path path = {.text = arguments[i].name, .argument = i};
        flatten(arena, i < archived_count ? &archived[i] : &left_out, path, inputs, paths);
    }
    return complete(arena, inputs, arguments);
}
