#include "exported/call/scopes.h"

#include "exported/modules/modules.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- lines ---- */

/* A line of Python's stack: File "FILE", line LINE, in FUNCTION, and its code. */
typedef struct frame {
    const char *file;
    size_t file_bytes;
    uint32_t line;
    const char *function;
    size_t function_bytes;
    const char *text; /* "" if the code is unknown */
    size_t text_bytes;
} frame;

typedef HTP_VECTOR(frame) frames;

static const char *end_of_line(const char *at)
{
    const char *end = strchr(at, '\n');
    return end ? end : at + strlen(at);
}

static const char *skip_spaces(const char *at, const char *end)
{
    while (at < end && *at == ' ') {
        at++;
    }
    return at;
}

/* Parses a line. @return whether it is a frame. */
static bool read_frame(const char *at, const char *end, frame *read)
{
    static const char begin[] = "File \"";
    static const char line[] = "\", line ";
    static const char in[] = ", in ";
    if ((size_t)(end - at) < strlen(begin) || memcmp(at, begin, strlen(begin)) != 0) {
        return false;
    }
    const char *file = at + strlen(begin);
    const char *behind = strstr(file, line);
    const char *where = behind ? strstr(behind + strlen(line), in) : NULL;
    if (!where || where > end) {
        return false;
    }
    unsigned long number = strtoul(behind + strlen(line), NULL, 10);
    *read = (frame){.file = file,
                    .file_bytes = (size_t)(behind - file),
                    .line = number < UINT32_MAX ? (uint32_t)number : 0,
                    .function = where + strlen(in),
                    .function_bytes = (size_t)(end - where) - strlen(in),
                    .text = ""};
    return true;
}

/* The frames of a stack, outermost first. */
static frames read_frames(htp_arena *arena, const char *text)
{
    frames all = {0};
    bool needs_text = false;
    for (const char *at = text; at && *at;) {
        const char *end = end_of_line(at);
        frame read;
        at = skip_spaces(at, end);
        if (read_frame(at, end, &read)) {
            HTP_PUSH(arena, &all, read);
            needs_text = true;
        } else if (needs_text) {
            all.items[all.count - 1].text = at;
            all.items[all.count - 1].text_bytes = (size_t)(end - at);
            needs_text = false;
        }
        at = *end ? end + 1 : NULL;
    }
    return all;
}

static bool is_forward(const frame *of)
{
    static const char name[] = "forward";
    return of->function_bytes == strlen(name) &&
           memcmp(of->function, name, of->function_bytes) == 0;
}

static void set_place(htp_tape *r, const frame *from, htp_exported_place *place)
{
    place->file = htp_arena_copy(r->arena, from->file, from->file_bytes);
    place->line = from->line;
    place->function = htp_arena_copy(r->arena, from->function, from->function_bytes);
    const char *text = htp_arena_copy(r->arena, from->text, from->text_bytes);
    place->text = *text ? htp_arena_join(r->arena, " ", "", text) : NULL;
}

/* ---- scopes ---- */

void htp_scopes_begin(htp_tape *r)
{
    r->module_calls = HTP_NEW_ARRAY(r->arena, uint32_t, r->modules->all.count);
    r->module_calls[0] = 1;
    HTP_PUSH(r->arena, &r->scopes, (htp_trace_scope){.parent = HTP_NONE});
}

/* The line that calls a scope's module: the one before its own forward().
 * @param depth  of the scope; 1 for those below the program's own
 * @param chain  frames of a node in it, with one forward() per scope */
static uint32_t add_site(htp_tape *r, uint32_t caller, const frames *chain, uint32_t depth)
{
    uint32_t seen = 0;
    size_t at = 0;
    while (at < chain->count && seen < depth + 1) {
        seen += is_forward(&chain->items[at]);
        at += seen < depth + 1;
    }
    htp_exported_place place = {.file = ""};
    if (at > 0 && at < chain->count) {
        set_place(r, &chain->items[at - 1], &place);
    }
    HTP_PUSH(r->arena, &r->calls,
             (htp_trace_call){.scope = caller,
                              .source_file = place.file,
                              .source_line = place.line,
                              .source_text = place.text,
                              .function = place.function});
    return (uint32_t)r->calls.count;
}

/* The scope of a call inside another one. */
static uint32_t scope_below(htp_tape *r, uint32_t parent, const htp_stack_entry *entry,
                            const frames *chain, uint32_t depth)
{
    uint32_t module = htp_exported_modules_at(r->modules, entry->path, entry->path_bytes);
    if (module == HTP_NONE || (module == 0 && parent == 0)) {
        return parent;
    }
    const char *key =
        htp_arena_printf(r->arena, "%" PRIu32 "/%.*s", parent, (int)entry->key_bytes, entry->key);
    uint32_t scope = (uint32_t)r->scopes.count;
    const void **place = htp_map_add_bytes(r->arena, &r->scope_by_key, key, strlen(key), &scope);
    if (place) {
        *place = key;
        htp_trace_scope made = {.parent = parent,
                                .module = module,
                                .call = r->module_calls[module]++,
                                .site = add_site(r, parent, chain, depth)};
        HTP_PUSH(r->arena, &r->scopes, made);
    }
    return scope;
}

/* The number of modules in a stack; the outermost is the program. */
static uint32_t count_modules(const char *stack)
{
    htp_stack_entry entry;
    uint32_t count = 0;
    for (const char *at = stack; htp_stack_next(&at, &entry);) {
        count++;
    }
    return count;
}

bool htp_scopes_are_recorded(const htp_exported_node *node)
{
    const char *at = node->stack;
    htp_stack_entry entry;
    return htp_stack_next(&at, &entry);
}

/* The scope of a stack. */
static uint32_t scope_of(htp_tape *r, const char *stack, const frames *chain)
{
    static const frames none = {0};
    uint32_t forwards = 0;
    for (size_t i = 0; i < chain->count; i++) {
        forwards += is_forward(&chain->items[i]);
    }
    bool have_lines = forwards == count_modules(stack);
    htp_stack_entry entry;
    uint32_t scope = 0;
    uint32_t depth = 0;
    for (const char *at = stack; htp_stack_next(&at, &entry); depth++) {
        if (depth > 0 || entry.path_bytes > 0) {
            scope = scope_below(r, scope, &entry, have_lines ? chain : &none, depth);
        }
    }
    return scope;
}

htp_exported_place htp_scopes_place(htp_tape *r, const htp_exported_node *node,
                                    const htp_exported_place *around)
{
    htp_exported_place place = *around;
    place.stack = NULL;
    bool are_recorded = htp_scopes_are_recorded(node);
    frames chain = node->places && are_recorded ? read_frames(r->arena, node->places) : (frames){0};
    if (are_recorded) {
        uint32_t scope;
        const void **key = htp_map_add_bytes(r->arena, &r->scope_by_stack, node->stack,
                                             strlen(node->stack), &(uint32_t){0});
        if (key) {
            *key = node->stack;
            scope = scope_of(r, node->stack, &chain);
            htp_map_set(r->arena, &r->scope_by_stack, node->stack, scope);
        } else {
            (void)htp_map_get(&r->scope_by_stack, node->stack, &scope);
        }
        place = (htp_exported_place){.scope = scope, .file = "", .stack = node->stack};
    }
    if (chain.count > 0) {
        set_place(r, &chain.items[chain.count - 1], &place);
    }
    return place;
}
