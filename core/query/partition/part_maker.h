/*
 * The shared state of building parts. Private to core/query.
 */
#ifndef HTP_QUERY_PART_MAKER_H
#define HTP_QUERY_PART_MAKER_H

#include "query/partition/part.h"

typedef HTP_VECTOR(htp_span) htp_part_spans;

/** Each part has its own mark, so marks need not be cleared between parts. */
struct htp_part_maker {
    uint32_t last_mark;
    const htp_division *division;
    const htp_tree *tree;
    const htp_view *view;
    htp_view_types *types;
    uint32_t *value_mark;      /* by value: a node of the part reads it */
    uint32_t *output_mark;     /* by value: it is an output of the part */
    uint32_t *function_mark;   /* by function */
    uint32_t *function_first;  /* by function, and one more: into `function_nodes` */
    uint32_t *function_nodes;  /* including nodes of bodies */
    htp_map functions;         /* by domain, name and overload */
    htp_part_spans model_rest; /* fields of the model that every part has */
    htp_part_spans graph_rest; /* fields of the graph that every part has */
    htp_span record_property;  /* the metadata entry of records, of which a part keeps some; empty:
                                  the entry is copied */
    htp_slice before_records, behind_records;
    HTP_VECTOR(htp_slice) records; /* by module */
    uint32_t *module_mark;         /* by record */
    const int32_t *border_types;   /* see htp_part_maker_open() */
};

/** An entry of the model's metadata. */
typedef struct htp_part_entry {
    const char *key;
    const char *value;
} htp_part_entry;

/** Finds model_rest and graph_rest, without the records. */
void htp_part_find_rest(htp_part_maker *maker, htp_arena *arena);

/** Finds the records of the model, and the text of each. */
void htp_part_find_records(htp_part_maker *maker, htp_arena *arena);

/** The records of a part, if record_property is not empty. */
htp_part_entry htp_part_records(htp_part_maker *maker, htp_arena *arena, const htp_part *part);

#endif
