/*
 * Copies of a part in the place of modules. Private to core/query/replace.
 */
#ifndef HTP_QUERY_REPLACE_GRAFT_H
#define HTP_QUERY_REPLACE_GRAFT_H

#include "query/replace/replace_parts.h"

/** State of all copies, and of the one under way. */
typedef struct htp_grafter {
    htp_arena *arena;
    htp_replacement *r;
    const htp_view *part;
    const htp_tree *tree;
    htp_slice root;      /* what all tags of the part have in common */
    htp_map value_names; /* of the new model */
    htp_map node_names;
    const char **weights; /* by value of the part: the name of an initializer in the new model */
    htp_text *readers;    /* by value of the part: JSON, the tags of its readers */
    bool has_new_tags;
    htp_replaced *replaced;
    htp_slice scope;      /* what names of the part begin with; NULL: they stay as they are */
    const char *moved;    /* what they begin with in the model */
    const char **names;   /* by value of the part */
    htp_recipe **bodies;  /* by graph of the part */
    const bool *is_inner; /* by graph of the part: it is in a function */
} htp_grafter;

/** A name of the part in the scope of the module. */
const char *htp_graft_move_name(const htp_grafter *g, const char *name);

/** The first tag of a node of the part; NULL: none. */
htp_slice htp_graft_tag_of(const htp_grafter *g, uint32_t node);

/** Whether a tag is that of a module, or below it. */
bool htp_graft_is_below(htp_slice tag, htp_slice above);

/** The tag of a copied node. @return whether it is the one that the part has */
bool htp_graft_renew_tag(const htp_grafter *g, uint32_t node, htp_slice *tag);

/** Copies a node; its bodies are in g->bodies. Notes who reads weights. */
htp_recipe *htp_graft_copy_node(htp_grafter *g, uint32_t node);

/** Copies a body; inner ones come first. */
htp_recipe *htp_graft_copy_body(htp_grafter *g, uint32_t graph);

/** A message with another name. */
htp_recipe_item htp_graft_rename(const htp_grafter *g, const htp_wire_field *field,
                                 uint32_t name_number, const char *name);

/** The value that a message names in its field @p number; HTP_NONE. */
uint32_t htp_graft_find_value(const htp_map *values, htp_span message, uint32_t number);

/** The name of a value. */
const char *htp_graft_name(const htp_view *view, uint32_t value);

/** Adds bytes to a recipe; a text as a field. */
void htp_graft_add(const htp_grafter *g, htp_recipe *recipe, htp_span span);
void htp_graft_add_text(const htp_grafter *g, htp_recipe *recipe, uint32_t number,
                        const char *text);

#endif
