/*
 * Modules by a sidecar, for a model that has no tags itself.
 */
#include "query/tree/tree_find.h"

#include "query/tree/unique_ids.h"

#include <cjson/cJSON.h>
#include <string.h>
#include <unistd.h>

/* A sidecar that is being read. */
struct reading {
    htp_tree_finder *finder;
    htp_sidecar_file *file;
    htp_map nodes;        /* by key */
    htp_map initializers; /* by key: tensors */
    htp_made_of *made_of; /* by tensor */
    bool *is_recorded;    /* by node */
    htp_source_line *sources;
    uint32_t matches; /* nodes found in the model */
};

static const cJSON *member(const cJSON *record, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(record, name);
}

/* ---- modules ---- */

static htp_status check_module(const struct reading *r, const htp_tree_record *record)
{
    htp_slice full = record->full_tag;
    if (record->tag.length == 0 || *record->tag.at != '/' || full.length == 0 || *full.at != '/') {
        return htp_sidecar_file_wrong(r->file, "a module has no tag");
    }
    if (!htp_tree_is_shallow(full, '/')) {
        return htp_sidecar_file_wrong(r->file, "more than %d modules in each other",
                                      HTP_TREE_DEEPEST);
    }
    if (htp_map_get_bytes(&r->finder->by_full_tag, full.at, full.length, NULL)) {
        return htp_sidecar_file_wrong(r->file, "two modules have the full tag '%.*s'",
                                      (int)(full.length < 100 ? full.length : 100), full.at);
    }
    return HTP_OK;
}

static htp_status read_modules(struct reading *r)
{
    const cJSON *facts = NULL;
    htp_tree *tree = r->finder->tree;
    HTP_TRY(htp_sidecar_file_parse(r->file, 0, r->file->parts[HTP_SIDECAR_EXPORT], &facts));
    const cJSON *tags = member(facts, "tags");
    tree->are_paths_in_tags = cJSON_IsString(tags) && strcmp(tags->valuestring, "paths") == 0;
    htp_json_scan scan = htp_json_scan_of(r->file->parts[HTP_SIDECAR_MODULES]);
    (void)htp_json_scan_enter(&scan, '[');
    while (htp_json_scan_item(&scan)) {
        htp_tree_record record;
        htp_tree_read_record(r->finder->arena, &scan, &record);
        HTP_TRY(check_module(r, &record));
        htp_tree_add_record(r->finder, &record);
    }
    tree->has_records = r->finder->modules.count > 0;
    return tree->has_records ? HTP_OK : htp_sidecar_file_wrong(r->file, "it has no modules");
}

/* ---- operations ---- */

static htp_status find_module(const struct reading *r, const htp_map *map, const cJSON *tag,
                              uint32_t *module)
{
    if (!cJSON_IsString(tag)) {
        return htp_sidecar_file_wrong(r->file, "a tag is no text");
    }
    return htp_map_get(map, tag->valuestring, module)
               ? HTP_OK
               : htp_sidecar_file_wrong(r->file, "'%.100s' is not among its modules",
                                        tag->valuestring);
}

/* Copies the texts, which live only as long as the record. */
static void note_source(struct reading *r, uint32_t node, const cJSON *source)
{
    const cJSON *file = member(source, "file");
    const cJSON *line = member(source, "line");
    if (cJSON_IsString(file)) {
        htp_source_line *noted = &r->sources[node];
        noted->file = htp_slice_of(htp_arena_strdup(r->finder->arena, file->valuestring));
        noted->line = htp_slice_of("");
        if (cJSON_IsNumber(line) && line->valuedouble >= 0 && line->valuedouble < 1e15) {
            noted->line =
                htp_slice_of(htp_arena_printf(r->finder->arena, "%.0f", line->valuedouble));
        }
    }
}

static htp_status place_node(struct reading *r, uint32_t node, const cJSON *record)
{
    const cJSON *tags = member(record, "tags");
    const cJSON *full = member(record, "full_tag");
    uint32_t module = HTP_NONE;
    if (!cJSON_IsArray(tags)) {
        return htp_sidecar_file_wrong(r->file, "an operation has no list of tags");
    }
    for (const cJSON *tag = tags->child; tag; tag = tag->next) {
        uint32_t owner = 0;
        HTP_TRY(find_module(r, &r->finder->by_tag, tag, &owner));
        if (tag == tags->child) {
            htp_tree_place_node(r->finder, node, owner);
        }
        htp_tree_add_owner(r->finder, node, owner);
    }
    if (tags->child && cJSON_IsString(full)) {
        HTP_TRY(find_module(r, &r->finder->by_full_tag, full, &module));
        r->finder->places[node].innermost = module;
    }
    note_source(r, node, member(record, "source"));
    return HTP_OK;
}

