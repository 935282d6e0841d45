#include "exported/axes/axes.h"

#include "base/checked.h"
#include "base/text.h"
#include "source/input_search/bounds.h"

#include <string.h>

/* ---- sizes of inputs ---- */

/* From paths to inputs of the program. */
static htp_map list_inputs(const htp_exported_symbols *symbols)
{
    htp_map inputs = {0};
    for (uint32_t i = 0; i < symbols->program->input_count; i++) {
        if (symbols->paths[i]) {
            htp_map_set(symbols->arena, &inputs, symbols->paths[i], i);
        }
    }
    return inputs;
}

/* The program's formula of a dim; NULL if it has no such input. */
static const htp_exported_size *find_size(const htp_exported_symbols *symbols,
                                          const htp_map *inputs, const char *path, uint32_t dim)
{
    uint32_t input = 0;
    if (!htp_map_get(inputs, path, &input)) {
        return NULL;
    }
    const htp_exported_argument *argument = &symbols->program->inputs[input].argument;
    const htp_exported_value *value = argument->kind == HTP_EXPORTED_VALUE
                                          ? &symbols->program->values.items[argument->value]
                                          : NULL;
    return value && value->kind == HTP_TRACE_TENSOR && dim < value->rank ? &value->sizes[dim]
                                                                         : NULL;
}

/* A size of the form factor·symbol + offset. */
struct line {
    uint32_t symbol; /* HTP_NONE: another form */
    int64_t factor;
    int64_t offset;
};

/* Whether a number from the file is safe to compute with. */
static bool is_small(const htp_exported_number *number)
{
    return htp_exported_is_integer(number) && number->whole > -INT32_MAX &&
           number->whole < INT32_MAX;
}

/* Any other form: a factor without a symbol, unlike a number, whose factor is 0. */
static const struct line no_line = {.symbol = HTP_NONE, .factor = -1};

/* Combines two lines; one may be a number. With another form, the result is one, too. */
static struct line combine(htp_exported_operation operation, struct line a, struct line b)
{
    if (operation == HTP_EXPORTED_MULTIPLY && a.factor != 0) {
        return b.factor != 0 ? no_line : combine(operation, b, a);
    }
    bool is_sum =
        operation == HTP_EXPORTED_ADD && (a.symbol == b.symbol || a.factor == 0 || b.factor == 0);
    bool is_product = operation == HTP_EXPORTED_MULTIPLY && a.factor == 0;
    struct line made = {.symbol = a.factor != 0 ? a.symbol : b.symbol};
    if (is_sum && made.symbol != HTP_NONE) {
        made.factor = a.factor + b.factor;
        made.offset = a.offset + b.offset;
    } else if (is_product) {
        made.factor = a.offset * b.factor;
        made.offset = a.offset * b.offset;
    }
    const htp_exported_number factor = htp_exported_integer(made.factor);
    const htp_exported_number offset = htp_exported_integer(made.offset);
    return made.factor != 0 && is_small(&factor) && is_small(&offset) ? made : no_line;
}

/* The line of a size. */
static struct line line_of(const htp_exported_symbols *symbols, const htp_exported_size *size)
{
    enum { HIGHEST = 8 };
    struct line stack[HIGHEST];
    uint32_t height = 0;
    const htp_exported_formula none = {.steps = NULL};
    const htp_exported_formula *formula =
        size->expression == HTP_NONE ? &none : &symbols->formulas[size->expression];
    for (uint32_t i = 0; i < formula->count; i++) {
        const htp_exported_step *step = &formula->steps[i];
        if (step->operation == HTP_EXPORTED_SYMBOL && height < HIGHEST) {
            stack[height++] = (struct line){(uint32_t)step->number.whole, 1, 0};
        } else if (step->operation == HTP_EXPORTED_NUMBER && height < HIGHEST &&
                   is_small(&step->number)) {
            stack[height++] = (struct line){HTP_NONE, 0, step->number.whole};
        } else if (height >= 2) {
            height--;
            stack[height - 1] = combine(step->operation, stack[height - 1], stack[height]);
        } else {
            return no_line;
        }
    }
    return height == 1 && stack[0].symbol != HTP_NONE && stack[0].factor > 0 ? stack[0] : no_line;
}

/* ---- axes ---- */

/* State of the search for axes. */
struct finding {
    const htp_exported_symbols *symbols;
    htp_axes *axes;
    uint32_t *dim_of;   /* by symbol: the dim that determines its value; or HTP_NONE */
    struct line *lines; /* by symbol: the line of that dim */
};

/* Appends the steps of factor·((dim - offset) / its factor) + offset, which maps one line of a
 * symbol to another. */
