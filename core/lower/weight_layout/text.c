#include "lower/weight_layout/weight_layout.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

const void *htp_laid_key(const htp_builder *model, const htp_laid *laid, size_t *bytes)
{
    size_t words = 4 + (size_t)laid->rank;
    for (uint32_t i = 0; i < laid->box_count; i++) {
        words += 3 + 2 * (size_t)laid->boxes[i].rank;
    }
    int64_t *key = HTP_NEW_ARRAY(model->arena, int64_t, words);
    int64_t *at = key;
    *at++ = (int64_t)laid->dtype;
    *at++ = (int64_t)laid->cast;
    *at++ = (int64_t)laid->box_count;
    *at++ = (int64_t)laid->rank;
    for (uint32_t i = 0; i < laid->rank; i++) {
        *at++ = laid->dims[i];
    }
    for (uint32_t i = 0; i < laid->box_count; i++) {
        const htp_box *box = &laid->boxes[i];
        *at++ = (int64_t)box->weight;
        *at++ = box->offset;
        *at++ = (int64_t)box->rank;
        for (uint32_t k = 0; k < box->rank; k++) {
            *at++ = box->dims[k];
            *at++ = box->strides[k];
        }
    }
    *bytes = words * sizeof(*key);
    return key;
}

uint32_t htp_laid_weights(const htp_builder *model, const htp_laid *laid, const uint32_t **weights)
{
    uint32_t *found = HTP_NEW_ARRAY(model->arena, uint32_t, laid->box_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < laid->box_count; i++) {
        uint32_t k = 0;
        while (k < count && found[k] != laid->boxes[i].weight) {
            k++;
        }
        found[k] = laid->boxes[i].weight;
        count += k == count;
    }
    *weights = found;
    return count;
}

/* Finds the weight's axis for each axis of the tensor; false if it is no permutation of all of
 * them. */
static bool find_order(const htp_laid *whole, const htp_laid *laid, uint32_t *order)
{
    bool is_taken[HTP_MAX_RANK] = {false};
    if (!laid->is_strided || laid->rank != whole->rank ||
        laid->boxes->offset != whole->boxes->offset) {
        return false;
    }
    for (uint32_t i = 0; i < laid->rank; i++) {
        uint32_t axis = 0;
        while (axis < whole->rank && (is_taken[axis] || whole->dims[axis] != laid->dims[i] ||
                                      whole->boxes->strides[axis] != laid->boxes->strides[i])) {
            axis++;
        }
        if (axis == whole->rank) {
            return false;
        }
        is_taken[axis] = true;
        order[i] = axis;
    }
    return true;
}

bool htp_laid_is_transpose(const htp_laid *whole, const htp_laid *laid)
{
    uint32_t order[HTP_MAX_RANK];
    return laid->rank == 2 && find_order(whole, laid, order) && order[0] == 1;
}

/* Whether a box is contiguous and in memory order. @param count  receives its elements */
static bool is_dense(const htp_box *box, int64_t *count)
{
    *count = 1;
    for (uint32_t i = box->rank; i-- > 0;) {
        if (box->dims[i] != 1 && box->strides[i] != *count) {
            return false;
        }
        *count *= box->dims[i];
    }
    return true;
}

/* Whether a tensor has all elements of the weight in memory order. */
static bool has_own_order(const htp_laid *whole, const htp_laid *laid)
{
    int64_t counts[2];
    return laid->box_count == 1 && laid->boxes->offset == whole->boxes->offset &&
           is_dense(laid->boxes, &counts[0]) && is_dense(whole->boxes, &counts[1]) &&
           counts[0] == counts[1];
}

static void add_ints(htp_text *text, const char *key, const int64_t *values, uint32_t count)
{
    htp_text_addf(text, ", \"%s\": [", key);
    for (uint32_t i = 0; i < count; i++) {
        htp_text_addf(text, "%s%" PRId64, i ? ", " : "", values[i]);
    }
    htp_text_add(text, "]");
}

static void add_boxes(htp_text *text, const htp_laid *laid, const uint32_t *weights)
{
    for (uint32_t i = 0; i < laid->box_count; i++) {
        const htp_box *box = &laid->boxes[i];
        unsigned of = 0;
        while (weights[of] != box->weight) {
            of++;
        }
        htp_text_addf(text, "%s{\"of\": %u, \"offset\": %" PRId64, i ? ", " : "[", of, box->offset);
        add_ints(text, "sizes", box->dims, box->rank);
        add_ints(text, "strides", box->strides, box->rank);
        htp_text_add(text, "}");
    }
    htp_text_add(text, "]");
}

const char *htp_laid_text(htp_arena *arena, const htp_laid *whole, const htp_laid *laid,
                          const uint32_t *weights)
{
    uint32_t order[HTP_MAX_RANK];
    bool is_ordered = whole && find_order(whole, laid, order);
    bool is_as_it_was = is_ordered;
    for (uint32_t i = 0; is_ordered && i < laid->rank; i++) {
        is_as_it_was = is_as_it_was && order[i] == i;
    }
    if (is_as_it_was) {
        return "cast";
    }
    if (is_ordered && laid->rank == 2) {
        return "transpose";
    }
    if (whole && has_own_order(whole, laid)) {
        return "reshape";
    }
    htp_text text = {.arena = arena};
    if (!is_ordered) {
        add_boxes(&text, laid, weights);
        return htp_text_string(&text);
    }
    for (uint32_t i = 0; i < laid->rank; i++) {
        htp_text_addf(&text, "%s%u", i ? ", " : "[", (unsigned)order[i]);
    }
    htp_text_add(&text, "]");
    return htp_text_string(&text);
}
