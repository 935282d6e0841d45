#include "exported/symbols/data_sizes.h"

#include "base/checked.h"
#include "exported/symbols/symbol_steps.h"

enum {
    MANY_DIVISORS = 5040,     /* programs split selections into equal parts */
    SPECIAL = 8,              /* sizes up to it */
    FIRST_LARGEST = 56,       /* of the multiples of MANY_DIVISORS */
    MOST_DRAWN = 64,          /* attempts for numbers that no other symbol has */
    MOST_EVALUATED = 1 << 22, /* steps of formulas per call */
};

struct making {
    htp_exported_symbols *symbols;
    htp_map lines;      /* the lines on which the numbers of symbols lie, see line_of() */
    int64_t largest;    /* of drawn numbers, before they are multiplied */
    uint64_t chance;    /* of the last drawn number */
    uint64_t evaluated; /* steps of formulas */
};

static int64_t draw(struct making *making, int64_t least, int64_t most)
{
    making->chance = making->chance * 6364136223846793005U + 1442695040888963407U; /* MMIX */
    return least + (int64_t)((making->chance >> 33) % ((uint64_t)(most - least) + 1));
}

/* ---- numbers that tell symbols apart ---- */

/* The numbers of a symbol in all lanes, up to a factor and a distance: two symbols of one line
 * would be taken for multiples of each other. */
struct line {
    int64_t away[HTP_MAX_LANES]; /* from the first lane, in lowest terms */
};

/* @param numbers  by lane
 * @return whether the numbers are known, and differ between the first lane and the second */
static bool line_through(const htp_exported_number *numbers, uint32_t lane_count, struct line *line)
{
    int64_t divisor = 0;
    *line = (struct line){{0}};
    for (uint32_t lane = 0; lane < lane_count; lane++) {
        if (!htp_exported_is_integer(&numbers[lane]) ||
            __builtin_sub_overflow(numbers[lane].whole, numbers[0].whole, &line->away[lane]) ||
            line->away[lane] == INT64_MIN) {
            return false;
        }
        divisor = htp_common_divisor(line->away[lane], divisor);
    }
    for (uint32_t lane = 0; lane < lane_count && divisor != 0; lane++) {
        line->away[lane] /= line->away[1] < 0 ? -divisor : divisor;
    }
    return lane_count > 1 && line->away[1] != 0;
}

/* @return whether the numbers are known, and rise from the first lane to the second: what is equal
 * in these two is then no sum or product of symbols */
static bool line_of(const htp_exported_symbols *symbols, uint32_t symbol, struct line *line)
{
    htp_exported_number numbers[HTP_MAX_LANES];
    for (uint32_t lane = 0; lane < symbols->lane_count; lane++) {
        numbers[lane] = symbols->numbers[lane][symbol];
    }
    return line_through(numbers, symbols->lane_count, line) && numbers[1].whole > numbers[0].whole;
}

/* @return whether no line like it was noted before */
static bool add_line(struct making *making, const struct line *line)
{
    uint32_t known = 0;
    const void **key =
        htp_map_add_bytes(making->symbols->arena, &making->lines, line, sizeof(*line), &known);
    if (key) {
        *key = htp_arena_copy(making->symbols->arena, line, sizeof(*line));
    }
    return key != NULL;
}

/* Notes the line of a symbol. @return whether it has one of its own */
static bool note_line(struct making *making, uint32_t symbol)
{
    struct line line;
    return line_of(making->symbols, symbol, &line) && add_line(making, &line);
}

static void note_lines_of_inputs(struct making *making)
{
    for (uint32_t i = 0; i < making->symbols->symbol_count; i++) {
        if (!htp_exported_symbols_is_data(making->symbols, i)) {
            (void)note_line(making, i);
        }
    }
}

/* ---- first numbers ---- */

static void set(struct making *making, uint32_t symbol, uint32_t lane, int64_t number)
{
    making->symbols->numbers[lane][symbol] = htp_exported_integer(number);
}

/* Multiples of @p factor between two others of it, rising from the first lane to the second. */
static void draw_all(struct making *making, uint32_t symbol, int64_t factor, int64_t least,
                     int64_t most)
{
    htp_exported_symbols *symbols = making->symbols;
    for (uint32_t lane = 0; lane < symbols->lane_count; lane++) {
        set(making, symbol, lane, factor * draw(making, least, most));
    }
    const htp_exported_number first = symbols->numbers[0][symbol];
    if (symbols->lane_count > 1 && first.whole > symbols->numbers[1][symbol].whole) {
        symbols->numbers[0][symbol] = symbols->numbers[1][symbol];
        symbols->numbers[1][symbol] = first;
    }
}

/* Two lanes alone tell no lines. */
static bool is_apart(struct making *making, uint32_t symbol)
{
    struct line line;
    const uint32_t lane_count = making->symbols->lane_count;
    return lane_count < 2 ||
           (lane_count == 2 ? line_of(making->symbols, symbol, &line) : note_line(making, symbol));
}

/* Rather in the upper half of the bounds, far from special sizes. Where these have too few numbers
 * for all symbols, there are others. */
