/*
 * The sources that a tree is built from. Private to core/query.
 */
#ifndef HTP_QUERY_TREE_FIND_H
#define HTP_QUERY_TREE_FIND_H

#include "query/tree/tree.h"

/** A cache of the last look-up: consecutive nodes mostly have one module. */
typedef struct htp_tree_last {
    htp_span text;
    uint32_t module;
} htp_tree_last;

/** A tree under construction. */
typedef struct htp_tree_finder {
    htp_view *view;
    htp_arena *arena;
    htp_tree *tree;
    char *key; /* of the child that is looked up */
    size_t key_room;
    HTP_VECTOR(htp_tree_module) modules;
    htp_tree_place *places;
    htp_map by_tag;      /* to the module with this tag of its own */
    htp_map by_full_tag; /* to modules, if there are records */
    htp_tree_last last_tag, last_full_tag;
    htp_map children; /* by parent and segment, or by parent and attribute name */
} htp_tree_finder;

/** Adds a module; its depth is set here. @return its number */
uint32_t htp_tree_add_module(htp_tree_finder *finder, htp_tree_module module);

/** Begins the place of a node that ran in @p innermost. Its tags are added next. */
void htp_tree_place_node(htp_tree_finder *finder, uint32_t node, uint32_t innermost);

/** Adds a tag to the place of a node, which must be the last one begun. */
void htp_tree_add_owner(htp_tree_finder *finder, uint32_t node, uint32_t module);

/** Copies a text of a node as a string. @return HTP_CODE_BAD_INPUT if it is not UTF-8 */
HTP_MUST_USE htp_status htp_tree_take_text(const htp_tree_finder *finder, uint32_t node,
                                           htp_span span, const char **text);

/** The deepest nesting of modules: all addresses together stay linear in the file. */
enum { HTP_TREE_DEEPEST = 256 };

/** Whether an address or a path has at most HTP_TREE_DEEPEST separators. */
bool htp_tree_is_shallow(htp_slice address, char separator);

/** Makes the failure that a node's address is deeper: HTP_CODE_BAD_INPUT. */
HTP_MUST_USE htp_status htp_tree_too_deep(const htp_tree_finder *finder, uint32_t node);

/** Finds or sets the child of a module with a name; HTP_NONE: none was set. */
uint32_t htp_tree_find_child(htp_tree_finder *finder, uint32_t parent, htp_slice name);
void htp_tree_set_child(htp_tree_finder *finder, uint32_t parent, htp_slice name, uint32_t child);

/** The module of an address, created with its ancestors on first use.
 * @param has_bare_root  the address begins below the root; else its first segment is the root's */
uint32_t htp_tree_walk_segments(htp_tree_finder *finder, htp_slice address, bool has_bare_root);

/** Reads htp.module_tree, if the model has it, into modules and maps. */
HTP_MUST_USE htp_status htp_tree_read_records(htp_tree_finder *finder);

/** Each reads one kind of source, and sets source and source_text if a node has it. */
HTP_MUST_USE htp_status htp_tree_from_tags(htp_tree_finder *finder);
HTP_MUST_USE htp_status htp_tree_from_chains(htp_tree_finder *finder);
HTP_MUST_USE htp_status htp_tree_from_node_names(htp_tree_finder *finder);

/** A module's record. Texts are borrowed unless they must be decoded. */
typedef struct htp_tree_record {
    htp_slice tag, full_tag, path, class_name, qualified_class, parent; /* at NULL: missing */
    bool is_root;                                                       /* the parent is null */
    bool has_no_calls; /* the calls are null: unknown */
    uint64_t calls, nodes_tagged, nodes_total, parameters, bytes;
    htp_json_part whole;
} htp_tree_record;

/** Scans the next record. A member of the wrong kind counts as missing; the first of duplicates
 * counts. */
void htp_tree_read_record(htp_arena *arena, htp_json_scan *scan, htp_tree_record *record);

/** Adds the module of a record. Records of its ancestors must come first. */
void htp_tree_add_record(htp_tree_finder *finder, const htp_tree_record *record);

/** Reads a sidecar into a tree without modules. A sidecar of another model adds nothing. */
HTP_MUST_USE htp_status htp_tree_from_sidecar(htp_tree_finder *finder, htp_sidecar_file *file);

/** As htp_tree_from_sidecar(), for the one beside the model, if there is one. */
HTP_MUST_USE htp_status htp_tree_from_sidecar_beside(htp_tree_finder *finder);

/** Finds nodes that several modules share, by their tags. */
void htp_tree_find_shared(htp_tree_finder *finder);

/** Adds up nodes and weights. */
void htp_tree_count(htp_tree_finder *finder);

/** Whether the records are stale, since another program changed the model: the node count differs
 * from the root's record, or a weight has another element size. Parts of a model are exempt. */
bool htp_tree_is_stale(const htp_tree_finder *finder);

#endif
