/*
 * Guards on several sizes together: checked for lanes, and in words.
 */
#include "base/text.h"
#include "exported/axes/axes.h"

#include <string.h>

/* The user of htp_inputs.takes: checks whether the program accepts the sizes of a lane. */
struct taker {
    htp_exported_symbols *symbols;
    const uint32_t *item_of; /* by input of the program: index of the input; HTP_NONE: none */
    const htp_input **given; /* by input of the program */
};

static bool take(void *user, const htp_inputs *inputs, uint32_t lane)
{
    const struct taker *taker = user;
    for (uint32_t i = 0; i < taker->symbols->program->input_count; i++) {
        taker->given[i] = taker->item_of[i] == HTP_NONE ? NULL : &inputs->items[taker->item_of[i]];
    }
    return htp_exported_symbols_take(taker->symbols, taker->given, lane);
}

/* By input of the program: the input at its path. */
static const uint32_t *match_inputs(const htp_exported_symbols *symbols, const htp_inputs *inputs)
{
    htp_map items = {0};
    uint32_t count = symbols->program->input_count;
    uint32_t *item_of = HTP_NEW_ARRAY(symbols->arena, uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; i < inputs->count; i++) {
        htp_map_set(symbols->arena, &items, inputs->paths[i].text, i);
    }
    for (uint32_t i = 0; i < count; i++) {
        item_of[i] = HTP_NONE;
        if (symbols->paths[i]) {
            (void)htp_map_get(&items, symbols->paths[i], &item_of[i]);
        }
    }
    return item_of;
}

/* ---- in words ---- */

/* The dim of an input, or the number, that a guard names. */
struct given_dim {
    bool is_known;
    uint32_t axis;      /* HTP_NONE: fixed, or a number */
    int64_t size;       /* in the example */
    const char *number; /* the path of a number that stays an input; NULL */
};

struct telling {
    htp_arena *arena;
    const htp_inputs *inputs;
    const htp_exported_symbols *symbols;
    const struct given_dim *dims; /* by symbol of a place */
    bool *is_meant;               /* by axis: a guard depends on it */
    bool has_number;              /* a guard depends on a number that stays an input */
};

/* Notes a dim by its place below a root, whether or not a guard names it. */
static void note_dim(const struct telling *telling, const char *root, uint32_t item, uint32_t dim,
                     struct given_dim *dims)
{
    const htp_inputs *inputs = telling->inputs;
    uint32_t symbol = htp_exported_symbols_place(telling->symbols, root, dim);
    if (symbol != HTP_NONE) {
        dims[symbol] = (struct given_dim){true, inputs->dim_axes[item][dim],
                                          inputs->items[item].dims[0][dim], NULL};
    }
}

/* The same for a number that stays an input, or that is the example's. */
static void note_number(const struct telling *telling, const char *root, uint32_t input,
                        struct given_dim *dims)
{
    const htp_exported_symbols *symbols = telling->symbols;
    const htp_exported_argument *argument = &symbols->program->inputs[input].argument;
    uint32_t place = htp_exported_symbols_place(symbols, root, HTP_NONE);
    if (place == HTP_NONE || argument->kind != HTP_EXPORTED_VALUE) {
        return;
    }
    const htp_exported_value *value = &symbols->program->values.items[argument->value];
    uint32_t symbol = value->kind == HTP_TRACE_INT
                          ? htp_exported_symbols_alone(symbols, &value->number)
                          : HTP_NONE;
    if (symbol != HTP_NONE) {
        dims[place] =
            (struct given_dim){true, HTP_NONE, symbols->hints[symbol], symbols->open[symbol]};
    }
}

static struct telling begin(const htp_exported_symbols *symbols, const htp_inputs *inputs,
                            const uint32_t *item_of)
{
    htp_arena *arena = symbols->arena;
    struct given_dim *dims =
        HTP_NEW_ARRAY(arena, struct given_dim, (size_t)symbols->symbol_count + 1);
    struct telling telling = {.arena = arena,
                              .inputs = inputs,
                              .symbols = symbols,
                              .dims = dims,
                              .is_meant =
                                  HTP_NEW_ARRAY(arena, bool, (size_t)inputs->axis_count + 1)};
    for (uint32_t i = 0; i < symbols->program->input_count; i++) {
        uint32_t item = item_of[i];
        for (uint32_t d = 0; item != HTP_NONE && d < inputs->items[item].rank; d++) {
            note_dim(&telling, symbols->paths[i], item, d, dims);
            note_dim(&telling, symbols->flat_paths[i], item, d, dims);
        }
        if (item != HTP_NONE && inputs->items[item].is_scalar) {
            note_number(&telling, symbols->paths[i], i, dims);
            note_number(&telling, symbols->flat_paths[i], i, dims);
        }
    }
    return telling;
}

/* Adds the name of a dim or number, and notes the axes that it follows. */
static void add_dim(struct telling *telling, const struct given_dim *dim, htp_text *text)
{
    uint32_t index = dim->axis;
    if (dim->number) {
        htp_text_add(text, dim->number);
        telling->has_number = true;
        return;
    }
    if (index == HTP_NONE) {
        htp_text_addf(text, "%lld", (long long)dim->size);
        return;
    }
    const htp_axis *axis = &telling->inputs->axes[index];
    htp_text_addf(text, axis->formula ? "(%s)" : "%s", axis->symbol);
    telling->is_meant[index] = !axis->formula;
    for (uint32_t i = 0; axis->formula && i < axis->formula->count; i++) {
        const htp_size_formula_step *step = &axis->formula->steps[i];
        if (step->kind == HTP_SIZE_AXIS) {
            telling->is_meant[step->number] = true;
        }
    }
}

/* Writes a guard with the names of axes. @return whether several axes that move, or a number that
 * stays an input, are in it */
