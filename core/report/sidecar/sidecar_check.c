#include "report/sidecar/sidecar_check.h"

#include <cjson/cJSON.h>
#include <string.h>

enum { LONGEST_SHOWN = 120 }; /* bytes of a value in a finding */

/* A record of the sidecar. */
struct record {
    const char *key;
    htp_json_part value;
    bool is_known; /* the model has it */
};

struct checking {
    htp_arena *arena;
    htp_sidecar_file *file;
    htp_findings *findings;
    bool has_own_tags; /* the model has tags of its own */
    HTP_VECTOR(struct record) records[HTP_SIDECAR_PARTS];
    htp_map by_key[HTP_SIDECAR_PARTS];
    htp_status status; /* of the first failure */
};

/* ---- records of the sidecar ---- */

/* Modules are identified by full tags. */
static htp_status read_full_tag(struct checking *c, htp_json_part value, const char **key)
{
    const cJSON *record = NULL;
    HTP_TRY(htp_sidecar_file_parse(c->file, 0, value, &record));
    const cJSON *full = cJSON_GetObjectItemCaseSensitive(record, "full_tag");
    if (!cJSON_IsString(full)) {
        return htp_sidecar_file_wrong(c->file, "a module has no full tag");
    }
    *key = htp_arena_strdup(c->arena, full->valuestring);
    return HTP_OK;
}

static htp_status read_key(struct checking *c, htp_json_part name, const char **key)
{
    const cJSON *text = NULL;
    HTP_TRY(htp_sidecar_file_parse(c->file, 0, name, &text));
    *key = htp_arena_strdup(c->arena, text->valuestring);
    return HTP_OK;
}

static htp_status read_part(struct checking *c, htp_sidecar_part part)
{
    htp_json_part name, value;
    bool is_list = part == HTP_SIDECAR_MODULES;
    htp_json_scan scan = htp_json_scan_of(c->file->parts[part]);
    (void)htp_json_scan_enter(&scan, is_list ? '[' : '{');
    while (htp_json_scan_next(&scan, is_list ? NULL : &name, &value)) {
        struct record record = {.value = value};
        HTP_TRY(is_list ? read_full_tag(c, value, &record.key) : read_key(c, name, &record.key));
        if (htp_map_get(&c->by_key[part], record.key, NULL)) {
            return htp_sidecar_file_wrong(c->file, "'%.100s' stands twice in \"%s\"", record.key,
                                          htp_sidecar_part_name(part));
        }
        htp_map_set(c->arena, &c->by_key[part], record.key, (uint32_t)c->records[part].count);
        HTP_PUSH(c->arena, &c->records[part], record);
    }
    return HTP_OK;
}

/* ---- comparing ---- */

/* Whether the sidecar agrees with the model, as far as the model knows. */
static bool is_same(const cJSON *model, const cJSON *sidecar)
{
    if (cJSON_IsNull(model)) {
        return true;
    }
    if (!cJSON_IsObject(model)) {
        return sidecar && cJSON_Compare(model, sidecar, true);
    }
    bool are_same = cJSON_IsObject(sidecar);
    for (const cJSON *member = model->child; member && are_same; member = member->next) {
        are_same = is_same(member, cJSON_GetObjectItemCaseSensitive(sidecar, member->string));
    }
    return are_same;
}

/* A value as text, if it is short. */
static const char *show(htp_arena *arena, const cJSON *value)
{
    char text[LONGEST_SHOWN];
    bool fits = value && cJSON_PrintPreallocated((cJSON *)value, text, (int)sizeof(text), false);
    return !value ? "nothing" : fits ? htp_arena_strdup(arena, text) : "something else";
}

static const char *describe(htp_arena *arena, const char *part, const char *key)
{
    return key ? htp_arena_printf(arena, "%s '%s'", part, key) : part;
}

/* Facts about the export, and the source of the tree: a model does not have these. */
static bool is_of_the_run(const struct checking *c, const char *part, const char *member)
{
    bool is_export = strcmp(part, "export") == 0;
    return is_export &&
           (strcmp(member, "hierarchy") == 0 || (!c->has_own_tags && strcmp(member, "tags") == 0));
}

static htp_status compare_records(struct checking *c, const char *part, const char *key,
                                  htp_json_part model, htp_json_part sidecar)
{
    const cJSON *ours = NULL;
    const cJSON *theirs = NULL;
    if (model.length == sidecar.length && memcmp(model.at, sidecar.at, model.length) == 0) {
        return HTP_OK;
    }
    HTP_TRY(htp_sidecar_file_parse(c->file, 0, model, &ours));
    HTP_TRY(htp_sidecar_file_parse(c->file, 1, sidecar, &theirs));
    for (const cJSON *member = ours->child; member; member = member->next) {
        const cJSON *other = cJSON_GetObjectItemCaseSensitive(theirs, member->string);
        if (!is_same(member, other) && !is_of_the_run(c, part, member->string)) {
            htp_finding_add(c->findings, "sidecar: %s: \"%s\" is %s, and by the model %s",
                            describe(c->arena, part, key), member->string, show(c->arena, other),
                            show(c->arena, member));
        }
    }
    return HTP_OK;
}

static htp_sidecar_part find_part(const char *name)
{
    int part = 0;
    while (strcmp(htp_sidecar_part_name((htp_sidecar_part)part), name) != 0) {
        part++;
    }
    return (htp_sidecar_part)part;
}

/* Compares a record with the model's. */
static void check_record(void *user, const char *name, const char *key, const char *json,
                         size_t length)
{
    struct checking *c = user;
    htp_sidecar_part part = find_part(name);
    htp_json_part value = c->file->parts[HTP_SIDECAR_EXPORT];
    uint32_t index;
    if (c->status) {
        return;
    }
    if (part != HTP_SIDECAR_EXPORT) {
        if (!htp_map_get(&c->by_key[part], key, &index)) {
            htp_finding_add(c->findings, "sidecar: it lacks %s", describe(c->arena, name, key));
            return;
        }
        c->records[part].items[index].is_known = true;
        value = c->records[part].items[index].value;
    }
    c->status = compare_records(c, name, key, (htp_json_part){json, length}, value);
}

htp_status htp_sidecar_check(htp_arena *arena, const htp_view *view, const htp_tree *tree,
                             htp_sidecar_file *file, htp_findings *findings)
{
    struct checking c = {.arena = arena,
                         .file = file,
                         .findings = findings,
                         .has_own_tags = tree->source != HTP_TREE_SIDECAR};
    for (int part = HTP_SIDECAR_MODULES; part < HTP_SIDECAR_PARTS; part++) {
        HTP_TRY(read_part(&c, (htp_sidecar_part)part));
    }
    htp_sidecar_list(htp_sidecar_new(arena, view, tree), check_record, &c);
    HTP_TRY(c.status);
    for (int part = HTP_SIDECAR_MODULES; part < HTP_SIDECAR_PARTS; part++) {
        for (size_t i = 0; i < c.records[part].count; i++) {
            if (!c.records[part].items[i].is_known) {
                htp_finding_add(findings, "sidecar: %s is not in the model",
                                describe(arena, htp_sidecar_part_name((htp_sidecar_part)part),
                                         c.records[part].items[i].key));
            }
        }
    }
    return HTP_OK;
}
