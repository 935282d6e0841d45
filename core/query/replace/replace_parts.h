/*
 * What the files of this room share. Private to core/query/replace.
 */
#ifndef HTP_QUERY_REPLACE_PARTS_H
#define HTP_QUERY_REPLACE_PARTS_H

#include "query/replace/replace.h"

#include <string.h>

/** Whether a node is not in the new model. */
static inline bool htp_replace_is_left_out(const htp_replacement *r, uint32_t node)
{
    return r->replaced_by[node] != HTP_NONE || r->is_unread_node[node];
}

/** Whether a node is one of the new model, and not in a function. */
static inline bool htp_replace_is_written(const htp_replacement *r, uint32_t node)
{
    return !htp_replace_is_left_out(r, node) && r->call_of[node] == HTP_NONE;
}

/** The text of a message's last field with this number; empty if there is none. */
static inline htp_span htp_replace_text_of(htp_span message, uint32_t number)
{
    htp_wire wire = htp_wire_begin(message);
    htp_wire_field field;
    htp_span text = {NULL, 0};
    while (htp_wire_next(&wire, &field)) {
        text = htp_wire_is_bytes(&field, number) ? field.content : text;
    }
    return text;
}

/** Lists the tensors that stay in @p options. @return by tensor of the view: whether it goes */
const bool *htp_replace_list_tensors(htp_arena *arena, const htp_replacement *r,
                                     htp_rewrite_options *options);

/** Lists the external data of functions and nodes that stay with their bytes: r->verbatim_data. */
void htp_replace_list_verbatim_data(htp_arena *arena, htp_replacement *r);

/** Adds the modules of new nodes to the lists of those that use a weight. */
void htp_replace_add_readers(htp_arena *arena, const htp_replacement *r, htp_edit_list *edits);

/**
 * Appends attributes and metadata to a node: the module's tag, full tag, chain and calls, in the
 * places where @p like has its own.
 * @param like  a node that ran in the module, or below it.
 * @param what  the last element of chains: the name and the operator of the node
 */
void htp_replace_add_tags(const htp_replacement *r, uint32_t module, uint32_t like,
                          const char *const what[2], htp_text *out);

/** The same for a tag below a module, of which nothing else is known. */
void htp_replace_add_tag(const htp_replacement *r, htp_slice tag, uint32_t like, htp_text *out);

/** Finds the calls of functions that stay. */
HTP_MUST_USE htp_status htp_replace_keep_calls(htp_arena *arena, htp_replacement *r);

/** Inlines one of them after all. */
void htp_replace_inline_call(htp_replacement *r, uint32_t call);

/** Lists the functions that stay, once the calls are known, and counts those of which a call is
 * inlined. */
void htp_replace_list_functions(htp_arena *arena, htp_replacement *r);

/** Edges between units, which are numbered. */
typedef struct htp_edges {
    uint32_t *first; /* by unit, and one more: of `to` */
    uint32_t *to;    /* units */
} htp_edges;

/** By unit: whether it is on a cycle of units that are @p is_in. Linear. */
const bool *htp_replace_find_cycles(htp_arena *arena, uint32_t count, const htp_edges *edges,
                                    const bool *is_in);

/** Adds the names of calls that stay. */
void htp_replace_take_call_names(htp_arena *arena, const htp_replacement *r, htp_map *names);

/** By "d::F", as htp_view_call_operator() names them: the functions of a view. */
htp_map htp_replace_name_functions(htp_arena *arena, const htp_view *view);

static inline bool htp_replace_is_equal(htp_span a, htp_span b)
{
    return a.bytes == b.bytes && (a.bytes == 0 || memcmp(a.at, b.at, a.bytes) == 0);
}

/** Checks what the nodes of a part mean in the model, and notes which functions and imports come
 * along, see htp_replace_fit_part(). */
HTP_MUST_USE htp_status htp_replace_check_part(htp_arena *arena, htp_replacement *r,
                                               const htp_view *part);

/** The imports of a view by domain; none of NULL. */
htp_replace_imports htp_replace_list_imports(htp_arena *arena, const htp_view *view);

/** The imported version of a domain; 0: none. */
int64_t htp_replace_find_version(const htp_replace_imports *imports, const char *domain);

/** The imported version of a domain in the model, or in a function that is inlined; 0: none. */
int64_t htp_replace_find_import(const htp_replacement *r, const char *domain);

/** By graph: whether it is a function, or in one. */
bool *htp_replace_list_inner_graphs(htp_arena *arena, const htp_view *view);

/** By name: the values of a graph. */
htp_map htp_replace_list_values(htp_arena *arena, const htp_view *view, uint32_t graph);

/** Adds the imports that nodes and calls of inlined functions need. */
void htp_replace_add_inlined_imports(htp_arena *arena, htp_replacement *r);

/** The model around its graph. */
const htp_recipe *htp_replace_make_model(htp_arena *arena, htp_replacement *r,
                                         const htp_recipe *graph);

/** Adds an import of operators, unless the file or the additions have it. What the flat view
 * imports goes before @p version. */
void htp_replace_add_import(htp_arena *arena, htp_replacement *r, const char *domain,
                            int64_t version);

/** The longest scope that the names of all of these nodes begin with; empty: none. */
htp_slice htp_replace_common_scope(const htp_view *view, const uint32_t *nodes, size_t count);

/** The scope of names in a module: what its nodes have in common, unless that is the scope of a
 * module below it; else its address. "" where names have no scopes. */
const char *htp_replace_find_scope(htp_arena *arena, const htp_replacement *r,
                                   const htp_replaced *replaced);

#endif
