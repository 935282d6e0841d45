/*
 * Generalises a message of libtorch about one lane to all sizes: sizes that were not given, those
 * of other lanes and made-up ones become question marks. Numbers of the program and dims stay.
 */
#include "interpret/lanes/execute.h"

#include "base/text.h"

#include <ctype.h>
#include <string.h>

/* The numbers in operands, as text. */
typedef struct reader {
    htp_machine *m;
    size_t lane;
    htp_map fixed;  /* equal in all lanes */
    htp_map moving; /* differ between lanes */
} reader;

static void add(reader *r, htp_map *numbers, int64_t number)
{
    htp_map_set(r->m->arena, numbers, htp_arena_printf(r->m->arena, "%lld", (long long)number), 1);
}

/* Records a number. Data-dependent sizes are made up in the first lane, too. */
static void note(reader *r, const htp_item *item, bool is_fixed, int64_t number)
{
    bool is_given = r->lane == 0 && !htp_is_data(item);
    add(r, is_fixed || is_given ? &r->fixed : &r->moving, number);
}

static void read_tensor(reader *r, const htp_item *item)
{
    const htp_runner_tensor *tensor = htp_tensor_in(item, r->lane);
    add(r, &r->fixed, tensor->rank);
    for (uint32_t dim = 0; dim < tensor->rank; dim++) {
        note(r, item, htp_item_is_fixed(r->m, item, dim), tensor->dims[dim]);
    }
}

static void read_int(reader *r, const htp_item *item)
{
    bool is_fixed = true;
    for (uint32_t lane = 1; lane < r->m->lane_count; lane++) {
        is_fixed =
            is_fixed && htp_operand_is_equal(r->m->runner, &item->lane[lane], &item->lane[0]);
    }
    note(r, item, is_fixed, item->lane[r->lane].as.i);
}

static void read_item(reader *r, const htp_item *item)
{
    if (htp_is_container(item)) {
        add(r, &r->fixed, (int64_t)item->elements.count);
        for (size_t i = 0; i < item->elements.count; i++) {
            read_item(r, item->elements.items[i]);
        }
    } else if (htp_is_tensor(item)) {
        read_tensor(r, item);
    } else if (item->lane[r->lane].kind == HTP_OPERAND_INT) {
        read_int(r, item);
    }
}

/* ---- messages ---- */

static bool is_digit(char c)
{
    return isdigit((unsigned char)c) != 0;
}

static bool is_letter(char c)
{
    return isalpha((unsigned char)c) != 0 || c == '_';
}

/* Whether the 'x' at @p at separates two sizes: "10x7". */
static bool is_times(const char *text, size_t at)
{
    return at > 0 && text[at] == 'x' && is_digit(text[at - 1]) && is_digit(text[at + 1]);
}

/* Whether the digits from @p begin to @p end are an integer: no part of "conv2d", "4D", "0.5". */
static bool is_whole(const char *text, size_t begin, size_t end)
{
    bool is_begun = begin > 0 && (is_letter(text[begin - 1]) || text[begin - 1] == '.') &&
                    !is_times(text, begin - 1);
    bool goes_on = (is_letter(text[end]) && !is_times(text, end)) ||
                   (text[end] == '.' && is_digit(text[end + 1]));
    return !is_begun && !goes_on;
}

/* Whether the text before @p at announces a position rather than a size. */
static bool is_position(const char *text, size_t at)
{
    static const char *const words[] = {"dimension ", "dim ", "argument ", "number ", "#"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t length = strlen(words[i]);
        if (at >= length && memcmp(text + at - length, words[i], length) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether a number of @p length digits may be shown; one behind "-" is negative. */
static bool is_told(const reader *r, const char *text, size_t at, size_t length)
{
    size_t sign = at > 0 && text[at - 1] == '-' ? 1 : 0;
    const char *number = htp_arena_copy(r->m->arena, text + at - sign, length + sign);
    return htp_map_get(&r->fixed, number, NULL) && !htp_map_get(&r->moving, number, NULL);
}

static bool any_is_data(const htp_items *items)
{
    for (size_t i = 0; i < items->count; i++) {
        if (htp_is_data(items->items[i])) {
            return true;
        }
    }
    return false;
}

static bool any_shows_data(const htp_items *inputs)
{
    bool any_data = any_is_data(inputs);
    for (size_t i = 0; i < inputs->count && !any_data; i++) {
        any_data = any_is_data(&inputs->items[i]->elements);
    }
    return any_data;
}

const char *htp_message_worded(htp_machine *m, const htp_items *inputs, size_t lane,
                               const char *text)
{
    if (lane == 0 && !any_shows_data(inputs)) {
        return text;
    }
    reader r = {.m = m, .lane = lane};
    for (size_t i = 0; i < inputs->count; i++) {
        read_item(&r, inputs->items[i]);
    }
    htp_text told = {.arena = m->arena};
    for (size_t i = 0; text[i];) {
        size_t length = 0;
        while (is_digit(text[i + length])) {
            length++;
        }
        bool is_size = length > 0 && is_whole(text, i, i + length) && !is_position(text, i);
        length = length > 0 ? length : 1;
        if (is_size && !is_told(&r, text, i, length)) {
            htp_text_add(&told, "?");
        } else {
            htp_text_add_bytes(&told, text + i, length);
        }
        i += length;
    }
    return htp_text_string(&told);
}
