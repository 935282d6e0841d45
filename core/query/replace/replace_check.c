/*
 * Whether operators and functions of another model mean the same in the model.
 */
#include "onnx/reader/schema.h"
#include "query/replace/replace_parts.h"

/* What is checked of a part, besides its border. */
struct checking {
    htp_arena *arena;
    htp_replacement *r;
    const htp_view *part;
    const htp_view *file;        /* of the model */
    htp_replace_imports imports; /* of the part */
    htp_schemas *schemas;
    htp_map functions;    /* of the file, by name */
    htp_map of_part;      /* likewise */
    htp_map coming;       /* those that the file gets */
    const bool *is_inner; /* by graph of the part: it is in a function */
    bool *is_used;        /* by name of a domain: by nodes outside of functions */
};

htp_map htp_replace_name_functions(htp_arena *arena, const htp_view *view)
{
    htp_map names = {0};
    for (uint32_t f = 0; f < view->functions.count; f++) {
        const htp_view_function *of = &view->functions.items[f];
        htp_map_set(arena, &names,
                    htp_view_call_operator(arena, view, of->domain, of->name, of->overload), f);
    }
    return names;
}

static const char *name_operator(htp_arena *arena, const htp_view *view, uint32_t node)
{
    const htp_view_node *named = &view->nodes.items[node];
    return htp_view_call_operator(arena, view, named->domain, named->op_type, named->overload);
}

/* Those that cannot be inlined come along, unless the model has the same. */
static htp_status take_function(struct checking *c, const htp_view_function *function)
{
    const char *name = htp_view_call_operator(c->arena, c->part, function->domain, function->name,
                                              function->overload);
    htp_span whole = c->part->graphs.items[function->graph].whole;
    enum { OLDEST_IR = 8 }; /* with functions */
    uint32_t same;
    if (htp_map_get(&c->functions, name, &same)) {
        HTP_PUSH(c->arena, &c->r->needed_functions, same);
        same = c->file->functions.items[same].graph;
        return htp_replace_is_equal(whole, c->file->graphs.items[same].whole)
                   ? HTP_OK
                   : htp_status_make(HTP_CODE_USAGE,
                                     "%s: function %s is another one in %s; rename it",
                                     c->part->path, name, c->file->path);
    }
    if (c->file->ir_version < OLDEST_IR) {
        return htp_status_make(
            HTP_CODE_USAGE,
            "%s: function %s cannot be inlined, and IR version %lld of %s has no "
            "functions",
            c->part->path, name, (long long)c->file->ir_version, c->file->path);
    }
    htp_map_set(c->arena, &c->coming, name, 1);
    HTP_PUSH(c->arena, &c->r->functions, whole);
    return HTP_OK;
}

/* A function that comes along gives a meaning to all nodes of its name. */
static htp_status check_custom(const struct checking *c)
{
    const htp_view *view = c->r->view;
    for (uint32_t n = 0; n < view->nodes.count && c->coming.count > 0; n++) {
        const char *name = name_operator(c->arena, view, n);
        if (c->r->replaced_by[n] == HTP_NONE && htp_map_get(&c->coming, name, NULL)) {
            return htp_status_make(HTP_CODE_USAGE,
                                   "%s: function %s is a custom operator in %s, of node '%s'; "
                                   "rename one",
                                   c->part->path, name, c->file->path, htp_view_call_node(view, n));
        }
    }
    return HTP_OK;
}

/* Another version of the domain is no obstacle if the operator is the same in both. */
static htp_status check_version(struct checking *c, uint32_t node, const char *domain,
                                const char *op_type)
{
    int64_t mine = htp_replace_find_version(&c->imports, domain);
    int64_t theirs = htp_replace_find_import(c->r, domain);
    if (mine == 0) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "%s: node '%s' is %s of %s, which the model does not import",
                               c->part->path, htp_view_call_node(c->part, node), op_type,
                               *domain ? domain : "ONNX's operators");
    }
    if (mine == theirs || theirs == 0) {
        return HTP_OK;
    }
    const htp_schema *one = *domain ? NULL : htp_schemas_find(c->schemas, op_type, mine);
    const htp_schema *other = *domain ? NULL : htp_schemas_find(c->schemas, op_type, theirs);
    if (one && other && one->since == other->since) {
        return HTP_OK;
    }
    return htp_status_make(HTP_CODE_USAGE,
                           "%s: node '%s' is %s of version %lld of %s, and %s has version %lld; "
                           "convert the part first, for example by onnx.version_converter",
                           c->part->path, htp_view_call_node(c->part, node), op_type,
                           (long long)mine, *domain ? domain : "ONNX's operators", c->file->path,
                           (long long)theirs);
}

static htp_status check_node(struct checking *c, uint32_t number)
{
    const htp_view_node *node = &c->part->nodes.items[number];
    htp_view_name domain = htp_view_domain(c->part, node->domain);
    if (c->file->functions.count > 0) {
        const char *name = name_operator(c->arena, c->part, number);
        if (htp_map_get(&c->functions, name, NULL) && !htp_map_get(&c->of_part, name, NULL)) {
            return htp_status_make(
                HTP_CODE_USAGE, "%s: node '%s' is %s, which is a function of %s; rename one",
                c->part->path, htp_view_call_node(c->part, number), name, c->file->path);
        }
    }
    if (c->is_inner[node->graph]) { /* functions import operators themselves */
        return HTP_OK;
    }
    c->is_used[domain] = true;
    return check_version(c, number, htp_view_text(c->part, domain),
                         htp_view_text(c->part, node->op_type));
}

htp_status htp_replace_check_part(htp_arena *arena, htp_replacement *r, const htp_view *part)
{
    const htp_view *file = r->file ? r->file : r->view;
    struct checking c = {
        .arena = arena,
        .r = r,
        .part = part,
        .file = file,
        .imports = htp_replace_list_imports(arena, part),
        .schemas = htp_schemas_new(arena),
        .functions = htp_replace_name_functions(arena, file),
        .of_part = htp_replace_name_functions(arena, part),
        .is_inner = htp_replace_list_inner_graphs(arena, part),
        .is_used = HTP_NEW_ARRAY(arena, bool, part->names.count + 1),
    };
    for (size_t f = 0; f < part->functions.count; f++) {
        HTP_TRY(take_function(&c, &part->functions.items[f]));
    }
    HTP_TRY(check_custom(&c));
    for (uint32_t n = 0; n < part->nodes.count; n++) {
        HTP_TRY(check_node(&c, n));
    }
    for (size_t i = 0; i < part->imports.count; i++) {
        htp_view_name name = htp_view_domain(part, part->imports.items[i].domain);
        const char *domain = htp_view_text(part, name);
        if (c.is_used[name] || htp_replace_find_import(r, domain) == 0) {
            htp_replace_add_import(arena, r, domain, part->imports.items[i].version);
        }
    }
    return HTP_OK;
}