static void make_up(struct making *making, uint32_t symbol)
{
    const htp_exported_bounds *bounds = &making->symbols->bounds[symbol];
    const int64_t least = bounds->least < 0 ? 0 : bounds->least;
    const int64_t middle = least + (bounds->most - least) / 2;
    const int64_t beyond = least / MANY_DIVISORS + 1;
    const bool is_bounded = bounds->most > least &&
                            bounds->most - least >= (int64_t)HTP_MAX_LANES &&
                            bounds->most / MANY_DIVISORS < beyond + making->largest;
    bool is_done = false;
    making->largest += (int64_t)HTP_MAX_LANES;
    for (uint32_t i = 0; i < MOST_DRAWN && !is_done && is_bounded; i++) {
        draw_all(making, symbol, 1, middle > SPECIAL ? middle : least + (least == 0), bounds->most);
        is_done = is_apart(making, symbol);
    }
    for (uint32_t i = 0; i < MOST_DRAWN && !is_done && beyond < INT32_MAX; i++) {
        draw_all(making, symbol, MANY_DIVISORS, beyond, beyond + making->largest);
        is_done = is_apart(making, symbol);
    }
}

/* Guards speak of arguments, so these have numbers that guards take. */
static void take_examples(struct making *making, uint32_t symbol)
{
    const int64_t *examples = htp_symbol_steps_examples(making->symbols, symbol);
    for (uint32_t lane = 0; lane < making->symbols->lane_count; lane++) {
        set(making, symbol, lane, examples[lane]);
    }
    (void)note_line(making, symbol);
}

/* ---- numbers that show what dims follow ---- */

static htp_exported_number value_of(struct making *making, uint32_t expression, uint32_t lane)
{
    const htp_exported_size size = {.expression = expression};
    making->evaluated += making->symbols->formulas[expression].count;
    return htp_exported_symbols_value(making->symbols, &size, lane);
}

static bool is_still(struct making *making, uint32_t expression)
{
    bool is_still = true;
    const htp_exported_number first = value_of(making, expression, 0);
    for (uint32_t lane = 1; lane < making->symbols->lane_count; lane++) {
        const htp_exported_number number = value_of(making, expression, lane);
        is_still = is_still && htp_exported_is_integer(&number) && number.whole == first.whole;
    }
    return is_still;
}

/* ---- numbers that a dim has room for ---- */

static bool is_negative(struct making *making, uint32_t expression)
{
    bool is_negative = false;
    for (uint32_t lane = 0; lane < making->symbols->lane_count; lane++) {
        const htp_exported_number number = value_of(making, expression, lane);
        is_negative = is_negative || (htp_exported_is_integer(&number) && number.whole < 0);
    }
    return is_negative;
}

/* Visits the symbols of a dim that the data decides. @return whether @p visit returned true for all
 */
static bool each_symbol(struct making *making, uint32_t expression,
                        bool (*visit)(struct making *making, uint32_t symbol, int64_t with),
                        int64_t with)
{
    const htp_exported_formula *formula = &making->symbols->formulas[expression];
    bool is_done = true;
    for (uint32_t i = 0; i < formula->count && is_done; i++) {
        const htp_exported_step *step = &formula->steps[i];
        uint32_t symbol = (uint32_t)step->number.whole;
        if (step->operation == HTP_EXPORTED_SYMBOL && !making->symbols->open[symbol] &&
            htp_exported_symbols_is_data(making->symbols, symbol)) {
            is_done = visit(making, symbol, with);
        }
    }
    return is_done;
}

/* @return whether no line like it is noted; it is not noted yet */
static bool draw_small(struct making *making, uint32_t symbol, int64_t most)
{
    struct line line;
    const int64_t bound = making->symbols->bounds[symbol].least;
    const int64_t least = bound > 1 ? bound : 1;
    draw_all(making, symbol, 1, least, least > most ? least : most);
    return line_of(making->symbols, symbol, &line) &&
           !htp_map_get_bytes(&making->lines, &line, sizeof(line), NULL);
}

static bool note_small(struct making *making, uint32_t symbol, int64_t most)
{
    (void)most;
    return is_apart(making, symbol);
}

/* Whether a dim is no multiple of another one, or of a symbol. */
static bool dim_is_apart(struct making *making, uint32_t expression)
{
    htp_exported_number numbers[HTP_MAX_LANES];
    struct line line;
    for (uint32_t lane = 0; lane < making->symbols->lane_count; lane++) {
        numbers[lane] = value_of(making, expression, lane);
    }
    return line_through(numbers, making->symbols->lane_count, &line) &&
           (making->symbols->lane_count == 2 || add_line(making, &line));
}

/* A dim that is what some sizes leave of another one: these are drawn from smaller and smaller
 * numbers. */
static void fit_dim(struct making *making, uint32_t expression)
{
    enum { FIRST_MOST = 4096, LAST_MOST = 3 };
    bool fits = !is_negative(making, expression);
    for (int64_t most = FIRST_MOST; most >= LAST_MOST && !fits; most -= (most + 3) / 4) {
        for (uint32_t i = 0; i < MOST_DRAWN && !fits && making->evaluated < MOST_EVALUATED; i++) {
            fits = each_symbol(making, expression, draw_small, most) &&
                   !is_negative(making, expression) && dim_is_apart(making, expression) &&
                   each_symbol(making, expression, note_small, most);
        }
    }
}

