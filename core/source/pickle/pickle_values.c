#include "source/code/code_tuples.h"
#include "source/pickle/pickle_machine.h"

#include <stdarg.h>

enum {
    DEPTH_LIMIT = 2000, /* libtorch frees, hashes and compares values recursively */
    TELLING = 16384,    /* items that are enough to estimate the final number */
};

/* Values with parts, counted once per path: a walk without marks visits all of them. The file may
 * share values, but not exponentially. */
static const uint64_t unfolded_limit = 10000000;

/* ---- failures ---- */

static htp_status fail(const htp_pickle_machine *machine, const char *what, const char *format,
                       va_list arguments)
{
    const htp_pickle *pickle = machine->pickle;
    return htp_status_make(HTP_CODE_BAD_INPUT, "%s: %s: %s at byte %u: %s", pickle->path, what,
                           pickle->name, machine->opcode,
                           htp_arena_vprintf(machine->arena, format, arguments));
}

htp_status htp_pickle_damaged(const htp_pickle_machine *machine, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    htp_status status = fail(machine, "damaged archive", format, arguments);
    va_end(arguments);
    return status;
}

htp_status htp_pickle_unknown(const htp_pickle_machine *machine, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    htp_status status = fail(machine, "cannot be read", format, arguments);
    va_end(arguments);
    return status;
}

/* ---- the stack ---- */

void htp_pickle_push(htp_pickle_machine *machine, htp_pickle_kind kind, int64_t number)
{
    HTP_PUSH(machine->arena, &machine->stack, (htp_pickle_value){.kind = kind, .number = number});
}

/* An estimate of further items after the first @p count, as if a pickle continued like it begins.
 * Debug records have hundreds of thousands of parts, and copying them while growing would cost more
 * than everything else. Few items allow no estimate. */
static size_t more_to_come(const htp_pickle_machine *machine, size_t count)
{
    const uint64_t more = count * (uint64_t)(machine->pickle->count - machine->at) / machine->at;
    return count < TELLING ? 1 : (size_t)(more + more / 4 + 1);
}

/* Makes room for @p more. */
#define MAKE_ROOM(machine, vector, more)                                                           \
    do {                                                                                           \
        if ((more) > (vector)->capacity - (vector)->count) {                                       \
            HTP_EXPECT((machine)->arena, (vector),                                                 \
                       (more) + more_to_come((machine), (vector)->count));                         \
        }                                                                                          \
    } while (0)

static htp_pickle_value new_value(htp_pickle_machine *machine, htp_pickle_kind kind)
{
    MAKE_ROOM(machine, &machine->nodes, 1);
    HTP_PUSH(machine->arena, &machine->nodes,
             (htp_pickle_node){.depth = 1,
                               .unfolded = 1,
                               .low = INT64_MAX,
                               .high = INT64_MIN,
                               .cost = HTP_TUPLES_PLAIN});
    return (htp_pickle_value){.kind = kind, .node = (uint32_t)machine->nodes.count - 1};
}

htp_pickle_node *htp_pickle_push_node(htp_pickle_machine *machine, htp_pickle_kind kind)
{
    htp_pickle_value value = new_value(machine, kind);
    HTP_PUSH(machine->arena, &machine->stack, value);
    return htp_pickle_node_of(machine, &value);
}

size_t htp_pickle_reachable(const htp_pickle_machine *machine)
{
    size_t floor = machine->marks.count ? machine->marks.items[machine->marks.count - 1] : 0;
    return machine->stack.count - floor;
}

htp_status htp_pickle_take(htp_pickle_machine *machine, size_t count,
                           const htp_pickle_value **values)
{
    if (htp_pickle_reachable(machine) < count) {
        return htp_pickle_damaged(machine, "it takes %zu values of a stack of %zu", count,
                                  htp_pickle_reachable(machine));
    }
    machine->stack.count -= count;
    *values = HTP_FROM(&machine->stack, machine->stack.count);
    return HTP_OK;
}

htp_status htp_pickle_take_marked(htp_pickle_machine *machine, const htp_pickle_value **values,
                                  size_t *count)
{
    if (machine->marks.count == 0) {
        return htp_pickle_damaged(machine, "it ends a sequence without a mark");
    }
    *count = htp_pickle_reachable(machine);
    HTP_TRY(htp_pickle_take(machine, *count, values));
    machine->marks.count--;
    return HTP_OK;
}

/* ---- values with parts ---- */

static bool has_node(const htp_pickle_value *value)
{
    return (value->kind >= HTP_PICKLE_TUPLE && value->kind <= HTP_PICKLE_DICT) ||
           value->kind >= HTP_PICKLE_STORAGE;
}

static void note_int(htp_pickle_node *node, int64_t number)
{
    node->low = number < node->low ? number : node->low;
    node->high = number > node->high ? number : node->high;
}

/* Makes values parts of node @p whole, and freezes them, so facts about the whole stay true, and
 * there are no cycles. */
