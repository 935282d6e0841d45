#include "graph/symbols.h"

#include <inttypes.h>
#include <string.h>

enum {
    PAIRED_AXES = 16,
    LONGEST_NAME = 96, /* longer names are unreadable */
};

typedef struct lane_sizes {
    int64_t lane[HTP_MAX_LANES]; /* 0 beyond the lane count */
} lane_sizes;

/* Fits sizes to a form. @return HTP_NONE if they do not fit */
typedef htp_polynomial_id (*form_fn)(htp_symbols *symbols, const lane_sizes *sizes);

static bool find_name(const htp_symbols *symbols, const char *name, htp_polynomial_id *id)
{
    return htp_map_get(&symbols->by_name, name, id);
}

static htp_polynomial_id axis_of(const htp_symbols *symbols, uint32_t axis)
{
    htp_polynomial_id id = HTP_NONE;
    (void)find_name(symbols, symbols->axes[axis].symbol, &id);
    return id;
}

/* ---- forms ---- */

/* Whether @p sizes is a positive multiple of @p base in every lane; sets @p factor. */
static bool is_multiple(const htp_symbols *symbols, const int64_t *sizes, const int64_t *base,
                        int64_t *factor)
{
    *factor = base[0] > 0 ? sizes[0] / base[0] : 0;
    if (*factor < 1) {
        return false;
    }
    for (uint32_t lane = 0; lane < symbols->lane_count; lane++) {
        int64_t product;
        if (__builtin_mul_overflow(base[lane], *factor, &product) || product != sizes[lane]) {
            return false;
        }
    }
    return true;
}

static htp_polynomial_id scaled(htp_symbols *symbols, htp_polynomial_id id, int64_t factor)
{
    return htp_polynomial_multiply(&symbols->algebra, id,
                                   htp_polynomial_number(&symbols->algebra, factor));
}

static htp_polynomial_id form_multiple(htp_symbols *symbols, const lane_sizes *sizes)
{
    for (uint32_t i = 0; i < symbols->axis_count; i++) {
        int64_t factor;
        if (is_multiple(symbols, sizes->lane, symbols->axes[i].sizes, &factor)) {
            return scaled(symbols, axis_of(symbols, i), factor);
        }
    }
    return HTP_NONE;
}

static htp_polynomial_id form_offset(htp_symbols *symbols, const lane_sizes *sizes)
{
    for (uint32_t i = 0; i < symbols->axis_count; i++) {
        const htp_axis *axis = &symbols->axes[i];
        int64_t offset = 0;
        bool fits = true;
        for (uint32_t lane = 0; lane < symbols->lane_count && fits; lane++) {
            int64_t difference;
            fits = !__builtin_sub_overflow(sizes->lane[lane], axis->sizes[lane], &difference) &&
                   difference != INT64_MIN && (lane == 0 || difference == offset);
            offset = difference;
        }
        if (fits) {
            return htp_polynomial_add(&symbols->algebra, axis_of(symbols, i),
                                      htp_polynomial_number(&symbols->algebra, offset), 1);
        }
    }
    return HTP_NONE;
}

static uint32_t paired_axes(const htp_symbols *symbols)
{
    return symbols->axis_count < PAIRED_AXES ? symbols->axis_count : PAIRED_AXES;
}

static htp_polynomial_id form_sum(htp_symbols *symbols, const lane_sizes *sizes)
{
    for (uint32_t i = 0; i < paired_axes(symbols); i++) {
        for (uint32_t j = i; j < paired_axes(symbols); j++) {
            const htp_axis *a = &symbols->axes[i];
            const htp_axis *b = &symbols->axes[j];
            bool fits = true;
            for (uint32_t lane = 0; lane < symbols->lane_count && fits; lane++) {
                int64_t sum;
                fits = !__builtin_add_overflow(a->sizes[lane], b->sizes[lane], &sum) &&
                       sum == sizes->lane[lane];
            }
            if (fits) {
                return htp_polynomial_add(&symbols->algebra, axis_of(symbols, i),
                                          axis_of(symbols, j), 1);
            }
        }
    }
    return HTP_NONE;
}

