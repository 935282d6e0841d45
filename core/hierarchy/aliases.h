/*
 * One module under several names.
 *
 * A file holds one object for each name that a module had in Python, and these objects share their
 * tensors. Twins are modules of one class with the same tensors (at least one) under the same
 * names, including those below. The one that the program calls is the module; the others are its
 * aliases.
 */
#ifndef HTP_HIERARCHY_ALIASES_H
#define HTP_HIERARCHY_ALIASES_H

#include "hierarchy/parameters.h"

/** In a larger group of twins, one alone lists the others: lists in all would be quadratic. */
#define HTP_TWINS_LISTED 256

/** Dotted attribute paths in order of definition. */
typedef struct htp_alias_list {
    const char *const *paths;
    size_t count;
} htp_alias_list;

/**
 * The further names of every module: those under which the file has the same object, and the names
 * of its twins. Among twins, the called ones have the others as aliases (a file cannot tell one
 * module called under two names from two modules). If none is called, those with called modules
 * below; else the first. Linear, except for sorting by name.
 * @param modules  parents precede children, index 0 is the root.
 * @param calls    by module: number of calls; NULL: none
 * @return one list per module
 */
const htp_alias_list *htp_aliases_find(htp_arena *arena, const htp_instance *modules,
                                       uint32_t module_count, const uint32_t *calls,
                                       const htp_weight *weights, const htp_parameters *parameters);

#endif
