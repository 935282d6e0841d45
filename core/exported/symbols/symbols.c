#include "exported/symbols/symbols.h"

#include "base/dtype.h"
#include "base/text.h"
#include "exported/symbols/data_sizes.h"
#include "exported/symbols/symbol_steps.h"
#include "exported/symbols/symbol_values.h"

#include <inttypes.h>
#include <string.h>

/* ---- reading ---- */

/* A malformed formula is an error; one with unknown functions only affects its user. */
static htp_status read_one(htp_status status, htp_arena *arena, const char **problem,
                           htp_exported_formula *formula)
{
    *problem = NULL;
    if (htp_status_code(status) != HTP_CODE_UNSUPPORTED) {
        return status;
    }
    *problem = htp_status_keep_message(arena, status);
    *formula = (htp_exported_formula){.steps = NULL};
    return HTP_OK;
}

static htp_status read_formulas(htp_exported_symbols *symbols)
{
    const htp_exported_program *program = symbols->program;
    htp_arena *arena = symbols->arena;
    size_t count = program->expressions.count;
    htp_exported_formula *formulas = HTP_NEW_ARRAY(arena, htp_exported_formula, count + 1);
    const char **problems = HTP_NEW_ARRAY(arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++) {
        HTP_TRY(read_one(htp_exported_formula_read(
                             &symbols->names, program->expressions.items[i].text, &formulas[i]),
                         arena, &problems[i], &formulas[i]));
    }
    symbols->formulas = formulas;
    symbols->problems = problems;
    return HTP_OK;
}

static htp_status read_guards(htp_exported_symbols *symbols)
{
    const htp_exported_program *program = symbols->program;
    htp_arena *arena = symbols->arena;
    htp_exported_formula *guards =
        HTP_NEW_ARRAY(arena, htp_exported_formula, (size_t)program->guard_count + 1);
    const char *problem = NULL;
    for (uint32_t i = 0; i < program->guard_count; i++) {
        HTP_TRY(read_one(htp_exported_guard_read(&symbols->names, program->guards[i], &guards[i]),
                         arena, &problem, &guards[i]));
    }
    symbols->guards = guards;
    return HTP_OK;
}

static void read_bounds(htp_exported_symbols *symbols)
{
    const htp_exported_program *program = symbols->program;
    htp_exported_bounds *bounds =
        HTP_NEW_ARRAY(symbols->arena, htp_exported_bounds, (size_t)symbols->symbol_count + 1);
    for (uint32_t i = 0; i < symbols->symbol_count; i++) {
        bounds[i] = (htp_exported_bounds){INT64_MIN, INT64_MAX};
    }
    for (uint32_t i = 0; i < program->range_count; i++) {
        const htp_exported_range *range = &program->ranges[i];
        uint32_t symbol = 0;
        if (htp_map_get(&symbols->names.known, range->symbol, &symbol)) {
            bounds[symbol] = (htp_exported_bounds){range->has_least ? range->least : INT64_MIN,
                                                   range->has_most ? range->most : INT64_MAX};
        }
    }
    symbols->bounds = bounds;
}

static void read_hints(htp_exported_symbols *symbols)
{
    int64_t *hints = HTP_NEW_ARRAY(symbols->arena, int64_t, (size_t)symbols->symbol_count + 1);
    for (uint32_t i = 0; i < symbols->program->expressions.count; i++) {
        const htp_exported_expression *expression = &symbols->program->expressions.items[i];
        const htp_exported_size size = {.expression = i};
        uint32_t symbol = htp_exported_symbols_alone(symbols, &size);
        bool fits = expression->hint >= 0 && expression->hint <= INT32_MAX;
        if (symbol != HTP_NONE && expression->has_hint && fits) {
            hints[symbol] = (int64_t)expression->hint;
        }
    }
    symbols->hints = hints;
}

/* Names of inputs in guards of strict programs. */
static const char *const *list_flat_paths(const htp_exported_symbols *symbols)
{
    uint32_t input_count = symbols->program->input_count;
    const char **paths = HTP_NEW_ARRAY(symbols->arena, const char *, (size_t)input_count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < input_count; i++) {
        if (symbols->paths[i]) {
            paths[i] = htp_arena_printf(symbols->arena, "flat_args.%u", count++);
        }
    }
    return paths;
}