/* The product of two axes; with @p any, times a factor. */
static htp_polynomial_id form_product(htp_symbols *symbols, const lane_sizes *sizes, bool any)
{
    for (uint32_t i = 0; i < paired_axes(symbols); i++) {
        for (uint32_t j = i; j < paired_axes(symbols); j++) {
            const htp_axis *a = &symbols->axes[i];
            const htp_axis *b = &symbols->axes[j];
            int64_t products[HTP_MAX_LANES] = {0};
            int64_t factor;
            bool fits = true;
            for (uint32_t lane = 0; lane < symbols->lane_count; lane++) {
                fits &= !__builtin_mul_overflow(a->sizes[lane], b->sizes[lane], &products[lane]);
            }
            fits = fits && is_multiple(symbols, sizes->lane, products, &factor);
            if (fits && (any || factor == 1)) {
                return scaled(symbols,
                              htp_polynomial_multiply(&symbols->algebra, axis_of(symbols, i),
                                                      axis_of(symbols, j)),
                              factor);
            }
        }
    }
    return HTP_NONE;
}

static htp_polynomial_id form_plain_product(htp_symbols *symbols, const lane_sizes *sizes)
{
    return form_product(symbols, sizes, false);
}

static htp_polynomial_id form_scaled_product(htp_symbols *symbols, const lane_sizes *sizes)
{
    return form_product(symbols, sizes, true);
}

static htp_polynomial_id form_quotient(htp_symbols *symbols, const lane_sizes *sizes)
{
    for (uint32_t i = 0; i < symbols->axis_count; i++) {
        int64_t divisor;
        if (is_multiple(symbols, symbols->axes[i].sizes, sizes->lane, &divisor)) {
            return htp_polynomial_floor(&symbols->algebra, axis_of(symbols, i), divisor);
        }
    }
    return HTP_NONE;
}

/* ---- names ---- */

/* Notes the unique name of a polynomial. */
static void set_name(htp_symbols *symbols, htp_polynomial_id id, const char *name)
{
    while (symbols->names.count <= id) {
        HTP_PUSH(symbols->arena, &symbols->names, NULL);
    }
    symbols->names.items[id] = name;
    htp_map_set(symbols->arena, &symbols->by_name, name, id);
}

static const char *free_name(htp_symbols *symbols, const char *stem, uint32_t *next)
{
    const char *name;
    do {
        name = htp_arena_printf(symbols->arena, "%s_%" PRIu32, stem, (*next)++);
    } while (find_name(symbols, name, NULL));
    return name;
}

static htp_polynomial_id add_symbol(htp_symbols *symbols, const char *name, int64_t least,
                                    const lane_sizes *by_lane)
{
    htp_lane_sizes sizes = {.are_known = by_lane != NULL};
    if (by_lane) {
        memcpy(sizes.lane, by_lane->lane, sizeof(sizes.lane));
    }
    htp_polynomial_id id = htp_polynomial_symbol(&symbols->algebra, name, least, &sizes);
    set_name(symbols, id, name);
    return id;
}

static htp_polynomial_id add_fresh(htp_symbols *symbols, const lane_sizes *sizes)
{
    htp_polynomial_id id =
        add_symbol(symbols, free_name(symbols, "dim", &symbols->next_fresh), 0, sizes);
    htp_polynomial_sole_symbol(&symbols->algebra, id)->is_fresh = true;
    return id;
}

/* Different sizes must get different names, even if axes are named like formulas. */
static const char *name_of(htp_symbols *symbols, htp_polynomial_id id)
{
    if (id >= symbols->names.count || !symbols->names.items[id]) {
        htp_text text = {.arena = symbols->arena};
        htp_polynomial_write(&symbols->algebra, id, &text);
        const char *name = htp_text_string(&text);
        bool is_bad = text.length > LONGEST_NAME || find_name(symbols, name, NULL);
        set_name(symbols, id, is_bad ? free_name(symbols, "dim", &symbols->next_fresh) : name);
    }
    return symbols->names.items[id];
}

