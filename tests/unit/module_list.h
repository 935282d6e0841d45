/*
 * Module trees made by hand.
 */
#ifndef HTP_TESTS_MODULE_LIST_H
#define HTP_TESTS_MODULE_LIST_H

#include "base/vector.h"
#include "interpret/trace/instances.h"

/** As a HTP_VECTOR(htp_instance). */
typedef struct module_list {
    htp_instance *items;
    size_t count;
    size_t capacity;
    HTP_VECTOR(uint32_t) calls; /* by module */
} module_list;

/** Adds a module below @p parent, which is called once; the root is the first, below HTP_NONE.
 * @return its index */
static inline uint32_t module_list_add(htp_arena *arena, module_list *list, uint32_t parent,
                                       const char *name, const char *qualified_class)
{
    htp_instance module = {
        .name = name, .path = name, .qualified_class = qualified_class, .parent = parent};
    if (parent != HTP_NONE && parent != 0) {
        module.path = htp_arena_printf(arena, "%s.%s", list->items[parent].path, name);
    }
    HTP_PUSH(arena, list, module);
    HTP_PUSH(arena, &list->calls, 1);
    return (uint32_t)(list->count - 1);
}

#endif
