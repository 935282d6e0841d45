/*
 * Models that another tool changed: their records describe the model before.
 */
#include "query/replace/replace.h"
#include "query/retag/retag_write.h"
#include "query/validate/validate.h"

#include <inttypes.h>

bool htp_validate_is_told(const htp_view *view)
{
    static const char *const keys[] = {HTP_RETAGGED_KEY, HTP_REPLACED_KEY};
    bool has_key = false;
    for (size_t i = 0; i < 2; i++) {
        has_key = has_key ||
                  htp_view_find_property(view, view->properties, htp_view_find_name(view, keys[i]));
    }
    return has_key;
}

bool htp_validate_is_changed(const htp_view *view, const htp_tree *tree)
{
    return tree->are_records_stale && (tree->untagged > 0 || !htp_validate_is_told(view));
}

/* Counts the model's own initializers, and those that list their modules. */
static void count_initializers(const htp_view *view, uint64_t *all, uint64_t *telling)
{
    htp_view_name key = htp_view_find_name(view, "hierarchy_tags");
    for (size_t i = 0; i < view->tensors.count; i++) {
        const htp_view_tensor *tensor = &view->tensors.items[i];
        bool is_initializer = tensor->attribute == HTP_NONE;
        *all += is_initializer;
        *telling += is_initializer && htp_view_find_property(view, tensor->properties, key);
    }
}

void htp_validate_changed(const htp_view *view, const htp_tree *tree, htp_findings *findings)
{
    uint64_t all = 0, telling = 0;
    count_initializers(view, &all, &telling);
    htp_finding_add(findings,
                    "another program changed this model: htp.module_tree is that of the model "
                    "before, with %" PRIu64 " nodes; here are %" PRIu64 ", of which %" PRIu64
                    " have a tag, and %" PRIu64 " of %" PRIu64 " initializers say which modules "
                    "use them; what is said of modules is not looked at. `htp-trace retag` "
                    "gives it the tags of the file that it was made of",
                    tree->modules[0].recorded_total, tree->nodes, tree->nodes - tree->untagged,
                    telling, all);
}
