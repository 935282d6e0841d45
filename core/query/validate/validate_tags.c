/*
 * Tags of nodes: the same everywhere, and consistent with chains and names.
 */
#include "query/replace/replace.h"
#include "query/retag/retag_write.h"
#include "query/validate/validate.h"

#include <string.h>

static const char source_module[] = "source_module";
static const char doc_line[] = "source_module: ";

/* State of the check. */
struct checking {
    const htp_view *view;
    const htp_tree *tree;
    htp_findings *findings;
    htp_view_name attribute;                           /* that holds tags; 0: none */
    htp_view_name key, layer, full_tag, namespace_key; /* of metadata; 0: none */
    htp_view_name retagged;                            /* metadata key of nodes that a program
                                                          named */
    bool is_replaced;                                  /* modules of the model were replaced */
    bool has_key, has_layer, has_doc;                  /* if one node has it, all must */
    htp_map records;                                   /* tags of modules */
    htp_map full_tags;
    htp_map by_path; /* from paths to modules */
    htp_map scopes;  /* from scopes in names to the module of the first node */
};

static htp_slice slice_of(htp_span span)
{
    return (htp_slice){(const char *)span.at, span.bytes};
}

static htp_slice property_of(const struct checking *c, uint32_t node, htp_view_name key)
{
    const htp_view_property *property =
        htp_view_find_property(c->view, c->view->nodes.items[node].properties, key);
    return property ? slice_of(property->value) : (htp_slice){NULL, 0};
}

static htp_slice attribute_of(const struct checking *c, uint32_t node)
{
    const htp_view_attribute *attribute = htp_view_find_attribute(c->view, node, c->attribute);
    return attribute ? slice_of(attribute->s) : (htp_slice){NULL, 0};
}

static htp_slice doc_tag_of(const struct checking *c, uint32_t node)
{
    htp_slice doc = slice_of(c->view->nodes.items[node].doc_string);
    size_t length = strlen(doc_line);
    if (doc.length < length || memcmp(doc.at, doc_line, length) != 0) {
        return (htp_slice){NULL, 0};
    }
    const char *end = memchr(doc.at, '\n', doc.length);
    size_t line = end ? (size_t)(end - doc.at) : doc.length;
    return (htp_slice){doc.at + length, line - length};
}

/* ---- one node ---- */

/* Compares a tag with the one in another place of the node. */
static void check_place(const struct checking *c, uint32_t node, bool is_used, htp_slice found,
                        const char *place, htp_slice tag)
{
    if (!is_used) {
        return;
    }
    const char *name = htp_view_call_node(c->view, node);
    if (!found.at) {
        htp_finding_add(c->findings, "node '%s': no tag in its %s", name, place);
    } else if (tag.at && !htp_slice_equals(found, tag)) {
        htp_finding_add(c->findings, "node '%s': '%.*s' in its %s, '%.*s' elsewhere", name,
                        (int)found.length, found.at, place, (int)tag.length, tag.at);
    }
}

static htp_slice check_places(const struct checking *c, uint32_t node)
{
    htp_slice attribute = attribute_of(c, node);
    htp_slice metadata = property_of(c, node, c->key);
    htp_slice layer = property_of(c, node, c->layer);
    htp_slice doc = doc_tag_of(c, node);
    htp_slice tag = attribute.at ? attribute : metadata.at ? metadata : layer.at ? layer : doc;
    check_place(c, node, c->attribute != 0, attribute, "attribute", tag);
    check_place(c, node, c->has_key, metadata, "metadata", tag);
    check_place(c, node, c->has_layer, layer, "layer_ann", tag);
    check_place(c, node, c->has_doc, doc, "doc string", tag);
    return tag;
}

/* Whether a tag is that of a record, or, in a model with other nodes in the place of modules, below
 * one. */
static bool is_known(const struct checking *c, htp_slice tag)
{
    bool is_below = c->is_replaced;
    while (!htp_map_get_bytes(&c->records, tag.at, tag.length, NULL)) {
        const char *slash = tag.length > 0 ? memrchr(tag.at, '/', tag.length) : NULL;
        if (!is_below || !slash) {
            return false;
        }
        tag.length = (size_t)(slash - tag.at);
    }
    return true;
}

static void check_record(const struct checking *c, uint32_t node, htp_slice tag)
{
    const char *name = htp_view_call_node(c->view, node);
    htp_slice full = property_of(c, node, c->full_tag);
    if (!is_known(c, tag)) {
        htp_finding_add(c->findings, "node '%s': '%.*s' is no module of htp.module_tree", name,
                        (int)tag.length, tag.at);
    }
    if (full.at && !htp_map_get_bytes(&c->full_tags, full.at, full.length, NULL)) {
        htp_finding_add(c->findings,
                        "node '%s': the full tag '%.*s' is no module of htp.module_tree", name,
                        (int)full.length, full.at);
    }
}

/* The tag of the innermost tagged module of a chain, "path: Class/path: Class/operation: target".
 * Paths of chains are encoded as tags are. */
static bool find_chain_tag(const struct checking *c, htp_slice chain, htp_slice *tag)
{
    bool is_found = false;
    size_t begin = 0;
    while (begin < chain.length) {
        const char *slash = memchr(chain.at + begin, '/', chain.length - begin);
        const char *colon = memmem(chain.at + begin, chain.length - begin, ": ", 2);
        uint32_t module;
        if (!slash || !colon || colon > slash) {
            break;
        }
        size_t length = (size_t)(colon - chain.at) - begin;
        if (!htp_map_get_bytes(&c->by_path, chain.at + begin, length, &module)) {
            return false; /* the name is encoded in another way */
        }
        if (c->tree->modules[module].has_tag) {
            *tag = c->tree->modules[module].tag;
            is_found = true;
        }
        begin = (size_t)(slash - chain.at) + 1;
    }
    return is_found;
}