/* ---- sizes ---- */

static htp_polynomial_id find_form(htp_symbols *symbols, const lane_sizes *sizes)
{
    static const form_fn forms[] = {form_multiple,      form_offset,         form_sum,
                                    form_plain_product, form_scaled_product, form_quotient};
    htp_polynomial_id found = HTP_NONE;
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]) && found == HTP_NONE; i++) {
        found = forms[i](symbols, sizes);
    }
    return found;
}

static void add_sizes(htp_symbols *symbols, const lane_sizes *sizes, htp_polynomial_id id)
{
    const char *key = htp_arena_copy(symbols->arena, sizes, sizeof(*sizes));
    htp_map_set_bytes(symbols->arena, &symbols->by_sizes, key, sizeof(*sizes), id);
}

static lane_sizes sizes_of(const htp_symbols *symbols, const int64_t *by_lane)
{
    lane_sizes sizes = {{0}};
    memcpy(sizes.lane, by_lane, symbols->lane_count * sizeof(*by_lane));
    return sizes;
}

static bool is_number(const htp_symbols *symbols, const int64_t *sizes)
{
    for (uint32_t lane = 1; lane < symbols->lane_count; lane++) {
        if (sizes[lane] != sizes[0]) {
            return false;
        }
    }
    return true;
}

/* Names the polynomials of formulas by their text. */
static void add_formulas(htp_symbols *symbols)
{
    htp_polynomial_id *axes =
        HTP_NEW_ARRAY(symbols->arena, htp_polynomial_id, (size_t)symbols->axis_count + 1);
    for (uint32_t i = 0; i < symbols->axis_count; i++) {
        axes[i] = axis_of(symbols, i);
    }
    for (uint32_t i = 0; i < symbols->axis_count; i++) {
        const htp_axis *axis = &symbols->axes[i];
        lane_sizes sizes = sizes_of(symbols, axis->sizes);
        htp_polynomial_id id = HTP_NONE;
        bool is_new = !htp_map_get_bytes(&symbols->by_sizes, &sizes, sizeof(sizes), NULL);
        if (!axis->formula || find_name(symbols, axis->symbol, &id)) {
            continue;
        }
        id = htp_size_formula_polynomial(&symbols->algebra, axis->formula, axes);
        if (id == HTP_NONE) {
            id = add_symbol(symbols, axis->symbol, 1, &sizes);
        } else {
            set_name(symbols, id, axis->symbol);
            htp_polynomial_set_least(&symbols->algebra, id, 1);
        }
        if (is_new) {
            add_sizes(symbols, &sizes, id);
        }
    }
}

void htp_symbols_init(htp_symbols *symbols, htp_arena *arena, const htp_axis *axes,
                      uint32_t axis_count, uint32_t lane_count)
{
    *symbols = (htp_symbols){.arena = arena, .axes = axes, .axis_count = axis_count};
    symbols->algebra.arena = arena;
    symbols->lane_count = lane_count < HTP_MAX_LANES ? lane_count : HTP_MAX_LANES;
    for (uint32_t i = 0; i < axis_count; i++) {
        lane_sizes sizes = sizes_of(symbols, axes[i].sizes);
        htp_polynomial_id id;
        if (!axes[i].formula &&
            !htp_map_get_bytes(&symbols->by_sizes, &sizes, sizeof(sizes), &id)) {
            id = add_symbol(symbols, axes[i].symbol, 1, &sizes);
            add_sizes(symbols, &sizes, id);
        }
    }
    add_formulas(symbols);
}

