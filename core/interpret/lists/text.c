/*
 * Strings that a program builds, mostly for messages.
 */
#include "interpret/lists/lists.h"
#include "interpret/machine/costs.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* Deeper nesting makes no useful text. */
enum { MAX_DEPTH = 1000 };

static htp_outcome check_size(htp_machine *m, const htp_step *step, const htp_text *text)
{
    return text->length <= htp_limit_value(m->limits, HTP_LIMIT_CHARACTERS)
               ? HTP_GOES_ON
               : htp_machine_exceed(m, HTP_LIMIT_CHARACTERS, &step->place, "%s makes a long text",
                                    step->node->kind);
}

static void add_sizes(const htp_runner_tensor *tensor, htp_text *text)
{
    htp_text_add(text, "a tensor of [");
    for (uint32_t i = 0; i < tensor->rank; i++) {
        htp_text_addf(text, "%s%" PRId64, i ? ", " : "", tensor->dims[i]);
    }
    htp_text_add(text, "]");
}

static void add_plain(const htp_machine *m, const htp_operand *value, htp_text *text)
{
    switch (value->kind) {
    case HTP_OPERAND_STRING:
        htp_text_add_bytes(text, value->as.text, (size_t)value->bytes);
        break;
    case HTP_OPERAND_DEVICE:
        htp_text_add(text, value->as.text);
        break;
    case HTP_OPERAND_INT:
        htp_text_addf(text, "%" PRId64, value->as.i);
        break;
    default:
        htp_text_add(text, m->runner->text_of(m->runner->self, value));
    }
}

static htp_outcome add_item(htp_machine *m, const htp_step *step, const htp_item *item, int depth,
                            htp_text *text);

static htp_outcome add_elements(htp_machine *m, const htp_step *step, const htp_item *list,
                                int depth, htp_text *text)
{
    if (depth == MAX_DEPTH) {
        return htp_machine_stop(m, HTP_UNSUPPORTED, "a list or tuple is nested too deeply");
    }
    htp_text_add(text, "[");
    for (size_t i = 0; i < list->elements.count; i++) {
        htp_text_add(text, i ? ", " : "");
        HTP_DO(add_item(m, step, list->elements.items[i], depth + 1, text));
    }
    htp_text_add(text, "]");
    return HTP_GOES_ON;
}

/* Shared parts of a value are written repeatedly, so the length is limited. */
static htp_outcome add_item(htp_machine *m, const htp_step *step, const htp_item *item, int depth,
                            htp_text *text)
{
    if (item->kind == HTP_ITEM_LIST || item->kind == HTP_ITEM_TUPLE) {
        HTP_DO(add_elements(m, step, item, depth, text));
    } else if (htp_is_tensor(item)) {
        add_sizes(htp_tensor_in(item, 0), text);
    } else if (item->kind != HTP_ITEM_PLAIN || !htp_has_lanes(item)) {
        htp_text_add(text, "?");
    } else {
        add_plain(m, &item->lane[0], text);
    }
    return check_size(m, step, text);
}

/* Whether an item's text is certain: TorchScript's formatting is known exactly only for numbers,
 * strings and devices. */
static bool is_certain(const htp_item *item)
{
    static const bool are[] = {[HTP_OPERAND_INT] = true,
                               [HTP_OPERAND_FLOAT] = true,
                               [HTP_OPERAND_BOOL] = true,
                               [HTP_OPERAND_STRING] = true,
                               [HTP_OPERAND_DEVICE] = true};
    htp_operand_kind kind = item->lane[0].kind;
    return htp_is_decided(item) && kind < sizeof(are) / sizeof(are[0]) && are[kind];
}

/* Returns a text; it is a constant only if certain, so that a program cannot branch on another
 * formatting. */
static htp_outcome give(htp_machine *m, const htp_text *text, bool is_constant, htp_items *outputs)
{
    htp_item *item = htp_item_text(m, htp_text_string(text), text->length);
    item->known = is_constant ? HTP_KNOWN_CONSTANT : HTP_KNOWN_SIZED;
    return htp_handler_give(m, outputs, item);
}

/* str(x), and "%d" % x without placeholders. */
htp_outcome htp_do_text(htp_machine *m, htp_step *step, htp_items *outputs)
{
    const htp_item *item = step->inputs.count > 0 ? step->inputs.items[0] : NULL;
    htp_text text = {.arena = m->arena};
    if (item) {
        HTP_DO(add_item(m, step, item, 0, &text));
    }
    bool is_whole = strcmp(step->node->kind, "aten::str") == 0;
    return give(m, &text, item && is_whole && is_certain(item), outputs);
}

/* Replaces each "{}" of a pattern by the next operand. */
static htp_outcome fill_in(htp_machine *m, const htp_step *step, const htp_text *pattern,
                           htp_text *text)
{
    const htp_items *operands = &step->inputs;
    const char *at = htp_text_string(pattern);
    const char *end = at + pattern->length;
    for (size_t next = 1; next < operands->count; next++) {
        const char *place = memmem(at, (size_t)(end - at), "{}", 2);
        if (!place) {
            break;
        }
        htp_text_add_bytes(text, at, (size_t)(place - at));
        htp_text shown = {.arena = m->arena};
        HTP_DO(add_item(m, step, operands->items[next], 0, &shown));
        htp_text_add_bytes(text, htp_text_string(&shown), shown.length);
        HTP_DO(check_size(m, step, text));
        at = place + 2;
    }
    htp_text_add_bytes(text, at, (size_t)(end - at));
    return HTP_GOES_ON;
}

/* "{} and {}".format(x, y) */
htp_outcome htp_do_format(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 1));
    const htp_items *operands = &step->inputs;
    htp_text pattern = {.arena = m->arena};
    HTP_DO(add_item(m, step, operands->items[0], 0, &pattern));
    htp_text text = {.arena = m->arena};
    HTP_DO(fill_in(m, step, &pattern, &text));
    bool is_constant = htp_is_constant(operands->items[0]);
    for (size_t i = 1; i < operands->count; i++) {
        is_constant = is_constant && is_certain(operands->items[i]);
    }
    return give(m, &text, is_constant, outputs);
}
