#include "interpret/values/item.h"
#include "interpret/values/item_groups.h"
#include "interpret/values/item_tests.h"

#include <string.h>

bool htp_item_all(const htp_item *item, htp_item_test test)
{
    if (item->kind == HTP_ITEM_LIST || item->kind == HTP_ITEM_TUPLE) {
        return htp_items_all(&item->elements, test);
    }
    return test(item);
}

bool htp_items_all(const htp_items *items, htp_item_test test)
{
    for (size_t i = 0; i < items->count; i++) {
        if (!htp_item_all(items->items[i], test)) {
            return false;
        }
    }
    return true;
}

static bool is_no_tensor(const htp_item *item)
{
    return !htp_is_tensor(item);
}

bool htp_item_has_tensors(const htp_item *item)
{
    return !htp_item_all(item, is_no_tensor);
}

static bool is_fixed(const htp_item *item)
{
    return htp_has_lanes(item) && !htp_is_data(item);
}

bool htp_items_have_data(const htp_items *items)
{
    return !htp_items_all(items, is_fixed);
}

static bool elements_are_equal(const htp_runner *runner, const htp_operand *a, const htp_operand *b)
{
    bool are_equal = a->count == b->count;
    for (uint32_t i = 0; are_equal && i < a->count; i++) {
        are_equal = htp_operand_is_equal(runner, &a->as.elements[i], &b->as.elements[i]);
    }
    return are_equal;
}

bool htp_operand_is_equal(const htp_runner *runner, const htp_operand *a, const htp_operand *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    switch (a->kind) {
    case HTP_OPERAND_NONE:
        return true;
    case HTP_OPERAND_INT:
        return a->as.i == b->as.i;
    case HTP_OPERAND_FLOAT:
        return a->as.f == b->as.f;
    case HTP_OPERAND_BOOL:
        return a->as.b == b->as.b;
    case HTP_OPERAND_STRING:
        return a->bytes == b->bytes && memcmp(a->as.text, b->as.text, a->bytes) == 0;
    case HTP_OPERAND_DEVICE:
        return strcmp(a->as.text, b->as.text) == 0;
    case HTP_OPERAND_TENSOR:
        return a->as.tensor == b->as.tensor;
    case HTP_OPERAND_LIST:
    case HTP_OPERAND_TUPLE:
        return elements_are_equal(runner, a, b);
    case HTP_OPERAND_OBJECT:
        return a->as.object == b->as.object;
    case HTP_OPERAND_OTHER:
        break;
    }
    return runner->is_equal(runner->self, a, b);
}

bool htp_items_have(const htp_items *items, const htp_item *item)
{
    for (size_t i = 0; i < items->count; i++) {
        if (items->items[i] == item) {
            return true;
        }
    }
    return false;
}

bool htp_items_are_equal(const htp_items *a, const htp_items *b)
{
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->items, b->items, a->count * sizeof(*a->items)) == 0);
}
