#include "exported/calls/calls.h"

#include <string.h>

typedef struct finding {
    htp_arena *arena;
    const htp_exported_modules *modules;
    htp_map by_prefix; /* from a prefix of a stack to the module at its end */
    htp_map by_stack;  /* from a stack to the innermost module */
    HTP_VECTOR(htp_source_running) running;
} finding;

/* The modules at the ends of all prefixes of a stack, outermost first. */
static uint32_t read_stack(finding *f, const char *stack)
{
    htp_stack_entry entry;
    uint32_t innermost = HTP_NONE;
    for (const char *at = stack; htp_stack_next(&at, &entry);) {
        size_t length = (size_t)(entry.class_name + entry.class_bytes - stack);
        uint32_t number = (uint32_t)f->running.count;
        const void **place = htp_map_add_bytes(f->arena, &f->by_prefix, stack, length, &number);
        if (place) {
            *place = stack;
            HTP_PUSH(
                f->arena, &f->running,
                (htp_source_running){
                    htp_exported_modules_at(f->modules, entry.path, entry.path_bytes), innermost});
        }
        innermost = number;
    }
    return innermost;
}

void htp_stack_calls_find(htp_arena *arena, const htp_exported_modules *modules,
                          const char *const *stacks, uint32_t count, htp_source_calls *calls)
{
    finding f = {.arena = arena, .modules = modules};
    uint32_t *nodes = HTP_NEW_ARRAY(arena, uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        nodes[i] = HTP_NONE;
        if (stacks[i] && !htp_map_get(&f.by_stack, stacks[i], &nodes[i])) {
            nodes[i] = read_stack(&f, stacks[i]);
            htp_map_set(arena, &f.by_stack, stacks[i], nodes[i]);
        }
    }
    *calls = (htp_source_calls){f.running.items, (uint32_t)f.running.count, nodes, count};
}