/* Lists the places that guards name, without those whose flat names are equal. */
static void list_places(htp_exported_symbols *symbols)
{
    for (uint32_t i = 0; i < symbols->symbol_count; i++) {
        const char *name = symbols->names.strings.items[i];
        if (name[0] == 'L' && name[1] == '.') {
            const char *flat = htp_symbol_place_flat(symbols->arena, name);
            bool is_known = htp_map_get(&symbols->places, flat, NULL);
            htp_map_set(symbols->arena, &symbols->places, flat, is_known ? HTP_NONE : i);
        }
    }
}

/* The steps of checking one lane; a refused guard is written. */
static uint64_t count_steps(const htp_exported_symbols *symbols)
{
    enum { CHARACTERS = 4 }; /* that are written in the time of a step */
    const htp_exported_program *program = symbols->program;
    uint64_t steps =
        (uint64_t)program->input_count + program->expressions.count + symbols->symbol_count;
    for (uint32_t i = 0; i < program->guard_count; i++) {
        steps += symbols->guards[i].count + strlen(program->guards[i]) / CHARACTERS;
    }
    return steps;
}

htp_status htp_exported_symbols_read(htp_arena *arena, const htp_exported_program *program,
                                     const char *const *paths, htp_exported_symbols *symbols)
{
    *symbols = (htp_exported_symbols){
        .arena = arena, .program = program, .paths = paths, .names = {.arena = arena}};
    HTP_TRY(read_formulas(symbols));
    HTP_TRY(read_guards(symbols));
    symbols->symbol_count = (uint32_t)symbols->names.strings.count;
    list_places(symbols);
    symbols->found = HTP_NEW(arena, htp_map);
    symbols->sampled = HTP_NEW(arena, uint64_t);
    symbols->asked_by_one = count_steps(symbols);
    read_bounds(symbols);
    read_hints(symbols);
    symbols->flat_paths = list_flat_paths(symbols);
    for (uint32_t lane = 0; lane < HTP_MAX_LANES; lane++) {
        symbols->numbers[lane] =
            HTP_NEW_ARRAY(arena, htp_exported_number, (size_t)symbols->symbol_count + 1);
    }
    symbols->open = HTP_NEW_ARRAY(arena, const char *, (size_t)symbols->symbol_count + 1);
    symbols->examples = HTP_NEW_ARRAY(arena, const int64_t *, (size_t)symbols->symbol_count + 1);
    htp_symbol_steps_find(symbols);
    return HTP_OK;
}

/* ---- binding ---- */

/* Sets the number of an input's place in the arguments: by its path, or by its index among user
 * inputs, as strict programs write it. */
static void set_place(htp_exported_symbols *symbols, const char *root, uint32_t dim, uint32_t lane,
                      int64_t number)
{
    uint32_t symbol = htp_exported_symbols_place(symbols, root, dim);
    if (symbol != HTP_NONE) {
        symbols->numbers[lane][symbol] = htp_exported_integer(number);
    }
}

static htp_status refuse(const htp_exported_symbols *symbols, uint32_t input, const char *reason)
{
    return htp_status_make(HTP_CODE_USAGE, "input \"%s\": %s",
                           htp_text_printable(symbols->arena, symbols->paths[input]), reason);
}

static const char *describe_type(const htp_exported_symbols *symbols, htp_dtype dtype,
                                 uint32_t rank)
{
    return htp_arena_printf(symbols->arena, "a %s of rank %u", htp_dtype_name(dtype), rank);
}

static htp_status check_type(const htp_exported_symbols *symbols, uint32_t input,
                             const htp_exported_value *value, const htp_input *given)
{
    bool is_tensor = value->kind == HTP_TRACE_TENSOR;
    bool is_alike = is_tensor ? !given->is_scalar && !given->is_nested && !given->is_none &&
                                    given->dtype == value->dtype && given->rank == value->rank
                              : given->is_scalar;
    return is_alike
               ? HTP_OK
               : refuse(symbols, input,
                        htp_arena_printf(symbols->arena, "the program takes %s here alone",
                                         is_tensor
                                             ? describe_type(symbols, value->dtype, value->rank)
                                             : "a number"));
}

