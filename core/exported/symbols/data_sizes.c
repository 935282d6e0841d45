#include "exported/symbols/data_sizes.h"

static bool is_prime(int64_t number)
{
    for (int64_t divisor = 2; divisor * divisor <= number; divisor++) {
        if (number % divisor == 0) {
            return false;
        }
    }
    return true;
}

/* A value for a data-dependent size, different in each lane as far as its bounds allow. */
static int64_t make_up(const htp_exported_bounds *bounds, uint32_t lane, int64_t *prime)
{
    /* It has many divisors, since programs split selections into equal parts. */
    enum { MANY_DIVISORS = 5040 };
    do {
        ++*prime;
    } while (!is_prime(*prime));
    const int64_t number = MANY_DIVISORS * *prime;
    int64_t least = bounds->least < 0 ? 0 : bounds->least;
    bool has_room = bounds->most > least && bounds->most - least >= (int64_t)HTP_MAX_LANES;
    if (bounds->most < number) {
        return has_room ? bounds->most - lane : number;
    }
    return least > number && least < INT64_MAX - number ? least + number : number;
}

void htp_data_sizes_make_up(htp_exported_symbols *symbols)
{
    int64_t prime = 1;
    symbols->data_sizes.count = 0;
    for (uint32_t i = 0; i < symbols->symbol_count; i++) {
        if (!htp_exported_symbols_is_data(symbols, i)) {
            continue;
        }
        htp_trace_size size = {.name = symbols->names.strings.items[i]};
        for (uint32_t lane = 0; lane < symbols->lane_count; lane++) {
            size.sizes[lane] = make_up(&symbols->bounds[i], lane, &prime);
            symbols->numbers[lane][i] = htp_exported_integer(size.sizes[lane]);
        }
        HTP_PUSH(symbols->arena, &symbols->data_sizes, size);
    }
}
