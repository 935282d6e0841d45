#include "source/input_search/equation.h"

#include "base/checked.h"

/* The form of a number in all lanes: (factors axes + number) / divisor, or factor a b. */
struct form {
    uint32_t axes[2];
    int64_t factors[2];
    uint32_t count;
    int64_t number;
    int64_t divisor;
    bool is_product; /* of both axes, times factors[0] */
};

struct reader {
    const htp_inputs *inputs;
    const int64_t *value;
};

static int64_t size_of(const struct reader *r, uint32_t axis, uint32_t lane)
{
    return r->inputs->axes[axis].sizes[lane];
}

/* Whether products of two such numbers can be added. */
static bool is_small(int64_t number)
{
    return number > INT32_MIN / 2 && number < INT32_MAX / 2;
}

/* Whether a form matches in all lanes. Sizes and factors are below 2^31. */
static bool fits(const struct reader *r, const struct form *form)
{
    bool does_fit = is_small(form->number) && is_small(form->factors[0]) && is_small(form->divisor);
    for (uint32_t lane = 0; lane < r->inputs->lane_count && does_fit; lane++) {
        int64_t sum = form->is_product ? form->factors[0] : form->number;
        for (uint32_t i = 0; i < form->count && does_fit; i++) {
            int64_t size = size_of(r, form->axes[i], lane);
            int64_t term = 0;
            does_fit = form->is_product ? !__builtin_mul_overflow(sum, size, &sum)
                                        : !__builtin_mul_overflow(form->factors[i], size, &term) &&
                                              !__builtin_add_overflow(sum, term, &sum);
        }
        int64_t scaled = 0;
        does_fit = does_fit && !__builtin_mul_overflow(r->value[lane], form->divisor, &scaled) &&
                   sum == scaled;
    }
    return does_fit;
}

static bool is_number(const struct reader *r, struct form *form)
{
    *form = (struct form){.number = r->value[0], .divisor = 1};
    return fits(r, form);
}

/* Fits a form over axes @p a and @p b, or over the first alone. Forms with more coefficients fit by
 * chance more easily, so those with two axes need enough lanes. */
typedef bool (*form_fn)(const struct reader *r, uint32_t a, uint32_t b, struct form *form);

static bool is_axis(const struct reader *r, uint32_t a, uint32_t b, struct form *form)
{
    (void)b;
    *form = (struct form){.axes = {a}, .factors = {1}, .count = 1, .divisor = 1};
    return fits(r, form);
}

static bool is_sum(const struct reader *r, uint32_t a, uint32_t b, struct form *form)
{
    *form = (struct form){.axes = {a, b}, .factors = {1, 1}, .count = 2, .divisor = 1};
    return fits(r, form);
}

static bool is_multiple(const struct reader *r, uint32_t a, uint32_t b, struct form *form)
{
    (void)b;
    int64_t size = size_of(r, a, 0);
    *form = (struct form){.axes = {a}, .factors = {r->value[0] / size}, .count = 1, .divisor = 1};
    return form->factors[0] > 0 && fits(r, form);
}

static bool is_quotient(const struct reader *r, uint32_t a, uint32_t b, struct form *form)
{
    (void)b;
    *form = (struct form){.axes = {a}, .factors = {1}, .count = 1};
    form->divisor = r->value[0] > 0 ? size_of(r, a, 0) / r->value[0] : 0;
    return form->divisor > 0 && fits(r, form);
}

static bool is_product(const struct reader *r, uint32_t a, uint32_t b, struct form *form)
{
    *form = (struct form){.axes = {a, b}, .count = 2, .divisor = 1, .is_product = true};
    form->factors[0] = r->value[0] / (size_of(r, a, 0) * size_of(r, b, 0));
    return form->factors[0] > 0 && fits(r, form);
}

static bool is_offset(const struct reader *r, uint32_t a, uint32_t b, struct form *form)
{
    (void)b;
    *form = (struct form){.axes = {a}, .factors = {1}, .count = 1, .divisor = 1};
    form->number = r->value[0] - size_of(r, a, 0);
    return fits(r, form);
}

static bool is_offset_sum(const struct reader *r, uint32_t a, uint32_t b, struct form *form)
{
    *form = (struct form){.axes = {a, b}, .factors = {1, 1}, .count = 2, .divisor = 1};
    form->number = r->value[0] - size_of(r, a, 0) - size_of(r, b, 0);
    return r->inputs->lane_count > HTP_INPUTS_LANES && fits(r, form);
}

static bool is_line(const struct reader *r, uint32_t a, uint32_t b, struct form *form)
{
    (void)b;
    int64_t step = size_of(r, a, 1) - size_of(r, a, 0);
    int64_t rise = 0;
    *form = (struct form){.axes = {a}, .count = 1, .divisor = 1};
    if (r->inputs->lane_count <= HTP_INPUTS_LANES || step == 0 ||
        __builtin_sub_overflow(r->value[1], r->value[0], &rise) || rise % step != 0 ||
        !is_small(rise / step)) {
        return false;
    }
    form->factors[0] = rise / step;
    form->number = r->value[0] - form->factors[0] * size_of(r, a, 0);
    return form->factors[0] != 0 && fits(r, form);
}

static const struct {
    form_fn read;
    bool is_pair;
} forms[] = {
    {is_axis, false},   {is_sum, true},     {is_multiple, false},  {is_quotient, false},
    {is_product, true}, {is_offset, false}, {is_offset_sum, true}, {is_line, false},
};

