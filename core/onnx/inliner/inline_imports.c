/*
 * Decides which functions can be inlined: their imports must agree with the model's, which has one
 * version per domain. Also finds the imports of the flat model.
 */
#include "onnx/inliner/inline_plan.h"

#include <string.h>

/* Reference: onnx.proto. */
enum {
    MODEL_IMPORT = 8,
    FUNCTION_IMPORT = 9,
    IMPORT_DOMAIN = 1,
    IMPORT_VERSION = 2,
    ATTRIBUTE_GRAPH = 6,
    ATTRIBUTE_GRAPHS = 11,
};

/* Imported versions by domain. */
struct versions {
    int64_t *of;
    uint32_t *mark; /* whose import it is; 0: none */
};

static struct versions new_versions(const htp_inline_plan *plan)
{
    size_t count = plan->view->names.count + 1;
    return (struct versions){HTP_NEW_ARRAY(plan->arena, int64_t, count),
                             HTP_NEW_ARRAY(plan->arena, uint32_t, count)};
}

static void set_version(struct versions *versions, htp_view_name domain, int64_t version,
                        uint32_t mark)
{
    versions->of[domain] = version;
    versions->mark[domain] = mark;
}

/* ---- functions' imports ---- */

typedef void take_import(htp_inline_plan *plan, void *user, htp_view_name domain, int64_t version,
                         htp_span content);

/* @return false for an import of a domain without nodes */
static bool read_import(const htp_inline_plan *plan, htp_span content, htp_view_name *domain,
                        int64_t *version)
{
    htp_wire wire = htp_wire_begin(content);
    htp_wire_field field;
    htp_span name = {NULL, 0};
    *version = 0;
    while (htp_wire_next(&wire, &field)) {
        if (htp_wire_is_bytes(&field, IMPORT_DOMAIN)) {
            name = field.content;
        } else if (htp_wire_is_varint(&field, IMPORT_VERSION)) {
            *version = (int64_t)field.value;
        }
    }
    *domain =
        name.bytes == 0
            ? 0
            : htp_view_find_name(plan->view, htp_arena_copy(plan->arena, name.at, name.bytes));
    bool is_known = name.bytes == 0 || *domain != 0;
    *domain = htp_view_domain(plan->view, *domain);
    return is_known;
}

static void each_import(htp_inline_plan *plan, uint32_t function, take_import *take, void *user)
{
    uint32_t graph = plan->view->functions.items[function].graph;
    htp_wire wire = htp_wire_begin(htp_wire_content(plan->view->graphs.items[graph].whole));
    htp_wire_field field;
    htp_view_name domain;
    int64_t version;
    while (htp_wire_next(&wire, &field)) {
        if (htp_wire_is_bytes(&field, FUNCTION_IMPORT) &&
            read_import(plan, field.content, &domain, &version)) {
            take(plan, user, domain, version, field.content);
        }
    }
}

/* ---- what is kept ---- */

/* The imports of one function and of the model; the model's mark is 1. */
struct comparing {
    struct versions own, model;
    uint32_t mark;
};

static void note_import(htp_inline_plan *plan, void *user, htp_view_name domain, int64_t version,
                        htp_span content)
{
    struct comparing *c = user;
    (void)plan;
    (void)content;
    set_version(&c->own, domain, version, c->mark);
}

/* Whether a function imports another version of a domain than the model. A domain that the model
 * does not import gets the first function's version. */
static bool is_other(struct comparing *c, htp_view_name domain)
{
    if (c->own.mark[domain] != c->mark) {
        return false;
    }
    if (c->model.mark[domain] == 0) {
        set_version(&c->model, domain, c->own.of[domain], 1);
    }
    return c->model.of[domain] != c->own.of[domain];
}

static bool has_body(htp_span attribute)
{
    htp_wire wire = htp_wire_begin(attribute.at ? htp_wire_content(attribute) : attribute);
    htp_wire_field field;
    while (htp_wire_next(&wire, &field)) {
        if (htp_wire_is_bytes(&field, ATTRIBUTE_GRAPH) ||
            htp_wire_is_bytes(&field, ATTRIBUTE_GRAPHS)) {
            return true;
        }
    }
    return false;
}

