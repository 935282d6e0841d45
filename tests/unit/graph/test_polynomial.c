/*
 * Random polynomials: normal forms and texts have the values of the operations that built them.
 */
#include "graph/symbols.h"
#include "unit.h"

#include <string.h>

enum { POOL = 24, STEPS = 60, ROUNDS = 16, SIDE = 9, LARGEST = 1000000 };

/* The values of one polynomial, by the sizes of both axes, from 1 on. */
typedef struct grid {
    htp_polynomial_id id;
    int64_t values[SIDE][SIDE];
} grid;

static htp_symbols symbols;
static grid pool[POOL];
static uint64_t state;

static uint32_t draw(uint32_t count)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % count;
}

static int64_t floor_of(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && a < 0);
}

/* ---- formulas as Python would compute them ---- */

/* A formula being read, and the sizes of the axes. */
typedef struct reading {
    const char *at;
    int64_t h;
    int64_t w;
} reading;

static int64_t read_sum(reading *r);

static bool take(reading *r, const char *word)
{
    bool found = strncmp(r->at, word, strlen(word)) == 0;
    r->at += found ? strlen(word) : 0;
    return found;
}

static int64_t read_extreme(reading *r, bool is_max)
{
    int64_t a = read_sum(r);
    ck_assert(take(r, ", "));
    int64_t b = read_sum(r);
    ck_assert(take(r, ")"));
    return is_max == (a > b) ? a : b;
}

static int64_t read_atom(reading *r)
{
    if (take(r, "max(")) {
        return read_extreme(r, true);
    }
    if (take(r, "min(")) {
        return read_extreme(r, false);
    }
    if (take(r, "(")) {
        int64_t value = read_sum(r);
        ck_assert(take(r, ")"));
        return value;
    }
    if (take(r, "h")) {
        return r->h;
    }
    if (take(r, "w")) {
        return r->w;
    }
    ck_assert_msg(*r->at >= '0' && *r->at <= '9', "at %s", r->at);
    return strtoll(r->at, (char **)&r->at, 10);
}

/* Python's * and // have one rank, and - before a term a lower one. */
static int64_t read_product(reading *r)
{
    int64_t value = read_atom(r);
    for (;;) {
        if (take(r, "//")) {
            value = floor_of(value, read_atom(r));
        } else if (take(r, "*")) {
            value *= read_atom(r);
        } else {
            return value;
        }
    }
}

static int64_t read_sum(reading *r)
{
    int64_t value = take(r, "-") ? -read_product(r) : read_product(r);
    for (;;) {
        if (take(r, " + ")) {
            value += read_product(r);
        } else if (take(r, " - ")) {
            value -= read_product(r);
        } else {
            return value;
        }
    }
}

/* ---- construction ---- */

static int64_t combine(uint32_t how, int64_t a, int64_t b, int64_t number)
{
    switch (how) {
    case 0:
        return a + number * b;
    case 1:
        return a * b;
    case 2:
    case 3:
        return floor_of(a, number > 0 ? number : 1 - number);
    case 4:
        return a > 0 ? a : 0;
    case 5:
        return a < b ? a : b;
    case 6:
        return a > b ? a : b;
    default:
        return a + number;
    }
}

static htp_polynomial_id make(uint32_t how, htp_polynomial_id a, htp_polynomial_id b,
                              int64_t number)
{
    htp_algebra *algebra = &symbols.algebra;
    switch (how) {
    case 0:
        return htp_polynomial_add(algebra, a, b, number);
    case 1:
        return htp_polynomial_multiply(algebra, a, b);
    case 2:
    case 3:
        return htp_polynomial_floor(algebra, a, number > 0 ? number : 1 - number);
    case 4:
        return htp_polynomial_positive(algebra, a);
    case 5:
        return htp_polynomial_smaller(algebra, a, b);
    case 6:
        return htp_polynomial_larger(algebra, a, b);
    default:
        return htp_polynomial_add(algebra, a, htp_polynomial_number(algebra, number), 1);
    }
}

/* ---- checks ---- */

static void check_text(const grid *g)
{
    htp_text text = {.arena = symbols.arena};
    htp_polynomial_write(&symbols.algebra, g->id, &text);
    const char *formula = htp_text_string(&text);
    for (int64_t h = 1; h <= SIDE; h++) {
        for (int64_t w = 1; w <= SIDE; w++) {
            reading r = {formula, h, w};
            int64_t value = read_sum(&r);
            ck_assert_msg(!*r.at, "behind %s: %s", formula, r.at);
            ck_assert_msg(value == g->values[h - 1][w - 1], "%s at %d, %d is %d, not %d", formula,
                          (int)h, (int)w, (int)value, (int)g->values[h - 1][w - 1]);
        }
    }
}

