/*
 * The facts that a sidecar is written from. Private to core/report.
 */
#ifndef HTP_REPORT_SIDECAR_FACTS_H
#define HTP_REPORT_SIDECAR_FACTS_H

#include "query/tree/unique_ids.h"
#include "report/sidecar/sidecar.h"

/** Lists of numbers, one for each thing: those of thing i begin at first[i]. */
typedef struct htp_number_lists {
    uint32_t *first; /* one more than there are things */
    uint32_t *items;
} htp_number_lists;

struct htp_sidecar {
    htp_arena *arena;
    const htp_view *view;
    const htp_tree *tree;
    htp_unique_ids keys;
    htp_number_lists readers; /* by value: its readers; a node reads the outputs of its bodies */
    htp_number_lists owners;  /* by tensor: modules that hold it */
    bool *has_owners;         /* by tensor: from the file's metadata */
    bool *is_output;          /* by value: the model's */
    uint32_t *tensor_values;  /* by tensor: the value that it is; HTP_NONE: none reads it */
    const char *inputs, *outputs; /* of the model, as JSON */
    uint32_t *nodes;              /* by module, in an order in which those below follow it */
    uint32_t *places;             /* by node: where it stands there; HTP_NONE: nowhere */
    uint32_t *begins, *ends;      /* by module: its nodes, and those below it */
    uint32_t *own;                /* by module: nodes for which it is the innermost */
    uint32_t *ran;                /* the same with those below it */
    uint32_t *levels;             /* by module, counted over all */
    bool *has_children;           /* by module */
    uint32_t *seen;               /* by module or node, whichever are more: the last that met it */
    uint32_t mark;
    htp_view_name full_tag, call, stack_trace; /* keys of metadata */
    bool is_listed;                            /* records go without keys */
    htp_json record;                           /* of htp_sidecar_list() */
};

/** Fills all of the above but the record. */
void htp_sidecar_find_facts(htp_sidecar *sidecar);

/** Begins a new set of things seen. */
void htp_sidecar_begin_list(htp_sidecar *sidecar);

/** Whether a number below the larger of both counts is met for the first time in a list. */
bool htp_sidecar_is_new(htp_sidecar *sidecar, uint32_t number);

/** The module of a node's first tag; HTP_NONE: it has none. */
uint32_t htp_sidecar_module_of(const htp_sidecar *sidecar, uint32_t node);

/** Write the record of one thing: an object without its key. */
void htp_sidecar_put_module(htp_sidecar *sidecar, htp_json *json, const char *key, uint32_t module);
void htp_sidecar_put_node(htp_sidecar *sidecar, htp_json *json, const char *key, uint32_t node);
void htp_sidecar_put_initializer(htp_sidecar *sidecar, htp_json *json, const char *key,
                                 uint32_t tensor);
void htp_sidecar_put_value(htp_sidecar *sidecar, htp_json *json, const char *key, uint32_t value);
void htp_sidecar_put_dag(htp_sidecar *sidecar, htp_json *json, const char *key, uint32_t module);
void htp_sidecar_put_export(htp_sidecar *sidecar, htp_json *json, const char *key,
                            const htp_sidecar_run *run);

#endif