static const htp_size_formula *follow(const struct finding *finding, const struct line *line)
{
    htp_size_formula *formula = HTP_NEW(finding->axes->arena, htp_size_formula);
    const struct line *shown = &finding->lines[line->symbol];
    const htp_size_formula_step steps[] = {
        {HTP_SIZE_AXIS, finding->dim_of[line->symbol]},
        {HTP_SIZE_NUMBER, shown->offset},
        {HTP_SIZE_SUBTRACT, 0},
        {HTP_SIZE_NUMBER, shown->factor},
        {HTP_SIZE_FLOOR, 0},
        {HTP_SIZE_NUMBER, line->factor},
        {HTP_SIZE_MULTIPLY, 0},
        {HTP_SIZE_NUMBER, line->offset},
        {HTP_SIZE_ADD, 0},
    };
    formula->count = sizeof(steps) / sizeof(*steps);
    memcpy(formula->steps, steps, sizeof(steps));
    return formula;
}

/* Operations of programs' formulas and their counterparts in formulas of axes. */
static const struct {
    htp_exported_operation from;
    htp_size_formula_kind to;
} kinds[] = {
    {HTP_EXPORTED_ADD, HTP_SIZE_ADD},           {HTP_EXPORTED_SUBTRACT, HTP_SIZE_SUBTRACT},
    {HTP_EXPORTED_MULTIPLY, HTP_SIZE_MULTIPLY}, {HTP_EXPORTED_LARGER, HTP_SIZE_LARGER},
    {HTP_EXPORTED_SMALLER, HTP_SIZE_SMALLER},
};

static bool push_operation(htp_size_formula *formula, htp_exported_operation operation)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (kinds[i].from == operation) {
            return htp_size_formula_push(formula, kinds[i].to, 0);
        }
    }
    return false;
}

/* A formula over several symbols, each with a dim; NULL if that is impossible. */
static const htp_size_formula *translate(const struct finding *finding,
                                         const htp_exported_formula *from)
{
    htp_size_formula *formula = HTP_NEW(finding->axes->arena, htp_size_formula);
    bool fits = true;
    for (uint32_t i = 0; i < from->count && fits; i++) {
        const htp_exported_step *step = &from->steps[i];
        uint32_t symbol = (uint32_t)step->number.whole;
        if (step->operation == HTP_EXPORTED_NUMBER) {
            fits = is_small(&step->number) &&
                   htp_size_formula_push(formula, HTP_SIZE_NUMBER, step->number.whole);
        } else if (step->operation == HTP_EXPORTED_SYMBOL) {
            const struct line *shown = &finding->lines[symbol];
            fits = finding->dim_of[symbol] != HTP_NONE && shown->factor == 1 &&
                   shown->offset == 0 &&
                   htp_size_formula_push(formula, HTP_SIZE_AXIS, finding->dim_of[symbol]);
        } else {
            fits = push_operation(formula, step->operation);
        }
    }
    return fits && from->count > 0 ? formula : NULL;
}

/* A size that cannot be followed fixes all symbols in it. */
static void fix_all(const struct finding *finding, uint32_t dim,
                    const htp_exported_formula *formula)
{
    finding->axes->is_fixed[finding->axes->axis_of[dim]] = true;
    for (uint32_t i = 0; i < formula->count; i++) {
        const htp_exported_step *step = &formula->steps[i];
        uint32_t shown =
            step->operation == HTP_EXPORTED_SYMBOL ? finding->dim_of[step->number.whole] : HTP_NONE;
        if (shown != HTP_NONE) {
            finding->axes->is_fixed[finding->axes->axis_of[shown]] = true;
        }
    }
}

/* The dims of the inputs, with the program's formulas. */
static const htp_exported_size *const *list_sizes(const htp_exported_symbols *symbols,
                                                  const htp_axes *axes)
{
    const htp_map inputs = list_inputs(symbols);
    const htp_exported_size **sizes =
        HTP_NEW_ARRAY(axes->arena, const htp_exported_size *, (size_t)axes->count + 1);
    for (uint32_t i = 0; i < axes->count; i++) {
        const htp_axes_dim *dim = &axes->dims[i];
        sizes[i] = find_size(symbols, &inputs, axes->given->paths[dim->input].text, dim->dim);
    }
    return sizes;
}

/* Finds the dims of symbols: the first that equals the symbol, else one that is a line of it. */
static void show_symbols(struct finding *finding, const htp_exported_size *const *sizes,
                         bool is_alone)
{
    for (uint32_t i = 0; i < finding->axes->count; i++) {
        const struct line line = sizes[i] ? line_of(finding->symbols, sizes[i]) : no_line;
        bool counts =
            line.symbol != HTP_NONE && (!is_alone || (line.factor == 1 && line.offset == 0));
        if (counts && finding->dim_of[line.symbol] == HTP_NONE) {
            finding->dim_of[line.symbol] = i;
            finding->lines[line.symbol] = line;
        }
    }
}