static bool tell_guard(struct telling *telling, const char *guard, htp_text *text)
{
    memset(telling->is_meant, 0, telling->inputs->axis_count * sizeof(*telling->is_meant));
    telling->has_number = false;
    for (const char *at = guard; *at;) {
        const char *place = htp_exported_guard_place(telling->arena, &at);
        uint32_t symbol;
        if (!place) {
            htp_text_add_bytes(text, at++, 1);
        } else if (htp_map_get(&telling->symbols->names.known, place, &symbol) &&
                   telling->dims[symbol].is_known) {
            add_dim(telling, &telling->dims[symbol], text);
        } else {
            return false;
        }
    }
    uint32_t meant = 0;
    for (uint32_t i = 0; i < telling->inputs->axis_count; i++) {
        meant += telling->is_meant[i];
    }
    return meant > 1 || telling->has_number;
}

/* The steps of axes of which a guard asks something together with a number are those beside the
 * number of the example: they choose sizes, and are not told. */
static void share_steps(const struct telling *telling)
{
    const htp_inputs *inputs = telling->inputs;
    for (uint32_t i = 0; i < inputs->axis_count && telling->has_number; i++) {
        inputs->bounds[i].is_step_shared = inputs->bounds[i].is_step_shared || telling->is_meant[i];
    }
}

/* Writes "a + ((-1)*b)", the form of differences in guards, as "a - b". */
static const char *write_differences(htp_arena *arena, const char *rest)
{
    static const char sign[] = " + ((-1)*";
    htp_text text = {.arena = arena};
    for (const char *found; (found = strstr(rest, sign)) != NULL;) {
        const char *name = found + strlen(sign);
        size_t bytes = strcspn(name, "()");
        bool is_name = name[bytes] == ')';
        htp_text_add_bytes(&text, rest, (size_t)(found - rest));
        htp_text_add(&text, is_name ? " - " : sign);
        htp_text_add_bytes(&text, name, is_name ? bytes : 0);
        rest = is_name ? name + bytes + 1 : name;
    }
    htp_text_add(&text, rest);
    return htp_text_string(&text);
}

/* The guards on several axes that move by themselves, and on numbers that stay inputs, in words;
 * NULL: none. */
static const char *tell_all(const htp_exported_symbols *symbols, const htp_inputs *inputs,
                            const uint32_t *item_of)
{
    enum { LONGEST = 96, MOST = 6 };
    struct telling telling = begin(symbols, inputs, item_of);
    htp_symbol_samples *samples = htp_exported_symbols_sample(symbols);
    htp_text all = {.arena = symbols->arena};
    uint32_t added = 0;
    uint32_t more = 0;
    for (uint32_t i = 0; i < symbols->program->guard_count; i++) {
        htp_text text = {.arena = symbols->arena};
        if (!tell_guard(&telling, symbols->program->guards[i], &text) ||
            !htp_exported_symbols_restricts(samples, i)) {
            continue;
        }
        share_steps(&telling);
        if (text.length > LONGEST || added == MOST) {
            more++;
            continue;
        }
        const char *written = write_differences(symbols->arena, htp_text_string(&text));
        htp_text_addf(&all, "%s%s", added++ > 0 ? ", " : "where ",
                      htp_text_printable(symbols->arena, written));
    }
    if (more > 0) {
        htp_text_addf(&all, "%s%u condition%s of several sizes%s", added > 0 ? " and " : "where ",
                      more, more == 1 ? "" : "s", more == 1 ? " holds" : " hold");
    }
    return all.length > 0 ? htp_text_string(&all) : NULL;
}

/* "steps from 1 to 5", of numbers that stay inputs. */
static void tell_numbers(const htp_exported_symbols *symbols, htp_text *text)
{
    for (uint32_t i = 0; i < symbols->symbol_count; i++) {
        if (!symbols->open[i]) {
            continue;
        }
        const int64_t least = symbols->ranges[i].least;
        const int64_t most = symbols->ranges[i].most;
        if (least == INT64_MIN && most == INT64_MAX) {
            continue;
        }
        htp_text_addf(text, "%s%s", text->length > 0 ? "; " : "",
                      htp_text_printable(symbols->arena, symbols->open[i]));
        if (least > INT64_MIN) {
            htp_text_addf(text, " from %lld", (long long)least);
        }
        if (most < INT64_MAX) {
            htp_text_addf(text, " to %lld", (long long)most);
        } else {
            htp_text_add(text, " on");
        }
    }
}

bool htp_exported_axes_ask(htp_exported_symbols *symbols, htp_inputs *inputs)
{
    htp_arena *arena = symbols->arena;
    htp_text text = {.arena = arena};
    struct taker *taker = HTP_NEW(arena, struct taker);
    *taker = (struct taker){
        .symbols = symbols,
        .item_of = match_inputs(symbols, inputs),
        .given = HTP_NEW_ARRAY(arena, const htp_input *, (size_t)symbols->program->input_count + 1),
    };
    /* If the program does not accept the example, the trace reports why. */
    bool takes = take(taker, inputs, 0);
    bool has_guards = takes && symbols->program->guard_count > 0;
    bool asks = has_guards && inputs->axis_count > 0;
    if (takes) {
        htp_exported_symbols_find_ranges(symbols);
        tell_numbers(symbols, &text);
    }
    const char *asked = has_guards ? tell_all(symbols, inputs, taker->item_of) : NULL;
    if (asked) {
        htp_text_addf(&text, "%s%s", text.length > 0 ? "; " : "", asked);
    }
    inputs->taker = taker;
    inputs->takes = asks ? take : NULL;
    inputs->asked = text.length > 0 ? htp_text_string(&text) : NULL;
    return asks || text.length > 0;
}