static bool read_form(const struct reader *r, struct form *form)
{
    const htp_inputs *inputs = r->inputs;
    bool is_read = is_number(r, form);
    for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]) && !is_read; f++) {
        for (uint32_t a = 0; a < inputs->axis_count && !is_read; a++) {
            uint32_t end = forms[f].is_pair ? inputs->axis_count : a + 1;
            for (uint32_t b = a; b < end && !is_read; b++) {
                is_read = !inputs->axes[a].formula && !inputs->axes[b].formula &&
                          forms[f].read(r, a, b, form);
            }
        }
    }
    return is_read;
}

/* ---- two forms ---- */

static void add_term(htp_equation *equation, uint32_t axis, int64_t factor)
{
    uint32_t i = 0;
    while (i < equation->count && equation->terms[i].axis != axis) {
        i++;
    }
    if (i == equation->count) {
        equation->terms[equation->count].axis = axis;
        equation->terms[equation->count++].factor = 0;
    }
    equation->terms[i].factor += factor;
    if (equation->terms[i].factor == 0) {
        equation->terms[i] = equation->terms[--equation->count];
    }
}

static void reduce(htp_equation *equation)
{
    int64_t divisor = equation->number;
    for (uint32_t i = 0; i < equation->count; i++) {
        divisor = htp_common_divisor(divisor, equation->terms[i].factor);
    }
    for (uint32_t i = 0; i < equation->count && divisor > 1; i++) {
        equation->terms[i].factor /= divisor;
    }
    equation->number /= divisor > 1 ? divisor : 1;
}

/* Equal products with a common axis. */
static bool subtract_products(const struct form *a, const struct form *b, htp_equation *equation)
{
    for (int i = 0; i < 4; i++) {
        if (a->factors[0] == b->factors[0] && a->axes[i / 2] == b->axes[i % 2]) {
            add_term(equation, a->axes[1 - i / 2], 1);
            add_term(equation, b->axes[1 - i % 2], -1);
            return equation->count > 0;
        }
    }
    return false;
}

bool htp_equation_read(const htp_inputs *inputs, const int64_t *have, const int64_t *want,
                       htp_equation *equation)
{
    const struct reader of_have = {inputs, have};
    const struct reader of_want = {inputs, want};
    struct form a;
    struct form b;
    *equation = (htp_equation){.count = 0};
    if (!read_form(&of_have, &a) || !read_form(&of_want, &b)) {
        return false;
    }
    if (a.is_product || b.is_product) {
        return a.is_product && b.is_product && subtract_products(&a, &b, equation);
    }
    for (uint32_t i = 0; i < a.count; i++) {
        add_term(equation, a.axes[i], a.factors[i] * b.divisor);
    }
    for (uint32_t i = 0; i < b.count; i++) {
        add_term(equation, b.axes[i], -b.factors[i] * a.divisor);
    }
    equation->number = a.number * b.divisor - b.number * a.divisor;
    reduce(equation);
    return equation->count > 0;
}

/* ---- conclusions ---- */

bool htp_equation_is_join(const htp_equation *equation)
{
    return equation->count == 2 && equation->number == 0 &&
           equation->terms[0].factor == -equation->terms[1].factor;
}

/* Whether the solution for a term only adds axes. */
static bool adds_axes(const htp_equation *equation, uint32_t term)
{
    int64_t sign = equation->terms[term].factor;
    bool adds = sign == 1 || sign == -1;
    for (uint32_t i = 0; i < equation->count; i++) {
        adds = adds && (i == term || equation->terms[i].factor * sign < 0);
    }
    return adds && equation->count > 1;
}

uint32_t htp_equation_solve(const htp_equation *equation)
{
    uint32_t found = HTP_NONE;
    bool is_sum = false; /* its solution adds the number, too */
    for (uint32_t i = 0; i < equation->count; i++) {
        bool adds = equation->number * equation->terms[i].factor <= 0;
        bool is_better = found == HTP_NONE || (adds && !is_sum) ||
                         (adds == is_sum && equation->terms[i].axis > equation->terms[found].axis);
        if (adds_axes(equation, i) && is_better) {
            found = i;
            is_sum = adds;
        }
    }
    return found;
}

bool htp_equation_is_fixed(const htp_equation *equation)
{
    bool is_fixed = equation->count > 0;
    for (uint32_t i = 1; i < equation->count; i++) {
        is_fixed = is_fixed && equation->terms[i].factor * equation->terms[0].factor > 0;
    }
    return is_fixed;
}

htp_size_formula htp_equation_solution(const htp_equation *equation, uint32_t term)
{
    htp_size_formula formula = {.count = 0};
    int64_t sign = -equation->terms[term].factor;
    (void)htp_size_formula_push(&formula, HTP_SIZE_NUMBER, equation->number * sign);
    for (uint32_t i = 0; i < equation->count; i++) {
        if (i != term) {
            (void)htp_size_formula_push(&formula, HTP_SIZE_NUMBER,
                                        equation->terms[i].factor * sign);
            (void)htp_size_formula_push(&formula, HTP_SIZE_AXIS, equation->terms[i].axis);
            (void)htp_size_formula_push(&formula, HTP_SIZE_MULTIPLY, 0);
            (void)htp_size_formula_push(&formula, HTP_SIZE_ADD, 0);
        }
    }
    return formula;
}
