/*
 * Modules with several names: a tag with any of these names is right.
 */
#include "quality/parts.h"

#include <cjson/cJSON.h>
#include <string.h>

static void read_aliases(htp_measuring *m)
{
    const htp_tree *tree = m->subject->tree;
    htp_aliases *aliases = &m->aliases;
    for (uint32_t i = 0; i < tree->module_count; i++) {
        const cJSON *record = htp_tree_hold_record(m->arena, tree, i);
        const cJSON *alias;
        cJSON_ArrayForEach(alias, cJSON_GetObjectItemCaseSensitive(record, "aliases"))
        {
            uint32_t other;
            if (cJSON_IsString(alias) &&
                htp_subject_find_path(m->subject, htp_slice_of(alias->valuestring), &other) &&
                aliases->names[other]++ < HTP_QUALITY_MAX_NAMES) {
                HTP_PUSH(m->arena, &aliases->list, (htp_alias){i, aliases->first[other]});
                aliases->first[other] = (uint32_t)aliases->list.count - 1;
            }
        }
    }
}

void htp_find_aliases(htp_measuring *m)
{
    uint32_t modules = m->subject->module_count;
    htp_aliases *aliases = &m->aliases;
    aliases->first = HTP_NEW_ARRAY(m->arena, uint32_t, modules + 1U);
    aliases->names = HTP_NEW_ARRAY(m->arena, uint32_t, modules + 1U);
    memset(aliases->first, 0xff, (modules + 1U) * sizeof(*aliases->first));
    if (m->subject->tree->has_records && m->subject->has_paths) {
        read_aliases(m);
    }
}

bool htp_is_alias(const htp_measuring *m, uint32_t module, uint32_t other)
{
    const htp_tree *tree = m->subject->tree;
    while (module != HTP_NONE && other != HTP_NONE && module != other) {
        for (uint32_t i = m->aliases.first[other]; i != HTP_NONE;
             i = m->aliases.list.items[i].next) {
            if (m->aliases.list.items[i].module == module) {
                return true;
            }
        }
        if (m->aliases.names[other] > HTP_QUALITY_MAX_NAMES) {
            return true; /* only some names are listed */
        }
        if (!htp_slice_equals(htp_tree_segment(&tree->modules[module]),
                              htp_tree_segment(&tree->modules[other]))) {
            return false;
        }
        module = tree->modules[module].parent;
        other = tree->modules[other].parent;
    }
    return false;
}
