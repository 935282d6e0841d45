/*
 * Records of modules, and the modules that initializers list.
 */
#include "base/json/json_parse.h"
#include "query/validate/validate.h"

#include "query/partition/part.h"
#include "query/tree/python_list.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <string.h>

/* ---- records ---- */

/* Paths and full tags must be unique. */
static void check_unique(htp_findings *findings, htp_map *known, htp_slice text, const char *what)
{
    if (htp_map_get_bytes(known, text.at, text.length, NULL)) {
        htp_finding_add(findings, "htp.module_tree: two modules have the %s '%.*s'", what,
                        (int)text.length, text.at);
    }
    htp_map_set_bytes(findings->arena, known, text.at, text.length, 0);
}

/* Whether a text begins with another one. */
static bool begins_with(htp_slice text, htp_slice begin)
{
    return text.length >= begin.length &&
           (begin.length == 0 || memcmp(text.at, begin.at, begin.length) == 0);
}

/* A tag extends that of the parent by a segment that spells the class. Very long tags ("/...12")
 * and encoded names are not checked. */
static void check_spelling(const htp_tree *tree, const htp_tree_module *module,
                           htp_findings *findings)
{
    htp_slice segment = htp_tree_segment(module);
    htp_slice name = {segment.at + 1, segment.length > 0 ? segment.length - 1 : 0};
    bool is_plain = !memchr(module->tag.at, '%', module->tag.length) &&
                    !begins_with(name, htp_slice_of("...")) &&
                    !begins_with(module->tag, htp_slice_of("/..."));
    if (!is_plain || !module->has_tag) {
        return;
    }
    bool is_class =
        begins_with(name, module->class_name) &&
        (name.length == module->class_name.length || name.at[module->class_name.length] == '.');
    if (!is_class) {
        htp_finding_add(findings, "htp.module_tree: the tag '%.*s' is of a module of class '%.*s'",
                        (int)module->tag.length, module->tag.at, (int)module->class_name.length,
                        module->class_name.at);
    }
    if (module->parent != HTP_NONE &&
        !begins_with(module->tag, tree->modules[module->parent].tag)) {
        htp_slice above = tree->modules[module->parent].tag;
        htp_finding_add(findings, "htp.module_tree: the tag '%.*s' is below '%.*s'",
                        (int)module->tag.length, module->tag.at, (int)above.length, above.at);
    }
}

/* Records of a part count the nodes of the whole. */
static bool is_part(const htp_view *view)
{
    return htp_view_find_property(view, view->properties, htp_view_find_name(view, HTP_PART_KEY)) !=
           NULL;
}

static void check_count(const htp_view *view, const htp_tree_module *module, htp_findings *findings,
                        const char *what, uint64_t recorded, uint64_t found)
{
    if (recorded != found && (found > recorded || !is_part(view)) && !htp_validate_is_told(view)) {
        htp_finding_add(findings,
                        "htp.module_tree: '%.*s' counts %" PRIu64 " nodes %s, and there are "
                        "%" PRIu64,
                        (int)module->tag.length, module->tag.at, recorded, what, found);
    }
}

void htp_validate_records(const htp_view *view, const htp_tree *tree, htp_findings *findings)
{
    htp_map full_tags = {0};
    htp_map paths = {0};
    for (uint32_t i = 0; i < tree->module_count && tree->has_records; i++) {
        const htp_tree_module *module = &tree->modules[i];
        if (!module->is_record) {
            continue;
        }
        htp_findings_turn_to(findings, HTP_NONE, i, HTP_NONE);
        check_unique(findings, &full_tags, module->full_tag, "full tag");
        check_unique(findings, &paths, module->path, "path");
        check_spelling(tree, module, findings);
        if (module->has_tag) {
            check_count(view, module, findings, "of its own", module->recorded_own,
                        module->nodes_own);
            check_count(view, module, findings, "in all", module->recorded_total,
                        module->nodes_total);
        }
    }
    htp_findings_turn_to(findings, HTP_NONE, HTP_NONE, HTP_NONE);
}

/* ---- initializers ---- */

/* The tags of an initializer. */
struct list {
    htp_slice *items;
    bool *is_reader;
    size_t count;
};

/* Texts are copied before parsing, since parsing may run out of memory. @return whether it is a
 * list of strings */
static bool read_list(htp_arena *arena, htp_span json, struct list *list)
{
    size_t most = json.bytes / 2 + 1;
    char *texts = htp_arena_alloc(arena, json.bytes + 1);
    list->items = HTP_NEW_ARRAY(arena, htp_slice, most);
    list->is_reader = HTP_NEW_ARRAY(arena, bool, most);
    cJSON *array = htp_json_parse(arena, (const char *)json.at, json.bytes);
    bool is_list = cJSON_IsArray(array);
    size_t used = 0;
    for (const cJSON *item = is_list ? array->child : NULL; item && list->count < most;
         item = item->next) {
        size_t length = cJSON_IsString(item) ? strlen(item->valuestring) : 0;
        if (length > 0) {
            memcpy(texts + used, item->valuestring, length);
        }
        list->items[list->count++] = (htp_slice){texts + used, length};
        used += length;
    }
    cJSON_Delete(array);
    return is_list;
}