/* A body passed to a function reads the caller's values: such functions are kept. */
static void keep_takers_of_bodies(htp_inline_plan *plan)
{
    const htp_view *view = plan->view;
    for (size_t i = 0; i < plan->parameters.count; i++) {
        const htp_inline_parameter *parameter = &plan->parameters.items[i];
        if (has_body(parameter->value)) {
            plan->is_kept[parameter->function] = true;
        }
    }
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        uint32_t called = plan->call_of[n];
        if (called != HTP_NONE && htp_view_has_body(view, &view->nodes.items[n])) {
            plan->is_kept[called] = true;
        }
    }
}

void htp_inline_find_kept(htp_inline_plan *plan)
{
    const htp_view *view = plan->view;
    struct comparing c = {.own = new_versions(plan), .model = new_versions(plan)};
    plan->is_kept = HTP_NEW_ARRAY(plan->arena, bool, view->functions.count + 1);
    for (size_t i = 0; i < view->imports.count; i++) {
        const htp_view_import *import = &view->imports.items[i];
        set_version(&c.model, htp_view_domain(view, import->domain), import->version, 1);
    }
    for (uint32_t f = 0; f < view->functions.count; f++) {
        c.mark = f + 1;
        each_import(plan, f, note_import, &c);
        for (uint32_t i = plan->first[f]; i < plan->first[f + 1]; i++) {
            uint32_t node = plan->nodes[i];
            htp_view_name domain = htp_view_domain(view, view->nodes.items[node].domain);
            if (plan->call_of[node] == HTP_NONE && is_other(&c, domain)) {
                plan->is_kept[f] = true;
            }
        }
    }
    keep_takers_of_bodies(plan);
}

/* ---- what the flat model imports ---- */

/* Domains of the remaining nodes and functions. */
struct importing {
    bool *is_used;
    bool *is_function;
    bool *is_imported;
};

static void note_domains(const htp_inline_plan *plan, struct importing *importing)
{
    const htp_view *view = plan->view;
    for (size_t f = 0; f < view->functions.count; f++) {
        importing->is_function[htp_view_domain(view, view->functions.items[f].domain)] = true;
    }
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        uint32_t function = plan->function_of[view->nodes.items[n].graph];
        bool is_left = function == HTP_NONE || plan->is_reached[function];
        if (is_left && !htp_inline_is_call(plan, n)) {
            importing->is_used[htp_view_domain(view, view->nodes.items[n].domain)] = true;
        }
    }
}

static void add_import(htp_inline_plan *plan, void *user, htp_view_name domain, int64_t version,
                       htp_span content)
{
    struct importing *importing = user;
    unsigned char prefix[HTP_WIRE_PREFIX_SIZE];
    (void)version;
    if (!importing->is_used[domain] || importing->is_imported[domain]) {
        return;
    }
    importing->is_imported[domain] = true;
    size_t length = htp_wire_put_prefix(MODEL_IMPORT, content.bytes, prefix);
    unsigned char *field = htp_arena_alloc(plan->arena, length + content.bytes + 1);
    memcpy(field, prefix, length);
    if (content.bytes > 0) {
        memcpy(field + length, content.at, content.bytes);
    }
    HTP_PUSH(plan->arena, &plan->imports, (htp_span){field, length + content.bytes});
}

void htp_inline_find_imports(htp_inline_plan *plan)
{
    const htp_view *view = plan->view;
    size_t count = view->names.count + 1;
    struct importing importing = {HTP_NEW_ARRAY(plan->arena, bool, count),
                                  HTP_NEW_ARRAY(plan->arena, bool, count),
                                  HTP_NEW_ARRAY(plan->arena, bool, count)};
    note_domains(plan, &importing);
    for (size_t i = 0; i < view->imports.count; i++) {
        const htp_view_import *import = &view->imports.items[i];
        htp_view_name domain = htp_view_domain(view, import->domain);
        importing.is_imported[domain] = true;
        if (domain == 0 || importing.is_used[domain] || !importing.is_function[domain]) {
            HTP_PUSH(plan->arena, &plan->imports, import->whole);
        }
    }
    for (uint32_t f = 0; f < view->functions.count; f++) {
        if (plan->is_reached[f] && plan->is_left_out[f]) {
            each_import(plan, f, add_import, &importing);
        }
    }
}
