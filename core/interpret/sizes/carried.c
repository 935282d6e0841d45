/*
 * Sizes of earlier calls: consecutive calls have equal sizes.
 */
#include "interpret/sizes/sizes.h"

#include "base/text.h"

#include <string.h>

/* The results of comparing a size of at least 1 with a number of at most 0, and with itself. */
typedef struct comparison {
    const char *kind;
    bool with_nothing;
    bool with_itself;
    bool has_itself; /* it has two operands */
} comparison;

static const comparison comparisons[] = {
    {"aten::eq", false, true, true},    {"aten::ne", true, false, true},
    {"aten::gt", true, false, true},    {"aten::ge", true, true, true},
    {"aten::lt", false, false, true},   {"aten::le", false, true, true},
    {"aten::Bool", true, false, false},
};

static const comparison *find_comparison(const char *kind)
{
    for (size_t i = 0; i < sizeof(comparisons) / sizeof(comparisons[0]); i++) {
        if (strcmp(comparisons[i].kind, kind) == 0) {
            return &comparisons[i];
        }
    }
    return NULL;
}

/* Whether an item is an int that does not depend on data. */
static bool is_known_int(const htp_item *item)
{
    return htp_is_int(item) && htp_has_lanes(item) && !htp_is_data(item);
}

static bool is_same(const htp_machine *m, const htp_item *a, const htp_item *b)
{
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        if (!htp_operand_is_equal(m->runner, &a->lane[lane], &b->lane[lane])) {
            return false;
        }
    }
    return true;
}

bool htp_sizes_compare_carried(const htp_machine *m, const char *kind, const htp_items *inputs,
                               bool *answer)
{
    if (inputs->count == 0 || inputs->count > 2) {
        return false;
    }
    const htp_item *first = inputs->items[0];
    const htp_item *last = inputs->items[inputs->count - 1];
    const comparison *found = first->is_carried || last->is_carried ? find_comparison(kind) : NULL;
    if (!found || !is_known_int(first) || !is_known_int(last)) {
        return false;
    }
    bool is_nothing = inputs->count == 1 || (htp_is_constant(last) && last->lane[0].as.i <= 0);
    if (is_nothing && first->is_carried) {
        *answer = found->with_nothing;
        return true;
    }
    *answer = found->with_itself;
    return found->has_itself && is_same(m, first, last);
}

void htp_sizes_pass_on_carried(const char *kind, const htp_items *inputs, const htp_items *outputs)
{
    static const char *const passing[] = {"aten::size", "aten::len", "aten::__getitem__"};
    if (inputs->count == 0 || !inputs->items[0]->is_carried ||
        !htp_text_is_one_of(kind, passing, sizeof(passing) / sizeof(passing[0]))) {
        return;
    }
    for (size_t i = 0; i < outputs->count; i++) {
        htp_item *output = outputs->items[i];
        output->is_carried = true;
        for (size_t k = 0; k < output->elements.count; k++) {
            output->elements.items[k]->is_carried = true;
        }
    }
}