/* Lists of all initializers, and whether there are any. */
struct lists {
    const htp_view *view;
    const htp_tree *tree;
    htp_findings *findings;
    struct list *items; /* by tensor */
    bool *has_list;
};

static bool note_reader(struct list *list, htp_slice tag)
{
    for (size_t i = 0; i < list->count; i++) {
        if (htp_slice_equals(list->items[i], tag)) {
            list->is_reader[i] = true;
            return true;
        }
    }
    return false;
}

static void check_reader(const struct lists *lists, uint32_t node, uint32_t tensor)
{
    const htp_tree *tree = lists->tree;
    htp_view_range tags = tree->places[node].tags;
    for (uint32_t i = 0; i < tags.count; i++) {
        htp_slice tag = tree->modules[tree->owners.items[tags.first + i]].tag;
        if (!note_reader(&lists->items[tensor], tag)) {
            htp_findings_turn_to(lists->findings, HTP_NONE, HTP_NONE, tensor);
            htp_finding_add(lists->findings,
                            "initializer '%s': node '%s' of '%.*s' reads it, and its "
                            "hierarchy_tags do not list that",
                            htp_view_text(lists->view, lists->view->tensors.items[tensor].name),
                            htp_view_call_node(lists->view, node), (int)tag.length, tag.at);
        }
    }
}

static void check_readers(const struct lists *lists)
{
    const htp_view *view = lists->view;
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        htp_view_range read = view->nodes.items[n].inputs;
        for (uint32_t i = read.first; i < read.first + read.count; i++) {
            uint32_t value = view->operands.items[i];
            uint32_t tensor = value == HTP_NONE ? HTP_NONE : view->values.items[value].initializer;
            if (tensor != HTP_NONE && lists->has_list[tensor]) {
                check_reader(lists, n, tensor);
            }
        }
    }
}

/* Whether a tag is that of an owner of the weight. */
static bool is_owner(const struct lists *lists, const htp_map *by_path, uint32_t tensor,
                     htp_slice tag)
{
    const htp_view *view = lists->view;
    const htp_view_property *scopes = htp_view_find_property(
        view, view->tensors.items[tensor].properties, htp_view_find_name(view, "name_scopes"));
    const htp_slice *paths;
    size_t count = scopes ? htp_python_list_read(lists->findings->arena, scopes->value, &paths) : 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t module;
        if (htp_map_get_bytes(by_path, paths[i].at, paths[i].length, &module) &&
            htp_slice_equals(lists->tree->modules[module].tag, tag)) {
            return true;
        }
    }
    return false;
}

/* A listed module must read the weight, or own it. */
static void check_listed(const struct lists *lists)
{
    htp_map by_path = {0};
    for (uint32_t i = 0; i < lists->tree->module_count; i++) {
        htp_slice path = lists->tree->modules[i].path;
        htp_map_set_bytes(lists->findings->arena, &by_path, path.at, path.length, i);
    }
    for (uint32_t t = 0; t < lists->view->tensors.count; t++) {
        const struct list *list = &lists->items[t];
        htp_findings_turn_to(lists->findings, HTP_NONE, HTP_NONE, t);
        for (size_t i = 0; lists->has_list[t] && i < list->count; i++) {
            if (!list->is_reader[i] && !is_owner(lists, &by_path, t, list->items[i])) {
                htp_finding_add(lists->findings,
                                "initializer '%s': hierarchy_tags list '%.*s', which neither "
                                "holds nor reads it",
                                htp_view_text(lists->view, lists->view->tensors.items[t].name),
                                (int)list->items[i].length, list->items[i].at);
            }
        }
    }
}

void htp_validate_weights(const htp_view *view, const htp_tree *tree, htp_findings *findings)
{
    struct lists lists = {
        .view = view,
        .tree = tree,
        .findings = findings,
        .items = HTP_NEW_ARRAY(findings->arena, struct list, view->tensors.count + 1),
        .has_list = HTP_NEW_ARRAY(findings->arena, bool, view->tensors.count + 1),
    };
    htp_view_name key = htp_view_find_name(view, "hierarchy_tags");
    for (uint32_t i = 0; i < view->tensors.count; i++) {
        const htp_view_tensor *tensor = &view->tensors.items[i];
        const htp_view_property *property = htp_view_find_property(view, tensor->properties, key);
        bool is_weight = tensor->attribute == HTP_NONE;
        htp_findings_turn_to(findings, HTP_NONE, HTP_NONE, i);
        if (!property && is_weight && tree->has_records) {
            htp_finding_add(findings, "initializer '%s': no hierarchy_tags",
                            htp_view_text(view, tensor->name));
        } else if (property && is_weight) {
            lists.has_list[i] = read_list(findings->arena, property->value, &lists.items[i]);
            if (!lists.has_list[i]) {
                htp_finding_add(findings, "initializer '%s': hierarchy_tags are no JSON list",
                                htp_view_text(view, tensor->name));
            }
        }
    }
    check_readers(&lists);
    if (tree->has_records && !is_part(view) && !htp_validate_is_told(view)) {
        check_listed(&lists);
    }
    htp_findings_turn_to(findings, HTP_NONE, HTP_NONE, HTP_NONE);
}