void htp_symbols_set_data(htp_symbols *symbols, uint32_t first)
{
    symbols->has_data = first < symbols->axis_count;
    for (uint32_t i = first; i < symbols->axis_count; i++) {
        htp_polynomial_id id;
        if (find_name(symbols, symbols->axes[i].symbol, &id)) {
            htp_atom *atom = htp_polynomial_sole_symbol(&symbols->algebra, id);
            atom->is_data = true;
            atom->least = 0;
        }
    }
}

htp_dim htp_symbols_dim(htp_symbols *symbols, const int64_t *sizes)
{
    if (is_number(symbols, sizes)) {
        return (htp_dim){.size = sizes[0]};
    }
    lane_sizes key = sizes_of(symbols, sizes);
    htp_polynomial_id id;
    if (!htp_map_get_bytes(&symbols->by_sizes, &key, sizeof(key), &id)) {
        id = find_form(symbols, &key);
        id = id == HTP_NONE ? add_fresh(symbols, &key) : id;
        add_sizes(symbols, &key, id);
    }
    return (htp_dim){.size = sizes[0], .symbol = name_of(symbols, id)};
}

/* ---- arithmetic ---- */

htp_polynomial_id htp_symbols_polynomial(htp_symbols *symbols, htp_dim dim)
{
    htp_polynomial_id id;
    if (!dim.symbol) {
        return htp_polynomial_number(&symbols->algebra, dim.size);
    }
    if (!*dim.symbol) {
        return htp_symbols_polynomial(symbols, htp_symbols_unknown(symbols));
    }
    return find_name(symbols, dim.symbol, &id) ? id : add_symbol(symbols, dim.symbol, 0, NULL);
}

static htp_lane_sizes sizes_at(const htp_symbols *symbols, htp_polynomial_id id)
{
    return id == HTP_NONE ? (htp_lane_sizes){.are_known = false}
                          : symbols->algebra.polynomials.items[id].sizes;
}

htp_dim htp_symbols_name(htp_symbols *symbols, htp_polynomial_id id)
{
    int64_t number;
    if (htp_polynomial_is_number(&symbols->algebra, id, &number)) {
        return (htp_dim){.size = number};
    }
    htp_lane_sizes sizes = sizes_at(symbols, id);
    return (htp_dim){.size = sizes.are_known ? sizes.lane[0] : 0, .symbol = name_of(symbols, id)};
}

htp_dim htp_symbols_unknown(htp_symbols *symbols)
{
    htp_polynomial_id id =
        add_symbol(symbols, free_name(symbols, "unknown", &symbols->next_unknown), 0, NULL);
    htp_polynomial_sole_symbol(&symbols->algebra, id)->is_unknown = true;
    symbols->algebra.polynomials.items[id].has_unknown = true;
    return (htp_dim){.symbol = symbols->names.items[id]};
}

bool htp_symbols_may_be_zero(htp_symbols *symbols, htp_dim dim)
{
    htp_polynomial_id id = htp_symbols_polynomial(symbols, dim);
    if (htp_polynomial_is_at_least(&symbols->algebra, id, 1)) {
        return false;
    }
    const htp_atom *sole = htp_polynomial_sole_symbol(&symbols->algebra, id);
    if (!sole || sole->is_data || symbols->has_data) {
        return true;
    }
    bool is_zero = false;
    for (uint32_t lane = 0; sole->sizes.are_known && lane < symbols->lane_count; lane++) {
        is_zero = is_zero || sole->sizes.lane[lane] == 0;
    }
    return is_zero;
}

/* Whether two formulas agree in all lanes. */
static bool sizes_agree(const htp_symbols *symbols, htp_polynomial_id a, htp_polynomial_id b)
{
    htp_lane_sizes x = sizes_at(symbols, a);
    htp_lane_sizes y = sizes_at(symbols, b);
    bool agree = x.are_known && y.are_known;
    for (uint32_t lane = 0; agree && lane < symbols->lane_count; lane++) {
        agree = x.lane[lane] == y.lane[lane];
    }
    return agree;
}