/* Whether a dim in the first lane would be another one with this number for a symbol. */
static bool changes(struct making *making, uint32_t expression, uint32_t symbol, int64_t number)
{
    htp_exported_number *place = &making->symbols->numbers[0][symbol];
    const htp_exported_number kept = *place;
    const htp_exported_number before = value_of(making, expression, 0);
    *place = htp_exported_integer(number);
    const htp_exported_number after = value_of(making, expression, 0);
    *place = kept;
    return htp_exported_is_integer(&after) && after.whole >= 0 && after.whole != before.whole;
}

/* The largest number below that of the first lane which changes a dim, between halvings of it; -1
 * without one. */
static int64_t find_below(struct making *making, uint32_t expression, uint32_t symbol)
{
    int64_t beyond = making->symbols->numbers[0][symbol].whole;
    int64_t below = beyond / 2;
    while (below > 0 && making->evaluated < MOST_EVALUATED &&
           !changes(making, expression, symbol, below)) {
        beyond = below;
        below /= 2;
    }
    if (!changes(making, expression, symbol, below)) {
        return -1;
    }
    while (below + 1 < beyond) {
        const int64_t middle = below + (beyond - below) / 2;
        bool does = changes(making, expression, symbol, middle);
        below = does ? middle : below;
        beyond = does ? beyond : middle;
    }
    return below;
}

/* Gives a symbol smaller numbers in the later lanes, where a dim does not follow it otherwise. */
static void lower(struct making *making, uint32_t expression, uint32_t symbol)
{
    htp_exported_symbols *symbols = making->symbols;
    const htp_exported_bounds *bounds = &symbols->bounds[symbol];
    const int64_t most = find_below(making, expression, symbol);
    const int64_t least = bounds->least > 0 ? bounds->least : most > 0;
    const uint32_t first = symbols->lane_count > 3 ? 2 : symbols->lane_count - 1;
    htp_exported_number kept[HTP_MAX_LANES];
    for (uint32_t lane = 0; lane < symbols->lane_count; lane++) {
        kept[lane] = symbols->numbers[lane][symbol];
    }
    bool is_done = false;
    for (uint32_t i = 0; i < MOST_DRAWN && most >= least && !is_done; i++) {
        for (uint32_t lane = first; lane < symbols->lane_count; lane++) {
            set(making, symbol, lane, draw(making, least, most));
        }
        is_done = !is_still(making, expression) && is_apart(making, symbol);
    }
    for (uint32_t lane = 0; lane < symbols->lane_count && !is_done; lane++) {
        symbols->numbers[lane][symbol] = kept[lane];
    }
}

static bool lower_still(struct making *making, uint32_t symbol, int64_t expression)
{
    if (making->evaluated < MOST_EVALUATED && is_still(making, (uint32_t)expression)) {
        lower(making, (uint32_t)expression, symbol);
    }
    return true;
}

/* A dim that does not move although the data decides symbols in it. */
static void move_dim(struct making *making, uint32_t expression)
{
    (void)each_symbol(making, expression, lower_still, expression);
}

/* Visits the dims that have formulas. */
static void each_dim(struct making *making, void (*visit)(struct making *, uint32_t))
{
    const htp_exported_program *program = making->symbols->program;
    for (size_t i = 0; i < program->values.count; i++) {
        const htp_exported_value *value = &program->values.items[i];
        for (uint32_t d = 0; value->kind == HTP_TRACE_TENSOR && d < value->rank; d++) {
            if (value->sizes[d].expression != HTP_NONE && making->evaluated < MOST_EVALUATED) {
                visit(making, value->sizes[d].expression);
            }
        }
    }
}

/* ---- all of it ---- */

void htp_data_sizes_make_up(htp_exported_symbols *symbols)
{
    struct making making = {.symbols = symbols, .largest = FIRST_LARGEST};
    symbols->data_sizes.count = 0;
    if (!htp_exported_symbols_have_data(symbols)) {
        return;
    }
    note_lines_of_inputs(&making);
    for (uint32_t i = 0; i < symbols->symbol_count; i++) {
        if (symbols->open[i]) {
            take_examples(&making, i);
        } else if (htp_exported_symbols_is_data(symbols, i)) {
            make_up(&making, i);
        }
    }
    if (symbols->lane_count > 1) {
        each_dim(&making, fit_dim);
        each_dim(&making, move_dim);
    }
    for (uint32_t i = 0; i < symbols->symbol_count; i++) {
        const char *argument = symbols->open[i];
        htp_trace_size size = {.name = argument ? argument : symbols->names.strings.items[i]};
        for (uint32_t lane = 0; lane < symbols->lane_count; lane++) {
            size.sizes[lane] = symbols->numbers[lane][i].whole;
        }
        if (htp_exported_symbols_is_data(symbols, i)) {
            HTP_PUSH(symbols->arena, &symbols->data_sizes, size);
        }
    }
}