static void check_chain(const struct checking *c, uint32_t node, htp_slice tag)
{
    htp_slice expected;
    htp_slice chain = property_of(c, node, c->namespace_key);
    if (chain.at && find_chain_tag(c, chain, &expected) && !htp_slice_equals(tag, expected)) {
        htp_finding_add(c->findings, "node '%s': the tag '%.*s', and the chain of '%.*s'",
                        htp_view_call_node(c->view, node), (int)tag.length, tag.at,
                        (int)expected.length, expected.at);
    }
}

/* Nodes of one scope belong to one module. */
static void check_scope(struct checking *c, uint32_t node, htp_slice tag)
{
    const char *name = htp_view_text(c->view, c->view->nodes.items[node].name);
    const char *last = strrchr(name, '/');
    uint32_t first;
    if (*name != '/' || !last || property_of(c, node, c->retagged).at) {
        return;
    }
    size_t length = (size_t)(last - name);
    if (!htp_map_get_bytes(&c->scopes, name, length, &first)) {
        htp_map_set_bytes(c->findings->arena, &c->scopes, name, length, node);
        return;
    }
    htp_view_range tags = c->tree->places[first].tags;
    if (tags.count == 0) {
        return;
    }
    htp_slice other = c->tree->modules[c->tree->owners.items[tags.first]].tag;
    if (!htp_slice_equals(tag, other)) {
        htp_finding_add(c->findings, "node '%s': the tag '%.*s', and '%.*s' of node '%s' beside it",
                        name, (int)tag.length, tag.at, (int)other.length, other.at,
                        htp_view_call_node(c->view, first));
    }
}

/* Inlined relative tags extend their calls' tags, if these have any. */
static bool check_absolute(const struct checking *c, uint32_t node, htp_slice tag)
{
    bool is_absolute = tag.length > 0 && tag.at[0] == '/';
    if (!is_absolute && c->tree->source != HTP_TREE_LAYER_ANN) {
        htp_finding_add(c->findings,
                        "node '%s': the tag '%.*s' is relative, and no call of a function says to "
                        "which module",
                        htp_view_call_node(c->view, node), (int)tag.length, tag.at);
        return false;
    }
    return true;
}

static void check_node(struct checking *c, uint32_t node)
{
    htp_slice tag = check_places(c, node);
    if (!tag.at || !check_absolute(c, node, tag)) {
        return; /* reported already */
    }
    if (c->tree->has_records) {
        check_record(c, node, tag);
        check_chain(c, node, tag);
    }
    check_scope(c, node, tag);
}

/* ---- all nodes ---- */

/* The attribute of tags that the tree was built from. */
static htp_view_name find_attribute(const htp_view *view)
{
    size_t length = strlen(source_module);
    for (size_t i = 0; i < view->attributes.count; i++) {
        const htp_view_attribute *attribute = &view->attributes.items[i];
        const char *name = htp_view_text(view, attribute->name);
        size_t end = strlen(name);
        if (attribute->kind == HTP_VIEW_STRING && end >= length &&
            strcmp(name + end - length, source_module) == 0) {
            return attribute->name;
        }
    }
    return 0;
}

static void note_modules(struct checking *c)
{
    htp_arena *arena = c->findings->arena;
    for (uint32_t i = 0; i < c->tree->module_count && c->tree->has_records; i++) {
        const htp_tree_module *module = &c->tree->modules[i];
        if (!module->is_record) {
            continue;
        }
        if (module->has_tag) {
            htp_map_set_bytes(arena, &c->records, module->tag.at, module->tag.length, i);
        }
        htp_map_set_bytes(arena, &c->full_tags, module->full_tag.at, module->full_tag.length, i);
        htp_map_set_bytes(arena, &c->by_path, module->path.at, module->path.length, i);
    }
}

void htp_validate_nodes(const htp_view *view, const htp_tree *tree, htp_findings *findings)
{
    struct checking c = {
        .view = view,
        .tree = tree,
        .findings = findings,
        .attribute = find_attribute(view),
        .key = htp_view_find_name(view, source_module),
        .layer = htp_view_find_name(view, "layer_ann"),
        .full_tag = htp_view_find_name(view, "full_tag"),
        .namespace_key = htp_view_find_name(view, "namespace"),
        .retagged = htp_view_find_name(view, HTP_RETAGGED_KEY),
        .is_replaced = htp_view_find_property(view, view->properties,
                                              htp_view_find_name(view, HTP_REPLACED_KEY)) != NULL,
    };
    note_modules(&c);
    for (uint32_t i = 0; i < view->nodes.count; i++) {
        c.has_key = c.has_key || property_of(&c, i, c.key).at;
        c.has_layer = c.has_layer || property_of(&c, i, c.layer).at;
        c.has_doc = c.has_doc || doc_tag_of(&c, i).at;
    }
    for (uint32_t i = 0; i < view->nodes.count; i++) {
        htp_findings_turn_to(findings, i, HTP_NONE, HTP_NONE);
        check_node(&c, i);
    }
    htp_findings_turn_to(findings, HTP_NONE, HTP_NONE, HTP_NONE);
}