static bool has_unknown(const htp_symbols *symbols, htp_polynomial_id id)
{
    return id != HTP_NONE && symbols->algebra.polynomials.items[id].has_unknown;
}

bool htp_symbols_has_unknown(htp_symbols *symbols, htp_dim dim)
{
    return has_unknown(symbols, htp_symbols_polynomial(symbols, dim));
}

/* Notes the meaning of an unknown symbol; contradicting ones cancel it. */
static void learn(htp_atom *atom, htp_polynomial_id meaning)
{
    if (atom->meaning == HTP_NONE && !atom->is_ambiguous) {
        atom->meaning = meaning;
    } else if (atom->meaning != meaning) {
        atom->meaning = HTP_NONE;
        atom->is_ambiguous = true;
    }
}

/* Names an unknown symbol. A data-dependent size has its own name. A name invented for lane sizes
 * goes to the first symbol that asks, since other sizes may be equal by chance. */
static void take_name(htp_symbols *symbols, htp_polynomial_id unknown, htp_polynomial_id given)
{
    htp_atom *name = htp_polynomial_sole_symbol(&symbols->algebra, given);
    htp_atom *atom = htp_polynomial_sole_symbol(&symbols->algebra, unknown);
    bool is_free = name && name->is_fresh && !name->is_taken;
    if (name && name->is_data) {
        learn(atom, given);
    } else if (is_free && atom->meaning == HTP_NONE && !atom->is_ambiguous) {
        name->is_taken = true;
        atom->meaning = given;
    }
}

htp_dim htp_symbols_prove(htp_symbols *symbols, htp_dim given, htp_dim derived, bool is_named)
{
    if (given.symbol && !*given.symbol) {
        return given;
    }
    htp_polynomial_id is = htp_symbols_polynomial(symbols, given);
    htp_polynomial_id made = htp_symbols_polynomial(symbols, derived);
    bool is_known = !has_unknown(symbols, made);
    const htp_atom *claimed = htp_polynomial_sole_symbol(&symbols->algebra, is);
    if (is == made || (claimed && claimed->is_unknown) ||
        (is_known && sizes_agree(symbols, is, made))) {
        return derived;
    }
    if (symbols->lane_count == 1) {
        return has_unknown(symbols, is) ? derived : given;
    }
    if (is_known) {
        derived = htp_symbols_unknown(symbols);
        made = htp_symbols_polynomial(symbols, derived);
    }
    const htp_atom *sole = htp_polynomial_sole_symbol(&symbols->algebra, made);
    if (is_named && sole && sole->is_unknown) {
        take_name(symbols, made, is);
    }
    return derived;
}

/* The final meaning of a polynomial. */
static htp_polynomial_id *result_of(htp_symbols *symbols, htp_polynomial_id id)
{
    while (symbols->resolved.count <= id) {
        HTP_PUSH(symbols->arena, &symbols->resolved, HTP_NONE);
    }
    return &symbols->resolved.items[id];
}

htp_dim htp_symbols_resolve(htp_symbols *symbols, htp_dim dim, bool is_named)
{
    if (!dim.symbol || !*dim.symbol) {
        return dim;
    }
    htp_polynomial_id given = htp_symbols_polynomial(symbols, dim);
    htp_polynomial_id id = *result_of(symbols, given);
    if (id == HTP_NONE) {
        id = htp_polynomial_resolve(&symbols->algebra, given);
        id = id == HTP_NONE ? given : id;
        *result_of(symbols, given) = id;
    }
    if (has_unknown(symbols, id) && *result_of(symbols, id) != HTP_NONE) {
        id = *result_of(symbols, id);
    }
    if (has_unknown(symbols, id) && is_named) {
        htp_polynomial_id own = add_fresh(symbols, NULL);
        *result_of(symbols, id) = own;
        id = own;
    }
    return has_unknown(symbols, id) ? (htp_dim){.symbol = ""} : htp_symbols_name(symbols, id);
}