/* Visits the sizes of inputs and their numbers, in the lanes from @p first on. */
typedef htp_status (*size_fn)(htp_exported_symbols *symbols, uint32_t input, uint32_t dim,
                              const htp_exported_size *size, uint32_t lane, int64_t number);

/* Saturates: the largest integer of a file is 2^63 as a double, which no int64 holds. */
static int64_t saturated(double number)
{
    return number >= 0x1p63 ? INT64_MAX : number >= -0x1p63 ? (int64_t)number : INT64_MIN;
}

static htp_status each_size(htp_exported_symbols *symbols, const htp_input *const *given,
                            uint32_t first, size_fn visit)
{
    const htp_exported_program *program = symbols->program;
    for (uint32_t i = 0; i < program->input_count; i++) {
        const htp_exported_argument *argument = &program->inputs[i].argument;
        if (!given[i] || argument->kind != HTP_EXPORTED_VALUE) {
            continue;
        }
        const htp_exported_value *value = &program->values.items[argument->value];
        HTP_TRY(check_type(symbols, i, value, given[i]));
        for (uint32_t lane = first; lane < symbols->lane_count; lane++) {
            for (uint32_t d = 0; value->kind == HTP_TRACE_TENSOR && d < value->rank; d++) {
                HTP_TRY(visit(symbols, i, d, &value->sizes[d], lane, given[i]->dims[lane][d]));
            }
            if (value->kind == HTP_TRACE_INT && !given[i]->is_open) {
                HTP_TRY(
                    visit(symbols, i, HTP_NONE, &value->number, lane, saturated(given[i]->scalar)));
            }
        }
    }
    return HTP_OK;
}

/* A size that is a symbol gives it its number. */
static htp_status take_symbol(htp_exported_symbols *symbols, uint32_t input, uint32_t dim,
                              const htp_exported_size *size, uint32_t lane, int64_t number)
{
    uint32_t symbol = htp_exported_symbols_alone(symbols, size);
    set_place(symbols, symbols->paths[input], dim, lane, number);
    set_place(symbols, symbols->flat_paths[input], dim, lane, number);
    if (symbol != HTP_NONE && !symbols->numbers[lane][symbol].kind) {
        symbols->numbers[lane][symbol] = htp_exported_integer(number);
    }
    return HTP_OK;
}

/* The only symbol of a formula without a number; HTP_NONE if there are none or several. */
static uint32_t find_open(const htp_exported_symbols *symbols, const htp_exported_formula *formula,
                          uint32_t lane)
{
    uint32_t found = HTP_NONE;
    for (uint32_t i = 0; i < formula->count; i++) {
        const htp_exported_step *step = &formula->steps[i];
        uint32_t symbol = (uint32_t)step->number.whole;
        if (step->operation == HTP_EXPORTED_SYMBOL && !symbols->numbers[lane][symbol].kind) {
            if (found != HTP_NONE && found != symbol) {
                return HTP_NONE;
            }
            found = symbol;
        }
    }
    return found;
}

/* Solves a formula for the given value, as if it were a·x + b, which two values determine. */
static htp_exported_number solve(htp_exported_symbols *symbols, const htp_exported_size *size,
                                 uint32_t symbol, uint32_t lane, int64_t number)
{
    enum { FIRST = 64 };
    htp_exported_number *open = &symbols->numbers[lane][symbol];
    *open = htp_exported_integer(FIRST);
    const htp_exported_number at_first = htp_exported_symbols_value(symbols, size, lane);
    *open = htp_exported_integer(FIRST + 1);
    const htp_exported_number at_second = htp_exported_symbols_value(symbols, size, lane);
    *open = (htp_exported_number){.kind = HTP_EXPORTED_UNKNOWN};
    int64_t step = 0;
    int64_t away = 0;
    bool is_known = htp_exported_is_integer(&at_first) && htp_exported_is_integer(&at_second) &&
                    !__builtin_sub_overflow(at_second.whole, at_first.whole, &step) &&
                    !__builtin_sub_overflow(number, at_first.whole, &away) && step != 0 &&
                    step != -1 && away % step == 0;
    return is_known ? htp_exported_integer(FIRST + away / step)
                    : (htp_exported_number){.kind = HTP_EXPORTED_UNKNOWN};
}

