/*
 * Pickles that map code to source lines: ("FORMAT_WITH_STRING_TABLE", texts, positions), or
 * positions alone, each of them (offset, (source, begin, end), tag). A source is (list of text
 * indices, index of the file's name, first line), or without a table the texts themselves. libtorch
 * does not check the indices.
 */
#include "source/pickle/pickle_machine.h"

#include <string.h>

#define FORMAT_WITH_TEXTS "FORMAT_WITH_STRING_TABLE"

/* State of the check. */
struct texts {
    bool is_table;
    uint32_t count;
    uint64_t lines; /* of all sources, since libtorch copies them */
};

static bool is_tuple(const htp_pickle_machine *machine, const htp_pickle_value *value,
                     uint32_t count)
{
    return value->kind == HTP_PICKLE_TUPLE && htp_pickle_node_of(machine, value)->count >= count;
}

static htp_status check_source(const htp_pickle_machine *machine, const htp_pickle_value *source,
                               struct texts *texts)
{
    htp_pickle_node *node = htp_pickle_node_of(machine, source);
    const htp_pickle_value *lines = htp_pickle_part(machine, node, 0);
    if (node->is_seen || !texts->is_table || lines->kind != HTP_PICKLE_LIST) {
        return HTP_OK;
    }
    node->is_seen = true;
    const htp_pickle_node *list = htp_pickle_node_of(machine, lines);
    bool are_ints = (list->kinds & ~(1U << HTP_PICKLE_INT)) == 0;
    if (!are_ints || (list->count > 0 && (list->low < 0 || list->high >= texts->count))) {
        return htp_pickle_damaged(machine, "a source has lines that are not among its %u texts",
                                  texts->count);
    }
    texts->lines += list->count;
    if (texts->lines > machine->pickle->count) {
        return htp_pickle_damaged(machine, "sources share lists of lines");
    }
    return HTP_OK;
}

/* Parts that libtorch reads unchecked must exist; it checks their kinds itself. */
static htp_status check_position(const htp_pickle_machine *machine,
                                 const htp_pickle_value *position, struct texts *texts)
{
    if (!is_tuple(machine, position, 2)) {
        return htp_pickle_damaged(machine, "a position is not in PyTorch's form");
    }
    const htp_pickle_node *node = htp_pickle_node_of(machine, position);
    const htp_pickle_value *range = htp_pickle_part(machine, node, 1);
    if (!is_tuple(machine, range, 1)) {
        return HTP_OK;
    }
    const htp_pickle_value *source =
        htp_pickle_part(machine, htp_pickle_node_of(machine, range), 0);
    return is_tuple(machine, source, 1) ? check_source(machine, source, texts) : HTP_OK;
}

bool htp_pickle_has_texts(const htp_pickle_machine *machine, const htp_pickle_node *root)
{
    if (root->count == 0) {
        return false;
    }
    const htp_pickle_value *value = htp_pickle_part(machine, root, 0);
    return value->kind == HTP_PICKLE_STRING && value->string.bytes == strlen(FORMAT_WITH_TEXTS) &&
           memcmp(machine->pickle->bytes + value->string.offset, FORMAT_WITH_TEXTS,
                  value->string.bytes) == 0;
}

/* Opens the tuple of texts. */
static htp_status open_texts(const htp_pickle_machine *machine, const htp_pickle_node *root,
                             struct texts *texts, const htp_pickle_node **positions)
{
    if (root->count < 3 || !is_tuple(machine, htp_pickle_part(machine, root, 1), 0) ||
        !is_tuple(machine, htp_pickle_part(machine, root, 2), 0)) {
        return htp_pickle_damaged(machine, "its texts and positions are not there");
    }
    const htp_pickle_node *table = htp_pickle_node_of(machine, htp_pickle_part(machine, root, 1));
    if (table->kinds & ~(1U << HTP_PICKLE_STRING)) {
        return htp_pickle_damaged(machine, "its texts are no strings");
    }
    *texts = (struct texts){.is_table = true, .count = table->count};
    *positions = htp_pickle_node_of(machine, htp_pickle_part(machine, root, 2));
    return HTP_OK;
}

htp_status htp_pickle_check_debug(htp_pickle_machine *machine)
{
    const htp_pickle_value *whole = &machine->stack.items[0];
    if (!is_tuple(machine, whole, 0)) {
        return htp_pickle_damaged(machine, "no tuple of positions");
    }
    struct texts texts = {.is_table = false};
    const htp_pickle_node *positions = htp_pickle_node_of(machine, whole);
    if (htp_pickle_has_texts(machine, positions)) {
        HTP_TRY(open_texts(machine, positions, &texts, &positions));
    }
    for (uint32_t i = 0; i < positions->count; i++) {
        HTP_TRY(check_position(machine, htp_pickle_part(machine, positions, i), &texts));
    }
    return HTP_OK;
}
