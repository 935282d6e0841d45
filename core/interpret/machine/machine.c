#include "interpret/machine/costs.h"

#include "base/text.h"

#include <string.h>

void htp_machine_say(htp_machine *m, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    m->message = htp_arena_vprintf(m->arena, format, arguments);
    va_end(arguments);
}

const char *htp_place_describe(htp_machine *m, const htp_place *place)
{
    uint32_t module = place->scope < m->recording.scopes.count
                          ? m->recording.scopes.items[place->scope].module
                          : 0;
    const char *path = m->modules[module].path;
    htp_text text = {.arena = m->arena};
    htp_text_addf(&text, "in %s", *path ? path : "the root module");
    if (place->file && *place->file) {
        htp_text_addf(&text, " (%s:%u)", place->file, (unsigned)place->line);
    }
    return htp_text_string(&text);
}

void htp_machine_say_where(htp_machine *m, const htp_place *place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *what = htp_arena_vprintf(m->arena, format, arguments);
    va_end(arguments);
    htp_machine_say(m, "%s, %s", what, htp_place_describe(m, place));
}

htp_items htp_items_of(htp_machine *m, htp_item *const *items, size_t count)
{
    htp_machine_charge(m, count);
    htp_items made = {0};
    HTP_EXPECT(m->arena, &made, count);
    if (count) {
        memcpy(made.items, items, count * sizeof(*items));
    }
    made.count = count;
    return made;
}

htp_items htp_items_copy(htp_machine *m, const htp_items *items)
{
    return htp_items_of(m, items->items, items->count);
}

void htp_items_push(htp_machine *m, htp_items *items, htp_item *item)
{
    HTP_PUSH(m->arena, items, item);
}

void htp_items_add(htp_machine *m, htp_items *items, const htp_items *more)
{
    size_t count = more->count; /* a list may be appended to itself */
    htp_machine_charge(m, count);
    HTP_EXPECT(m->arena, items, count);
    if (count) {
        memcpy(items->items + items->count, more->items, count * sizeof(*more->items));
    }
    items->count += count;
}