/* A formula with one open symbol gives it a number. */
static htp_status take_formula(htp_exported_symbols *symbols, uint32_t input, uint32_t dim,
                               const htp_exported_size *size, uint32_t lane, int64_t number)
{
    (void)input;
    (void)dim;
    uint32_t symbol = size->expression == HTP_NONE
                          ? HTP_NONE
                          : find_open(symbols, &symbols->formulas[size->expression], lane);
    if (symbol != HTP_NONE) {
        symbols->numbers[lane][symbol] = solve(symbols, size, symbol, lane, number);
    }
    return HTP_OK;
}

/* All sizes must agree with the program. */
static htp_status check_size(htp_exported_symbols *symbols, uint32_t input, uint32_t dim,
                             const htp_exported_size *size, uint32_t lane, int64_t number)
{
    const htp_exported_number value = htp_exported_symbols_value(symbols, size, lane);
    if (htp_exported_is_integer(&value) && value.whole == number) {
        return HTP_OK;
    }
    const char *what =
        dim == HTP_NONE ? "the number" : htp_arena_printf(symbols->arena, "axis %u", dim);
    if (size->expression == HTP_NONE) {
        return refuse(symbols, input,
                      htp_arena_printf(symbols->arena,
                                       "%s is %" PRId64 " in the program, and cannot be %" PRId64
                                       ": it was not dynamic in torch.export",
                                       what, size->number, number));
    }
    const char *text = symbols->program->expressions.items[size->expression].text;
    return refuse(symbols, input,
                  htp_arena_printf(symbols->arena,
                                   "%s cannot be %" PRId64 " beside the other sizes: it is "
                                   "\"%.200s\"",
                                   what, number, htp_text_printable(symbols->arena, text)));
}

/* ---- guards ---- */

/* Where a symbol got its number, for messages: the first input size equal to it. */
static const char *describe_symbol(const htp_exported_symbols *symbols, uint32_t symbol)
{
    const htp_exported_program *program = symbols->program;
    for (uint32_t i = 0; i < program->input_count; i++) {
        const htp_exported_argument *argument = &program->inputs[i].argument;
        bool is_value = symbols->paths[i] && argument->kind == HTP_EXPORTED_VALUE;
        const htp_exported_value *value = is_value ? &program->values.items[argument->value] : NULL;
        for (uint32_t d = 0; value && value->kind == HTP_TRACE_TENSOR && d < value->rank; d++) {
            if (htp_exported_symbols_alone(symbols, &value->sizes[d]) == symbol) {
                return htp_arena_printf(symbols->arena, "axis %u of input \"%s\"", d,
                                        htp_text_printable(symbols->arena, symbols->paths[i]));
            }
        }
    }
    return htp_text_printable(symbols->arena, symbols->names.strings.items[symbol]);
}

static htp_status check_bounds(const htp_exported_symbols *symbols, uint32_t lane)
{
    for (uint32_t i = 0; i < symbols->symbol_count; i++) {
        const htp_exported_bounds *bounds = &symbols->bounds[i];
        const htp_exported_number *number = &symbols->numbers[lane][i];
        if (!number->kind || htp_exported_symbols_is_data(symbols, i)) {
            continue;
        }
        if (number->whole < bounds->least || number->whole > bounds->most) {
            const char *side = number->whole < bounds->least ? "least" : "most";
            return htp_status_make(HTP_CODE_USAGE,
                                   "%s is %" PRId64 ": the program takes at %s %" PRId64,
                                   describe_symbol(symbols, i), number->whole, side,
                                   number->whole < bounds->least ? bounds->least : bounds->most);
        }
    }
    return HTP_OK;
}

/* A guard that cannot be evaluated holds only for the exported sizes. */
static bool guard_holds(const htp_exported_symbols *symbols, uint32_t guard, uint32_t lane,
                        bool is_as_exported)
{
    const htp_exported_number holds = htp_exported_formula_value(
        &symbols->guards[guard], symbols->numbers[lane], symbols->symbol_count);
    return is_as_exported || (holds.kind == HTP_EXPORTED_TRUTH && holds.whole);
}

