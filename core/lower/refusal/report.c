#include "lower/refusal/report.h"

#include "base/text.h"

void htp_unsupported_add(htp_unsupported *unsupported, const htp_graph *graph, htp_node_id node_id,
                         const char *reason)
{
    const htp_trace_node *node =
        &graph->trace->nodes[node_id]; /* with the program's name of the operator */
    const char *key = htp_arena_printf(unsupported->arena, "%s\n%s", node->kind, reason);
    uint32_t index = 0;
    if (htp_map_get(&unsupported->indices, key, &index)) {
        unsupported->entries.items[index].count++;
        return;
    }
    htp_map_set(unsupported->arena, &unsupported->indices, key,
                (uint32_t)unsupported->entries.count);
    HTP_PUSH(unsupported->arena, &unsupported->entries,
             (htp_unsupported_entry){.kind = node->kind,
                                     .reason = reason,
                                     .path = htp_graph_scope_path(graph, node->scope),
                                     .source_file = node->source_file,
                                     .source_line = node->source_line,
                                     .count = 1});
}

/** "aten::x (3), aten::y (1)", with counts summed over all reasons. @return the number of kinds */
static size_t add_kinds(const htp_unsupported *unsupported, htp_text *text)
{
    htp_map indices = {0};
    uint32_t count = 0;
    htp_unsupported_entry *kinds =
        HTP_NEW_ARRAY(unsupported->arena, htp_unsupported_entry, unsupported->entries.count);
    for (size_t i = 0; i < unsupported->entries.count; i++) {
        const htp_unsupported_entry *entry = &unsupported->entries.items[i];
        uint32_t index = count;
        if (htp_map_get(&indices, entry->kind, &index)) {
            kinds[index].count += entry->count;
            continue;
        }
        htp_map_set(unsupported->arena, &indices, entry->kind, count);
        kinds[count++] = *entry;
    }
    for (uint32_t i = 0; i < count; i++) {
        htp_text_addf(text, "%s%s (%u)", i ? ", " : "", kinds[i].kind, kinds[i].count);
    }
    return count;
}

htp_status htp_unsupported_status(const htp_unsupported *unsupported)
{
    if (unsupported->entries.count == 0) {
        return HTP_OK;
    }
    htp_text kinds = {.arena = unsupported->arena};
    size_t count = add_kinds(unsupported, &kinds);
    htp_status status =
        htp_status_make(HTP_CODE_UNSUPPORTED, "%zu operator%s cannot be exported: %s", count,
                        count == 1 ? "" : "s", htp_text_string(&kinds));
    for (size_t i = 0; i < unsupported->entries.count; i++) {
        const htp_unsupported_entry *entry = &unsupported->entries.items[i];
        htp_text place = {.arena = unsupported->arena};
        if (entry->source_line) {
            htp_text_addf(&place, " at %s:%u", entry->source_file, entry->source_line);
        }
        htp_status_add_detail(status, "%s: %s; %u time%s, first in %s%s%s", entry->kind,
                              entry->reason, entry->count, entry->count == 1 ? "" : "s",
                              *entry->path ? "module " : "the root module", entry->path,
                              htp_text_string(&place));
    }
    return status;
}
