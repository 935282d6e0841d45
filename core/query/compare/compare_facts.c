/*
 * Metadata, imports and constants of models.
 */
#include "query/compare/compare.h"

#include "onnx/rewriter/strip.h"

#include <inttypes.h>
#include <string.h>

/* ---- facts ---- */

static void add_fact(htp_arena *arena, htp_comparison *c, const char *name, const char *a,
                     const char *b)
{
    bool is_same = a && b ? strcmp(a, b) == 0 : a == b;
    if (!is_same) {
        const htp_compared_fact fact = {name, {a, b}};
        HTP_PUSH(arena, &c->facts, fact);
    }
}

static void add_number(htp_arena *arena, htp_comparison *c, const char *name, int64_t a, int64_t b)
{
    add_fact(arena, c, name, htp_arena_printf(arena, "%" PRId64, a),
             htp_arena_printf(arena, "%" PRId64, b));
}

/* Names with texts, in the order of first use; each name once per model. */
struct table {
    htp_map known;
    HTP_VECTOR(htp_compared_fact) rows;
};

static void note(htp_arena *arena, struct table *table, int model, const char *name,
                 const char *text)
{
    uint32_t row = 0;
    if (htp_map_get(&table->known, name, &row) && row < table->rows.count) {
        table->rows.items[row].texts[model] = text;
        return;
    }
    htp_compared_fact fact = {.name = name};
    fact.texts[model] = text;
    htp_map_set(arena, &table->known, name, (uint32_t)table->rows.count);
    HTP_PUSH(arena, &table->rows, fact);
}

/* Domains without nodes are left out: files whose functions were inlined still import them. */
static void note_imports(htp_arena *arena, struct table *table, int model, const htp_view *view)
{
    bool *is_used = HTP_NEW_ARRAY(arena, bool, view->names.count);
    for (size_t i = 0; i < view->nodes.count; i++) {
        is_used[view->nodes.items[i].domain] = true;
    }
    for (size_t i = 0; i < view->imports.count; i++) {
        const char *domain = htp_view_text(view, view->imports.items[i].domain);
        bool is_default = htp_view_is_own_domain(view, view->imports.items[i].domain);
        if (!is_default && !is_used[view->imports.items[i].domain]) {
            continue;
        }
        note(arena, table, model,
             is_default ? "opset" : htp_arena_printf(arena, "opset of %s", domain),
             htp_arena_printf(arena, "%" PRId64, view->imports.items[i].version));
    }
}

static void note_properties(htp_arena *arena, struct table *table, int model, const htp_view *view)
{
    for (uint32_t i = 0; i < view->properties.count; i++) {
        const htp_view_property *property = &view->property_list.items[view->properties.first + i];
        const char *key = htp_view_text(view, property->key);
        if (!htp_strip_is_model_key(key)) {
            note(arena, table, model, htp_arena_printf(arena, "metadata %s", key),
                 htp_arena_copy(arena, property->value.at, property->value.bytes));
        }
    }
}

void htp_compare_facts(htp_arena *arena, htp_comparison *comparison)
{
    const htp_view *a = comparison->views[HTP_COMPARED_A];
    const htp_view *b = comparison->views[HTP_COMPARED_B];
    struct table table = {0};
    add_number(arena, comparison, "IR version", a->ir_version, b->ir_version);
    add_fact(arena, comparison, "producer", htp_view_text(a, a->producer_name),
             htp_view_text(b, b->producer_name));
    add_fact(arena, comparison, "producer version", htp_view_text(a, a->producer_version),
             htp_view_text(b, b->producer_version));
    add_fact(arena, comparison, "domain", htp_view_text(a, a->domain), htp_view_text(b, b->domain));
    add_number(arena, comparison, "model version", a->model_version, b->model_version);
    for (int m = 0; m < HTP_COMPARED; m++) {
        note_imports(arena, &table, m, comparison->views[m]);
        note_properties(arena, &table, m, comparison->views[m]);
    }
    for (size_t i = 0; i < table.rows.count; i++) {
        const htp_compared_fact *row = &table.rows.items[i];
        add_fact(arena, comparison, row->name, row->texts[HTP_COMPARED_A],
                 row->texts[HTP_COMPARED_B]);
    }
}

/* ---- constants ---- */

typedef HTP_VECTOR(htp_compared_constant) constant_list;

/* Initializers of all graphs, and outputs of Constant nodes. */
static void list_constants(htp_arena *arena, const htp_fingerprint *fingerprint,
                           constant_list *list)
{
    const htp_view *view = fingerprint->view;
    for (uint32_t i = 0; i < view->tensors.count; i++) {
        const htp_view_tensor *tensor = &view->tensors.items[i];
        bool is_indices =
            tensor->sparse.at && i > 0 && view->tensors.items[i - 1].sparse.at == tensor->sparse.at;
        if (tensor->attribute == HTP_NONE && !is_indices) {
            const htp_compared_constant constant = {tensor->name, i, fingerprint->tensors[i].value};
            HTP_PUSH(arena, list, constant);
        }
    }
    for (uint32_t n = 0; n < fingerprint->count; n++) {
        if (fingerprint->is_constant[n]) {
            uint32_t value = view->operands.items[view->nodes.items[n].outputs.first];
            htp_view_name name = value == HTP_NONE ? 0 : view->values.items[value].name;
            const htp_compared_constant constant = {name, HTP_NONE,
                                                    fingerprint->constants[n].value};
            HTP_PUSH(arena, list, constant);
        }
    }
}

void htp_compare_constants(htp_arena *arena, htp_comparison *comparison)
{
    constant_list lists[HTP_COMPARED] = {{0}, {0}};
    htp_map known[HTP_COMPARED] = {{0}, {0}};
    for (int m = 0; m < HTP_COMPARED; m++) {
        list_constants(arena, &comparison->fingerprints[m], &lists[m]);
        comparison->constants[m] = (uint32_t)lists[m].count;
        for (size_t i = 0; i < lists[m].count; i++) {
            htp_map_set_bytes(arena, &known[m], &lists[m].items[i].value, sizeof(htp_digest), 0);
        }
    }
    for (int m = 0; m < HTP_COMPARED; m++) {
        for (size_t i = 0; i < lists[m].count; i++) {
            const htp_compared_constant *constant = &lists[m].items[i];
            if (htp_map_get_bytes(&known[HTP_COMPARED - 1 - m], &constant->value,
                                  sizeof(htp_digest), NULL)) {
                comparison->equal_constants[m]++;
            } else {
                HTP_PUSH(arena, &comparison->only[m], *constant);
            }
        }
    }
}