/* Whether all input sizes are those of torch.export. */
static bool is_as_exported(const htp_exported_symbols *symbols, uint32_t lane)
{
    bool is_as = true;
    for (size_t i = 0; i < symbols->program->expressions.count && is_as; i++) {
        const htp_exported_expression *expression = &symbols->program->expressions.items[i];
        const htp_exported_size size = {.expression = (uint32_t)i};
        uint32_t symbol = htp_exported_symbols_alone(symbols, &size);
        is_as = symbol == HTP_NONE || !expression->has_hint ||
                (double)symbols->numbers[lane][symbol].whole == expression->hint;
    }
    return is_as;
}

static htp_status check_guards(const htp_exported_symbols *symbols, uint32_t lane)
{
    bool is_as = is_as_exported(symbols, lane);
    for (uint32_t i = 0; i < symbols->program->guard_count; i++) {
        if (!guard_holds(symbols, i, lane, is_as)) {
            return htp_status_make(HTP_CODE_USAGE, "the program asks of its sizes that %.200s",
                                   htp_text_printable(symbols->arena, symbols->program->guards[i]));
        }
    }
    return HTP_OK;
}

/* ---- arguments that stay inputs ---- */

/* The symbol that an argument is, if it is a number that stays an input; HTP_NONE. */
static uint32_t open_symbol(const htp_exported_symbols *symbols, const htp_input *const *given,
                            uint32_t input)
{
    const htp_exported_argument *argument = &symbols->program->inputs[input].argument;
    bool is_open = given[input] && given[input]->is_open && argument->kind == HTP_EXPORTED_VALUE;
    const htp_exported_value *value =
        is_open ? &symbols->program->values.items[argument->value] : NULL;
    return value && value->kind == HTP_TRACE_INT
               ? htp_exported_symbols_alone(symbols, &value->number)
               : HTP_NONE;
}

static void note_open(htp_exported_symbols *symbols, const htp_input *const *given)
{
    memset(symbols->open, 0, symbols->symbol_count * sizeof(*symbols->open));
    for (uint32_t i = 0; i < symbols->program->input_count; i++) {
        uint32_t symbol = open_symbol(symbols, given, i);
        if (symbol != HTP_NONE) {
            symbols->open[symbol] = symbols->paths[i];
        }
    }
}

/* Guards may speak of the argument instead of the symbol. */
static void place_open(htp_exported_symbols *symbols, const htp_input *const *given, uint32_t first)
{
    for (uint32_t i = 0; i < symbols->program->input_count; i++) {
        uint32_t symbol = open_symbol(symbols, given, i);
        for (uint32_t lane = first; lane < symbols->lane_count && symbol != HTP_NONE; lane++) {
            int64_t number = symbols->numbers[lane][symbol].whole;
            set_place(symbols, symbols->paths[i], HTP_NONE, lane, number);
            set_place(symbols, symbols->flat_paths[i], HTP_NONE, lane, number);
        }
    }
}

/* ---- all of it ---- */

/* Gives the symbols their numbers in the lanes from one on. */
static htp_status bind_lanes(htp_exported_symbols *symbols, const htp_input *const *given,
                             uint32_t first, uint32_t end)
{
    symbols->lane_count = end;
    for (uint32_t lane = first; lane < end; lane++) {
        memset(symbols->numbers[lane], 0, symbols->symbol_count * sizeof(*symbols->numbers[lane]));
    }
    note_open(symbols, given);
    htp_data_sizes_make_up(symbols);
    place_open(symbols, given, first);
    HTP_TRY(each_size(symbols, given, first, take_symbol));
    HTP_TRY(each_size(symbols, given, first, take_formula));
    HTP_TRY(each_size(symbols, given, first, check_size));
    for (uint32_t lane = first; lane < end; lane++) {
        HTP_TRY(check_bounds(symbols, lane));
        HTP_TRY(check_guards(symbols, lane));
    }
    return HTP_OK;
}

htp_status htp_exported_symbols_bind(htp_exported_symbols *symbols, const htp_input *const *given,
                                     uint32_t lane_count)
{
    return bind_lanes(symbols, given, 0, lane_count);
}

bool htp_exported_symbols_take(htp_exported_symbols *symbols, const htp_input *const *given,
                               uint32_t lane)
{
    enum { MOST_WORK = 1 << 28 };
    if (symbols->asked > MOST_WORK) {
        return false;
    }
    symbols->asked += symbols->asked_by_one;
    htp_status status = bind_lanes(symbols, given, lane, lane + 1);
    bool takes = !status;
    htp_status_free(status);
    return takes;
}
