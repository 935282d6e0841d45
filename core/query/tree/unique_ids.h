/*
 * Unique names of nodes, initializers, values and modules: the keys of the sidecar.
 */
#ifndef HTP_QUERY_UNIQUE_IDS_H
#define HTP_QUERY_UNIQUE_IDS_H

#include "query/tree/tree.h"

typedef struct htp_unique_ids {
    const char **nodes;        /* by node */
    const char **initializers; /* by tensor; nodes and initializers share no key */
    const char **values;       /* by value */
    const char **modules;      /* by module: the full tag */
} htp_unique_ids;

/** Makes keys: the name, or NAME#NUMBER if it is empty or an earlier one has it. The tree may be
 * NULL: then there are no keys of modules. */
void htp_unique_ids_make(htp_arena *arena, const htp_view *view, const htp_tree *tree,
                         htp_unique_ids *keys);

/** Whether a tensor has a key: it is an initializer, and not the indices of a sparse one. */
bool htp_unique_ids_is_initializer(const htp_view *view, uint32_t tensor);

#endif
