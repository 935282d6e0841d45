/*
 * One module under several names.
 *
 * A file holds one object for each name that a module had in Python, and these objects share their
 * tensors. Twins are modules of one class that hold the same tensors, one at least, under the same
 * names, also in what is below them. The program's own is the one that it calls: the others are
 * further names of it.
 */
#ifndef HTP_HIERARCHY_ALIASES_H
#define HTP_HIERARCHY_ALIASES_H

#include "hierarchy/parameters.h"

/** Of more twins than these, one alone lists the others: lists of all would be too long. */
#define HTP_TWINS_LISTED 256

/** Dotted attribute paths in order of definition. */
typedef struct htp_alias_list {
    const char *const *paths;
    size_t count;
} htp_alias_list;

/**
 * The further names of every module: those under which the file has the same object, and the names
 * of its twins. Of twins, those that are called have the others as aliases (a file cannot tell one
 * module that is called under two names from two); where none is called, those below which modules
 * are; where none is either, the first. Linear but for sorting by names.
 * @param modules  parents precede children, index 0 is the root.
 * @param calls    by module: how often it was called; NULL where none was
 * @return one list per module
 */
const htp_alias_list *htp_aliases_find(htp_arena *arena, const htp_instance *modules,
                                       uint32_t module_count, const uint32_t *calls,
                                       const htp_weight *weights, const htp_parameters *parameters);

#endif