static void note_made_of(struct reading *r, uint32_t tensor, const cJSON *record)
{
    const cJSON *listed = member(record, "parameters");
    const char **names =
        HTP_NEW_ARRAY(r->finder->arena, const char *, (size_t)cJSON_GetArraySize(listed) + 1);
    size_t count = 0;
    for (const cJSON *name = cJSON_IsArray(listed) ? listed->child : NULL; name;
         name = name->next) {
        if (cJSON_IsString(name)) {
            names[count++] = htp_arena_strdup(r->finder->arena, name->valuestring);
        }
    }
    r->made_of[tensor] = (htp_made_of){names, count, !cJSON_IsString(member(record, "layout"))};
}

/* Skips an operation whose op type differs from the node's, or whose node the model does not have.
 */
static htp_status read_operation(struct reading *r, htp_json_part key, htp_json_part value)
{
    const htp_view *view = r->finder->view;
    const cJSON *name = NULL;
    const cJSON *record = NULL;
    uint32_t node;
    HTP_TRY(htp_sidecar_file_parse(r->file, 0, key, &name));
    uint32_t tensor;
    if (htp_map_get(&r->initializers, name->valuestring, &tensor)) {
        HTP_TRY(htp_sidecar_file_parse(r->file, 1, value, &record));
        note_made_of(r, tensor, record);
        return HTP_OK;
    }
    if (!htp_map_get(&r->nodes, name->valuestring, &node)) {
        return HTP_OK;
    }
    if (r->is_recorded[node]) {
        return htp_sidecar_file_wrong(r->file, "two operations are '%.100s'", name->valuestring);
    }
    r->is_recorded[node] = true;
    HTP_TRY(htp_sidecar_file_parse(r->file, 1, value, &record));
    const cJSON *op_type = member(record, "op_type");
    if (!cJSON_IsString(op_type)) {
        return htp_sidecar_file_wrong(r->file, "the operation '%.100s' has no op type",
                                      name->valuestring);
    }
    if (strcmp(op_type->valuestring, htp_view_text(view, view->nodes.items[node].op_type)) != 0) {
        return HTP_OK;
    }
    r->matches++;
    return place_node(r, node, record);
}

static htp_status read_operations(struct reading *r)
{
    const htp_view *view = r->finder->view;
    htp_unique_ids keys;
    htp_json_part key, value;
    htp_unique_ids_make(r->finder->arena, view, NULL, &keys);
    for (uint32_t i = 0; i < view->nodes.count; i++) {
        htp_map_set(r->finder->arena, &r->nodes, keys.nodes[i], i);
    }
    for (uint32_t i = 0; i < view->tensors.count; i++) {
        if (keys.initializers[i]) {
            htp_map_set(r->finder->arena, &r->initializers, keys.initializers[i], i);
        }
    }
    htp_json_scan scan = htp_json_scan_of(r->file->parts[HTP_SIDECAR_OPERATIONS]);
    (void)htp_json_scan_enter(&scan, '{');
    while (htp_json_scan_next(&scan, &key, &value)) {
        HTP_TRY(read_operation(r, key, value));
    }
    return HTP_OK;
}

htp_status htp_tree_from_sidecar(htp_tree_finder *finder, htp_sidecar_file *file)
{
    htp_tree *tree = finder->tree;
    size_t count = finder->view->nodes.count + 1;
    struct reading r = {
        .finder = finder,
        .file = file,
        .made_of = HTP_NEW_ARRAY(finder->arena, htp_made_of, finder->view->tensors.count + 1),
        .is_recorded = HTP_NEW_ARRAY(finder->arena, bool, count),
        .sources = HTP_NEW_ARRAY(finder->arena, htp_source_line, count)};
    HTP_TRY(read_modules(&r));
    HTP_TRY(read_operations(&r));
    if (r.matches == 0) { /* it belongs to another model */
        tree->are_paths_in_tags = false;
        return HTP_OK;
    }
    const char *slash = strrchr(file->path, '/');
    tree->sources = r.sources;
    tree->made_of = r.made_of;
    tree->source = HTP_TREE_SIDECAR;
    tree->source_text =
        htp_arena_printf(finder->arena, "sidecar %s", slash ? slash + 1 : file->path);
    return HTP_OK;
}

htp_status htp_tree_from_sidecar_beside(htp_tree_finder *finder)
{
    const char *model = finder->view->path;
    const char *path = htp_arena_printf(finder->arena, "%.*s" HTP_SIDECAR_ENDING,
                                        (int)htp_sidecar_file_stem(model), model);
    if (access(path, F_OK) != 0) {
        return HTP_OK;
    }
    HTP_TRY(htp_sidecar_file_open(&finder->tree->sidecar, finder->arena, path));
    HTP_TRY(htp_tree_from_sidecar(finder, &finder->tree->sidecar));
    return htp_sidecar_file_check(&finder->tree->sidecar);
}

htp_made_of htp_tree_made_of(const htp_tree *tree, const htp_view *view, uint32_t tensor)
{
    htp_made_of recorded = htp_made_of_find(view, tensor);
    return recorded.count == 0 && tree->made_of ? tree->made_of[tensor] : recorded;
}
