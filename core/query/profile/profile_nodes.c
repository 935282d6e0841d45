/*
 * The times of a profile by node of the model.
 */
#include "query/profile/profile.h"

/* By module: the first node of the model's own graph that ran in it; HTP_NONE: none. */
static const uint32_t *find_first_nodes(htp_arena *arena, const htp_view *view,
                                        const htp_tree *tree)
{
    htp_view_range nodes = view->graphs.items[0].nodes;
    uint32_t *first = HTP_NEW_ARRAY(arena, uint32_t, tree->module_count + 1U);
    for (uint32_t i = 0; i < tree->module_count; i++) {
        first[i] = HTP_NONE;
    }
    for (uint32_t n = nodes.first + nodes.count; n-- > nodes.first;) {
        for (uint32_t i = tree->places[n].innermost; i != HTP_NONE; i = tree->modules[i].parent) {
            first[i] = n;
        }
    }
    return first;
}

uint64_t *htp_profile_by_node(const htp_profile *profile, const htp_view *view,
                              const htp_tree *tree)
{
    uint64_t *times = HTP_NEW_ARRAY(profile->arena, uint64_t, view->nodes.count + 1);
    const uint32_t *first = find_first_nodes(profile->arena, view, tree);
    for (size_t i = 0; i < profile->kernels.count; i++) {
        const htp_kernel *kernel = &profile->kernels.items[i];
        uint32_t node = kernel->node;
        if (node == HTP_NONE && kernel->innermost != HTP_NONE) {
            node = first[kernel->innermost];
        }
        if (node != HTP_NONE && kernel->time > 0) {
            times[node] += (uint64_t)kernel->time;
        }
    }
    return times;
}