static htp_status add_parts(htp_pickle_machine *machine, uint32_t whole,
                            const htp_pickle_value *values, size_t count)
{
    htp_pickle_node *node = &machine->nodes.items[whole];
    for (size_t i = 0; i < count; i++) {
        node->kinds |= 1U << values[i].kind;
        if (values[i].kind == HTP_PICKLE_INT) {
            note_int(node, values[i].number);
        }
        if (!has_node(&values[i])) {
            continue;
        }
        htp_pickle_node *part = htp_pickle_node_of(machine, &values[i]);
        part->is_closed = true;
        node->depth = part->depth >= node->depth ? part->depth + 1 : node->depth;
        node->unfolded += part->unfolded;
        if (node->unfolded > unfolded_limit && node->unfolded / 4 > machine->nodes.count) {
            return htp_pickle_damaged(machine, "shared values unfold to more than %llu",
                                      (unsigned long long)unfolded_limit);
        }
    }
    if (node->depth > DEPTH_LIMIT) {
        return htp_pickle_damaged(machine, "values are nested more than %d deep", DEPTH_LIMIT);
    }
    return HTP_OK;
}

double htp_pickle_cost_of(const htp_pickle_machine *machine, const htp_pickle_value *value)
{
    return has_node(value) ? htp_pickle_node_of(machine, value)->cost : HTP_TUPLES_PLAIN;
}

/* A value made from another one may be a named tuple of its elements. */
static double cost_of_made(const htp_pickle_machine *machine, htp_pickle_kind kind,
                           const htp_pickle_value *values, size_t count)
{
    double elements = 0;
    if (kind == HTP_PICKLE_OBJECT && count == 1) {
        return htp_pickle_cost_of(machine, values);
    }
    for (size_t i = 0; i < count; i++) {
        elements += htp_pickle_cost_of(machine, &values[i]);
    }
    return kind == HTP_PICKLE_TUPLE ? htp_tuples_cost(elements) : HTP_TUPLES_PLAIN;
}

static void keep_parts(htp_pickle_machine *machine, htp_pickle_node *tuple,
                       const htp_pickle_value *values, size_t count)
{
    tuple->first = (uint32_t)machine->items.count;
    MAKE_ROOM(machine, &machine->items, count);
    for (size_t i = 0; i < count; i++) {
        machine->items.items[machine->items.count++] = values[i];
    }
}

static void keep_numbers(htp_pickle_machine *machine, htp_pickle_node *list,
                         const htp_pickle_value *values, size_t count)
{
    if (list->count == 0) {
        list->first = (uint32_t)machine->numbers.count;
    }
    if (list->first + list->count != machine->numbers.count) {
        list->is_scattered = true;
        return;
    }
    MAKE_ROOM(machine, &machine->numbers, count);
    for (size_t i = 0; i < count; i++) {
        machine->numbers.items[machine->numbers.count++] = values[i].number;
    }
}

/* Keeps the members of a dict: keys and values alternate. */
static void keep_members(htp_pickle_machine *machine, uint32_t dict, const htp_pickle_value *values,
                         size_t count)
{
    for (size_t i = 0; i + 1 < count; i += 2) {
        HTP_PUSH(machine->arena, &machine->members,
                 (htp_pickle_member){dict, values[i], values[i + 1]});
    }
}

/* Stores the parts of a tuple, and those of a list or a dict if they are read later. */
static void keep_items(htp_pickle_machine *machine, uint32_t kind, htp_pickle_node *node,
                       const htp_pickle_value *values, size_t count)
{
    if (kind == HTP_PICKLE_TUPLE) {
        keep_parts(machine, node, values, count);
    } else if (kind == HTP_PICKLE_LIST && machine->pickle->role == HTP_PICKLE_OF_LINES) {
        keep_numbers(machine, node, values, count);
    } else if (kind == HTP_PICKLE_DICT && machine->pickle->role == HTP_PICKLE_OF_STATE) {
        keep_members(machine, (uint32_t)(node - machine->nodes.items), values, count);
    }
}

htp_status htp_pickle_extend(htp_pickle_machine *machine, const htp_pickle_value *target,
                             const htp_pickle_value *values, size_t count)
{
    HTP_TRY(add_parts(machine, target->node, values, count));
    htp_pickle_node *node = htp_pickle_node_of(machine, target);
    if (node->is_closed) {
        return htp_pickle_damaged(machine, "it changes a list or dict that is a part of another "
                                           "value, or of itself");
    }
    keep_items(machine, target->kind, node, values, count);
    node->count += (uint32_t)count;
    return HTP_OK;
}

htp_status htp_pickle_make(htp_pickle_machine *machine, htp_pickle_kind kind,
                           const htp_pickle_value *values, size_t count)
{
    htp_pickle_value whole = new_value(machine, kind);
    htp_pickle_node *node = htp_pickle_node_of(machine, &whole);
    keep_items(machine, kind, node, values, count);
    node->count = (uint32_t)count;
    node->cost = cost_of_made(machine, kind, values, count);
    HTP_TRY(add_parts(machine, whole.node, values, count));
    HTP_PUSH(machine->arena, &machine->stack, whole);
    return HTP_OK;
}
