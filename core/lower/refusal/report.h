/*
 * Collects the operators of a model that cannot be exported, and reports them at once. Private to
 * core/lower.
 */
#ifndef HTP_LOWER_REPORT_H
#define HTP_LOWER_REPORT_H

#include "base/map.h"
#include "base/status.h"
#include "base/vector.h"
#include "graph/graph.h"

/** One operator and one reason, with the first place where it occurred. */
typedef struct htp_unsupported_entry {
    const char *kind;
    const char *reason;
    const char *path; /* of the module */
    const char *source_file;
    uint32_t source_line;
    uint32_t count;
} htp_unsupported_entry;

/** Empty is {.arena = arena}. */
typedef struct htp_unsupported {
    htp_arena *arena;
    HTP_VECTOR(htp_unsupported_entry) entries; /* in the order of the graph */
    htp_map indices;                           /* kind and reason -> entry */
} htp_unsupported;

/** Records that @p node cannot be lowered. */
void htp_unsupported_add(htp_unsupported *unsupported, const htp_graph *graph, htp_node_id node,
                         const char *reason);

/** HTP_OK if nothing was recorded; otherwise HTP_CODE_UNSUPPORTED with a line per entry. */
HTP_MUST_USE htp_status htp_unsupported_status(const htp_unsupported *unsupported);

#endif
