#include "graph/symbols.h"

#include <inttypes.h>
#include <string.h>

enum { PAIRED_AXES = 16 };

typedef struct lane_sizes {
    int64_t lane[HTP_SHIM_MAX_LANES]; /* 0 beyond the lane count */
} lane_sizes;

/* Forms return a name, or NULL when the sizes are not of that form. */
typedef const char *(*form_fn)(const htp_symbols *symbols, const lane_sizes *sizes);

/* @p sizes is @p factor times @p base in every lane; false unless the factor is a whole number
 * above 0. */
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

static const char *form_multiple(const htp_symbols *symbols, const lane_sizes *sizes)
{
    for (uint32_t i = 0; i < symbols->axis_count; i++) {
        const htp_axis *axis = &symbols->axes[i];
        int64_t factor;
        if (is_multiple(symbols, sizes->lane, axis->sizes, &factor)) {
            return htp_arena_printf(symbols->arena, "%s*%" PRId64, axis->symbol, factor);
        }
    }
    return NULL;
}

static const char *form_offset(const htp_symbols *symbols, const lane_sizes *sizes)
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
            return htp_arena_printf(symbols->arena, "%s %c %" PRId64, axis->symbol,
                                    offset < 0 ? '-' : '+', offset < 0 ? -offset : offset);
        }
    }
    return NULL;
}

static uint32_t paired_axes(const htp_symbols *symbols)
{
    return symbols->axis_count < PAIRED_AXES ? symbols->axis_count : PAIRED_AXES;
}

static const char *form_sum(const htp_symbols *symbols, const lane_sizes *sizes)
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
                return htp_arena_printf(symbols->arena, "%s + %s", a->symbol, b->symbol);
            }
        }
    }
    return NULL;
}

/* The product of two axes times a factor; a factor of 1 is left out. */
static const char *form_product(const htp_symbols *symbols, const lane_sizes *sizes, bool scaled)
{
    for (uint32_t i = 0; i < paired_axes(symbols); i++) {
        for (uint32_t j = i; j < paired_axes(symbols); j++) {
            const htp_axis *a = &symbols->axes[i];
            const htp_axis *b = &symbols->axes[j];
            int64_t products[HTP_SHIM_MAX_LANES] = {0};
            int64_t factor;
            bool fits = true;
            for (uint32_t lane = 0; lane < symbols->lane_count; lane++) {
                fits &= !__builtin_mul_overflow(a->sizes[lane], b->sizes[lane], &products[lane]);
            }
            fits = fits && is_multiple(symbols, sizes->lane, products, &factor);
            if (fits && factor == 1) {
                return htp_arena_printf(symbols->arena, "%s*%s", a->symbol, b->symbol);
            }
            if (fits && scaled) {
                return htp_arena_printf(symbols->arena, "%s*%s*%" PRId64, a->symbol, b->symbol,
                                        factor);
            }
        }
    }
    return NULL;
}

static const char *form_plain_product(const htp_symbols *symbols, const lane_sizes *sizes)
{
    return form_product(symbols, sizes, false);
}

static const char *form_scaled_product(const htp_symbols *symbols, const lane_sizes *sizes)
{
    return form_product(symbols, sizes, true);
}

static const char *form_quotient(const htp_symbols *symbols, const lane_sizes *sizes)
{
    for (uint32_t i = 0; i < symbols->axis_count; i++) {
        const htp_axis *axis = &symbols->axes[i];
        int64_t divisor;
        if (is_multiple(symbols, axis->sizes, sizes->lane, &divisor)) {
            return htp_arena_printf(symbols->arena, "%s/%" PRId64, axis->symbol, divisor);
        }
    }
    return NULL;
}

static const char *fresh_name(htp_symbols *symbols)
{
    const char *name;
    do {
        name = htp_arena_printf(symbols->arena, "dim_%" PRIu32, symbols->next_fresh++);
    } while (htp_map_get(&symbols->taken, name, NULL));
    return name;
}

/* Two different sizes must not get one name, whatever the axes are called. */
static const char *choose_name(htp_symbols *symbols, const lane_sizes *sizes)
{
    static const form_fn forms[] = {form_multiple,      form_offset,         form_sum,
                                    form_plain_product, form_scaled_product, form_quotient};
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        const char *name = forms[i](symbols, sizes);
        if (name && !htp_map_get(&symbols->taken, name, NULL)) {
            return name;
        }
    }
    return fresh_name(symbols);
}

static const char *add_name(htp_symbols *symbols, const lane_sizes *sizes, const char *name)
{
    const lane_sizes *key =
        (const lane_sizes *)(const void *)htp_arena_copy(symbols->arena, sizes, sizeof(*sizes));
    htp_map_set_bytes(symbols->arena, &symbols->by_sizes, key, sizeof(*key),
                      (uint32_t)symbols->names.count);
    htp_map_set(symbols->arena, &symbols->taken, name, 0);
    HTP_PUSH(symbols->arena, &symbols->names, name);
    return name;
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

static bool find_name(const htp_symbols *symbols, const lane_sizes *sizes, const char **name)
{
    uint32_t index;
    if (!htp_map_get_bytes(&symbols->by_sizes, sizes, sizeof(*sizes), &index)) {
        return false;
    }
    *name = symbols->names.items[index];
    return true;
}

void htp_symbols_init(htp_symbols *symbols, htp_arena *arena, const htp_axis *axes,
                      uint32_t axis_count, uint32_t lane_count)
{
    *symbols = (htp_symbols){.arena = arena, .axes = axes, .axis_count = axis_count};
    symbols->lane_count = lane_count < HTP_SHIM_MAX_LANES ? lane_count : HTP_SHIM_MAX_LANES;
    for (uint32_t i = 0; i < axis_count; i++) {
        lane_sizes sizes = sizes_of(symbols, axes[i].sizes);
        const char *name;
        if (!find_name(symbols, &sizes, &name)) {
            add_name(symbols, &sizes, axes[i].symbol);
        }
    }
}

htp_dim htp_symbols_dim(htp_symbols *symbols, const int64_t *sizes)
{
    if (is_number(symbols, sizes)) {
        return (htp_dim){.size = sizes[0]};
    }
    lane_sizes key = sizes_of(symbols, sizes);
    const char *name;
    if (!find_name(symbols, &key, &name)) {
        name = add_name(symbols, &key, choose_name(symbols, &key));
    }
    return (htp_dim){.size = sizes[0], .symbol = name};
}
