#include "verify/axes.h"

#include "base/checked.h"

#include <ctype.h>
#include <string.h>

/* Parentheses in each other. */
enum { DEEPEST = 32 };

/* Larger sizes are none. */
#define LARGEST ((int64_t)INT32_MAX)

/* A formula that is being read. */
struct formula {
    const htp_made_axes *sizes;
    const char *at;
    bool is_wrong;
    unsigned depth;
};

static size_t name_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_' || at[length] == '.') {
        length++;
    }
    return length;
}

void htp_made_axes_add(htp_arena *arena, htp_made_axes *sizes, const char *symbol)
{
    while (*symbol) {
        size_t length = name_length(symbol);
        if (length > 0 && !isdigit((unsigned char)*symbol)) {
            const char *name = htp_arena_copy(arena, symbol, length);
            if (!htp_map_get(&sizes->numbers, name, NULL)) {
                htp_map_set(arena, &sizes->numbers, name, (uint32_t)sizes->names.count);
                HTP_PUSH(arena, &sizes->names, name);
            }
        }
        symbol += length > 0 ? length : 1;
    }
}

static bool take(struct formula *formula, const char *word)
{
    while (*formula->at == ' ') {
        formula->at++;
    }
    size_t length = strlen(word);
    bool is_there = strncmp(formula->at, word, length) == 0;
    formula->at += is_there ? length : 0;
    return is_there;
}

static int64_t check(struct formula *formula, int64_t number)
{
    formula->is_wrong = formula->is_wrong || number > LARGEST || number < -LARGEST;
    return formula->is_wrong ? 0 : number;
}

static int64_t read_number(struct formula *formula)
{
    int64_t number = 0;
    while (isdigit((unsigned char)*formula->at)) {
        number = check(formula, number * 10 + (*formula->at++ - '0'));
    }
    return number;
}

static int64_t read_axis(struct formula *formula)
{
    uint32_t axis = 0;
    size_t length = name_length(formula->at);
    formula->is_wrong = formula->is_wrong || length == 0 ||
                        !htp_map_get_bytes(&formula->sizes->numbers, formula->at, length, &axis);
    formula->at += length;
    return formula->is_wrong ? 0 : formula->sizes->sizes[axis];
}

static int64_t read_product(struct formula *formula);

static int64_t read_sum(struct formula *formula) /* NOLINT(misc-no-recursion): DEEPEST */
{
    int64_t sum = read_product(formula);
    while (!formula->is_wrong) {
        if (take(formula, "+")) {
            sum = check(formula, sum + read_product(formula));
        } else if (take(formula, "-")) {
            sum = check(formula, sum - read_product(formula));
        } else {
            break;
        }
    }
    return sum;
}

static int64_t read_factor(struct formula *formula) /* NOLINT(misc-no-recursion): DEEPEST */
{
    if (take(formula, "(")) {
        formula->is_wrong = formula->is_wrong || ++formula->depth > DEEPEST;
        int64_t sum = formula->is_wrong ? 0 : read_sum(formula);
        formula->is_wrong = formula->is_wrong || !take(formula, ")");
        formula->depth--;
        return sum;
    }
    return isdigit((unsigned char)*formula->at) ? read_number(formula) : read_axis(formula);
}

static int64_t read_product(struct formula *formula) /* NOLINT(misc-no-recursion): DEEPEST */
{
    int64_t product = read_factor(formula);
    while (!formula->is_wrong) {
        if (take(formula, "//")) {
            int64_t divisor = read_factor(formula);
            formula->is_wrong = formula->is_wrong || divisor <= 0;
            product = formula->is_wrong ? 0 : htp_floor_divide(product, divisor);
        } else if (take(formula, "*")) {
            product = check(formula, product * read_factor(formula));
        } else {
            break;
        }
    }
    return product;
}

int64_t htp_made_axes_size(const htp_made_axes *sizes, const char *symbol)
{
    struct formula formula = {.sizes = sizes, .at = symbol};
    uint32_t axis = 0;
    if (htp_map_get(&sizes->numbers, symbol, &axis)) {
        return sizes->sizes[axis];
    }
    int64_t size = read_sum(&formula);
    (void)take(&formula, "");
    return formula.is_wrong || *formula.at || size < 0 ? -1 : size;
}