static void check_least(const grid *g)
{
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        int64_t value = g->values[i / SIDE][i % SIDE];
        least = value < least ? value : least;
    }
    UNIT_CHECK(!htp_polynomial_is_at_least(&symbols.algebra, g->id, least + 1));
}

static void check_lanes(const grid *g)
{
    const htp_lane_sizes *sizes = &symbols.algebra.polynomials.items[g->id].sizes;
    UNIT_CHECK(sizes->are_known);
    for (uint32_t lane = 0; lane < symbols.lane_count; lane++) {
        UNIT_CHECK(sizes->lane[lane] ==
                   g->values[symbols.axes[0].sizes[lane] - 1][symbols.axes[1].sizes[lane] - 1]);
    }
}

/* Forms are equal only if sizes are; exact division gives the quotient. */
static void check_pair(const grid *a, const grid *b)
{
    htp_polynomial_id quotient = htp_polynomial_divide(&symbols.algebra, a->id, b->id);
    if (a->id == b->id) {
        UNIT_CHECK(memcmp(a->values, b->values, sizeof(a->values)) == 0);
    }
    if (quotient != HTP_NONE) {
        grid made = {.id = quotient};
        for (uint32_t i = 0; i < SIDE * SIDE; i++) {
            int64_t divisor = b->values[i / SIDE][i % SIDE];
            int64_t value = a->values[i / SIDE][i % SIDE];
            if (divisor == 0) {
                return;
            }
            UNIT_CHECK(value % divisor == 0);
            made.values[i / SIDE][i % SIDE] = value / divisor;
        }
        check_text(&made);
    }
    UNIT_CHECK(!htp_polynomial_is_above(&symbols.algebra, a->id, b->id) ||
               a->values[2][3] >= b->values[2][3]);
}

/* One more polynomial in place of an earlier one. */
static void step(void)
{
    grid made;
    uint32_t how = draw(8);
    const grid *a = &pool[draw(POOL)];
    const grid *b = &pool[draw(POOL)];
    int64_t number = (int64_t)draw(9) - 4;
    made.id = make(how, a->id, b->id, number);
    if (made.id == HTP_NONE) {
        return;
    }
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        int64_t value =
            combine(how, a->values[i / SIDE][i % SIDE], b->values[i / SIDE][i % SIDE], number);
        if (value > LARGEST || value < -LARGEST) {
            return;
        }
        made.values[i / SIDE][i % SIDE] = value;
    }
    check_text(&made);
    check_least(&made);
    check_lanes(&made);
    check_pair(&made, a);
    check_pair(b, &made);
    pool[2 + draw(POOL - 2)] = made;
}

UNIT_TEST(forms_have_the_values_of_what_made_them)
{
    static const htp_axis axes[] = {{"h", {2, 9, 7}, NULL}, {"w", {5, 3, 8}, NULL}};
    for (uint32_t round = 0; round < ROUNDS; round++) {
        state = round;
        htp_symbols_init(&symbols, arena, axes, 2, 3);
        for (uint32_t i = 0; i < POOL; i++) {
            pool[i].id = htp_symbols_polynomial(&symbols, (htp_dim){.symbol = i % 2 ? "w" : "h"});
            for (uint32_t k = 0; k < SIDE * SIDE; k++) {
                pool[i].values[k / SIDE][k % SIDE] = (i % 2 ? k % SIDE : k / SIDE) + 1;
            }
        }
        for (uint32_t i = 0; i < STEPS; i++) {
            step();
        }
    }
}

/* The dim that is min(h, most) once a run has broadcast it with h. */
static htp_dim met(int64_t most)
{
    htp_algebra *algebra = &symbols.algebra;
    htp_polynomial_id h = htp_symbols_polynomial(&symbols, (htp_dim){.symbol = "h"});
    htp_polynomial_id cut =
        htp_polynomial_smaller(algebra, h, htp_polynomial_number(algebra, most));
    htp_polynomial_note_broadcast(algebra, cut, h);
    return htp_symbols_resolve(&symbols, htp_symbols_name(&symbols, cut), true);
}

UNIT_TEST(what_is_broadcast_is_equal_or_1)
{
    static const htp_axis axes[] = {{"h", {2, 9, 7}, NULL}};
    htp_symbols_init(&symbols, arena, axes, 1, 3);
    htp_symbols_set_data(&symbols, 0); /* which may be 0 */
    ck_assert_str_eq(met(1).symbol, "min(h, 1)");
    ck_assert_str_eq(met(2).symbol, "h");
    htp_symbols_init(&symbols, arena, axes, 1, 3);
    ck_assert_str_eq(met(512).symbol, "h");
}

UNIT_MAIN("polynomial", forms_have_the_values_of_what_made_them, what_is_broadcast_is_equal_or_1)
