#include "report/sidecar/sidecar.h"

#include "report/sidecar/sidecar_facts.h"

#include <cjson/cJSON.h>

htp_sidecar *htp_sidecar_new(htp_arena *arena, const htp_view *view, const htp_tree *tree)
{
    htp_sidecar *sidecar = HTP_NEW(arena, htp_sidecar);
    *sidecar =
        (htp_sidecar){.arena = arena, .view = view, .tree = tree, .record.text.arena = arena};
    htp_sidecar_find_facts(sidecar);
    return sidecar;
}

/* ---- parts ---- */

/* Writes one record of a part. @return whether there was one */
typedef bool step(htp_sidecar *sidecar, htp_json *json, uint32_t *next, const char **key);

static bool put_next_module(htp_sidecar *sidecar, htp_json *json, uint32_t *next, const char **key)
{
    if (*next == sidecar->tree->module_count) {
        return false;
    }
    uint32_t module = (*next)++;
    *key = sidecar->keys.modules[module];
    htp_sidecar_put_module(sidecar, json, NULL, module);
    return true;
}

static bool put_next_operation(htp_sidecar *sidecar, htp_json *json, uint32_t *next,
                               const char **key)
{
    uint32_t nodes = (uint32_t)sidecar->view->nodes.count;
    if (*next < nodes) {
        uint32_t node = (*next)++;
        *key = sidecar->keys.nodes[node];
        htp_sidecar_put_node(sidecar, json, sidecar->is_listed ? NULL : *key, node);
        return true;
    }
    for (uint32_t tensor = *next - nodes; tensor < sidecar->view->tensors.count; tensor++) {
        *next = nodes + tensor + 1;
        if (sidecar->keys.initializers[tensor]) {
            *key = sidecar->keys.initializers[tensor];
            htp_sidecar_put_initializer(sidecar, json, sidecar->is_listed ? NULL : *key, tensor);
            return true;
        }
    }
    return false;
}

static bool put_next_value(htp_sidecar *sidecar, htp_json *json, uint32_t *next, const char **key)
{
    while (*next < sidecar->view->values.count) {
        uint32_t value = (*next)++;
        const htp_view_value *made = &sidecar->view->values.items[value];
        if (made->initializer == HTP_NONE && made->maker != HTP_VIEW_BY_NOBODY) {
            *key = sidecar->keys.values[value];
            htp_sidecar_put_value(sidecar, json, sidecar->is_listed ? NULL : *key, value);
            return true;
        }
    }
    return false;
}

static bool put_next_dag(htp_sidecar *sidecar, htp_json *json, uint32_t *next, const char **key)
{
    if (*next == sidecar->tree->module_count) {
        return false;
    }
    uint32_t module = (*next)++;
    *key = sidecar->keys.modules[module];
    htp_sidecar_put_dag(sidecar, json, sidecar->is_listed ? NULL : *key, module);
    return true;
}

/* Parts that consist of records. */
static const struct part {
    const char *name;
    const char *brackets;
    step *put_next;
} parts[] = {
    {"modules", "[]", put_next_module},
    {"operations", "{}", put_next_operation},
    {"tensors", "{}", put_next_value},
    {"dag", "{}", put_next_dag},
};

enum { PARTS = sizeof(parts) / sizeof(parts[0]) };

void htp_sidecar_write(htp_sidecar *sidecar, const htp_sidecar_run *run, const char *quality,
                       htp_json *json)
{
    sidecar->is_listed = false;
    htp_json_begin(json, NULL, '{');
    htp_json_line(json);
    htp_json_count(json, "version", HTP_SIDECAR_VERSION);
    htp_json_line(json);
    htp_sidecar_put_export(sidecar, json, "export", run);
    for (size_t i = 0; i < PARTS; i++) {
        uint32_t next = 0;
        const char *key;
        htp_json_line(json);
        htp_json_begin(json, parts[i].name, parts[i].brackets[0]);
        do {
            htp_json_line(json);
        } while (parts[i].put_next(sidecar, json, &next, &key));
        htp_json_end(json, parts[i].brackets[1]);
    }
    if (quality) {
        htp_json_line(json);
        htp_json_raw(json, HTP_SIDECAR_QUALITY, quality);
    }
    htp_json_line(json);
    htp_json_end(json, '}');
    htp_text_add(&json->text, "\n");
    htp_json_flush(json);
}

void htp_sidecar_list(htp_sidecar *sidecar, htp_sidecar_take take, void *user)
{
    htp_json *record = &sidecar->record;
    sidecar->is_listed = true;
    record->text.length = 0;
    record->needs_comma = false;
    htp_sidecar_put_export(sidecar, record, NULL, NULL);
    take(user, "export", NULL, record->text.bytes, record->text.length);
    for (size_t i = 0; i < PARTS; i++) {
        uint32_t next = 0;
        const char *key;
        for (;;) {
            record->text.length = 0;
            record->needs_comma = false;
            if (!parts[i].put_next(sidecar, record, &next, &key)) {
                break;
            }
            take(user, parts[i].name, key, record->text.bytes, record->text.length);
        }
    }
}