static void set_axis(const struct finding *finding, uint32_t dim, const htp_exported_size *size)
{
    htp_axes *axes = finding->axes;
    const struct line line = line_of(finding->symbols, size);
    const htp_exported_formula *program_formula = &finding->symbols->formulas[size->expression];
    const bool is_line = line.symbol != HTP_NONE;
    const struct line shown = is_line ? finding->lines[line.symbol] : no_line;
    uint32_t at = is_line ? finding->dim_of[line.symbol] : HTP_NONE;
    if (at == dim) {
        return;
    }
    bool is_same = is_line && shown.factor == line.factor && shown.offset == line.offset;
    const htp_size_formula *formula =
        is_line ? follow(finding, &line) : translate(finding, program_formula);
    bool is_set = is_same   ? htp_axes_join(axes, at, dim)
                  : formula ? htp_axes_set_formula(axes, dim, formula)
                            : false;
    if (!is_set) {
        fix_all(finding, dim, program_formula);
    }
}

/* Whether the program is known to accept other sizes of all symbols in a formula. */
static bool may_move(const struct finding *finding, const htp_exported_size *size)
{
    const htp_exported_formula *formula = &finding->symbols->formulas[size->expression];
    bool may = true;
    for (uint32_t i = 0; i < formula->count && may; i++) {
        const htp_exported_step *step = &formula->steps[i];
        may = step->operation != HTP_EXPORTED_SYMBOL ||
              finding->symbols->steps[step->number.whole] > 0;
    }
    return may;
}

void htp_exported_axes_find(const htp_exported_symbols *symbols, htp_axes *axes)
{
    struct finding finding = {
        .symbols = symbols,
        .axes = axes,
        .dim_of = HTP_NEW_ARRAY(axes->arena, uint32_t, (size_t)symbols->symbol_count + 1),
        .lines = HTP_NEW_ARRAY(axes->arena, struct line, (size_t)symbols->symbol_count + 1),
    };
    memset(finding.dim_of, 0xff, symbols->symbol_count * sizeof(*finding.dim_of));
    const htp_exported_size *const *sizes = list_sizes(symbols, axes);
    show_symbols(&finding, sizes, true);
    show_symbols(&finding, sizes, false);
    for (uint32_t i = 0; i < axes->count; i++) {
        axes->is_fixed[i] =
            !sizes[i] || sizes[i]->expression == HTP_NONE || !may_move(&finding, sizes[i]);
    }
    for (uint32_t i = 0; i < axes->count; i++) {
        if (!axes->is_fixed[i] && sizes[i]) {
            set_axis(&finding, i, sizes[i]);
        }
    }
}

/* ---- bounds ---- */

/* The bound of a size at a bound of its symbol; numbers beyond sizes do not bound it. */
static int64_t at_end(const struct line *line, int64_t end)
{
    const htp_exported_number number = htp_exported_integer(end);
    return is_small(&number) ? line->factor * end + line->offset : 0;
}

/* Narrows a bound by the range of a symbol. @return whether there is one */
static bool narrow(const htp_exported_symbols *symbols, const struct line *line, htp_bound *bound)
{
    const htp_exported_bounds *of = &symbols->bounds[line->symbol];
    const int64_t below = symbols->leasts[line->symbol];
    const int64_t step = symbols->steps[line->symbol] * line->factor;
    const htp_bound declared = {
        .least = at_end(line, below > of->least ? below : of->least),
        .most = at_end(line, symbols->mosts[line->symbol]),
        .step = step > 1 ? step : 0,
        .rest = step > 1 ? symbols->hints[line->symbol] * line->factor + line->offset : 0,
        .is_declared = true};
    htp_bound_narrow(bound, &declared);
    return declared.least > 1 || declared.most > 0 || declared.step > 1;
}

bool htp_exported_axes_bound(const htp_exported_symbols *symbols, const htp_inputs *inputs)
{
    bool says_any = false;
    const htp_map known = list_inputs(symbols);
    for (uint32_t i = 0; i < inputs->count; i++) {
        for (uint32_t d = 0; d < inputs->items[i].rank; d++) {
            uint32_t axis = inputs->dim_axes[i][d];
            const htp_exported_size *size =
                axis == HTP_NONE || inputs->axes[axis].formula
                    ? NULL
                    : find_size(symbols, &known, inputs->paths[i].text, d);
            const struct line line = size ? line_of(symbols, size) : no_line;
            if (line.symbol != HTP_NONE) {
                says_any = narrow(symbols, &line, &inputs->bounds[axis]) || says_any;
            }
        }
    }
    return says_any;
}
