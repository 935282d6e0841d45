/*
 * The facts that a sidecar is written from. Private to core/report.
 */
#ifndef HTP_REPORT_SIDECAR_FACTS_H
#define HTP_REPORT_SIDECAR_FACTS_H

#include "query/tree/unique_ids.h"
#include "report/sidecar/sidecar.h"

/** Lists of numbers: list i is items[first[i]] to items[first[i + 1] - 1]. */
typedef struct htp_number_lists {
    uint32_t *first; /* by list, and one more */
    uint32_t *items;
} htp_number_lists;

struct htp_sidecar {
    htp_arena *arena;
    const htp_view *view;
    const htp_tree *tree;
    htp_unique_ids keys;
    htp_number_lists readers; /* by value: its readers; a node reads the outputs of its bodies */
    htp_number_lists owners;  /* by tensor: modules that hold it */
    bool *has_owners;         /* by tensor: the file's metadata list them */
    bool *is_output;          /* by value: of the model */
    uint32_t *tensor_values;  /* by tensor: its value; HTP_NONE: nothing reads it */
    const char *inputs, *outputs; /* of the model, as JSON */
    uint32_t *nodes;              /* sorted by module; modules below follow directly */
    uint32_t *places;             /* by node: its index in `nodes`; HTP_NONE: none */
    uint32_t *begins, *ends;      /* by module: range of `nodes`, with modules below */
    uint32_t *own;                /* by module: nodes for which it is the innermost */
    uint32_t *ran;                /* by module: these, with modules below */
    uint32_t *levels;             /* by module: depth, counted over all modules */
    bool *has_children;           /* by module */
    uint32_t *seen;               /* by module or node: the last list (`mark`) that has it */
    uint32_t mark;
    htp_view_name full_tag, call, stack_trace; /* keys of metadata */
    bool is_listed;                            /* records are written without keys */
    htp_json record;                           /* of htp_sidecar_list() */
};

/** Fills all of the above but the record. */
void htp_sidecar_find_facts(htp_sidecar *sidecar);

/** Begins a new list for htp_sidecar_is_new(). */
void htp_sidecar_begin_list(htp_sidecar *sidecar);

/** Whether a module or node, by number, is new in the current list. Marks it. */
bool htp_sidecar_is_new(htp_sidecar *sidecar, uint32_t number);

/** The module of a node's first tag; HTP_NONE: it has none. */
uint32_t htp_sidecar_module_of(const htp_sidecar *sidecar, uint32_t node);

/** Each writes one record: an object. */
void htp_sidecar_put_module(htp_sidecar *sidecar, htp_json *json, const char *key, uint32_t module);
void htp_sidecar_put_node(htp_sidecar *sidecar, htp_json *json, const char *key, uint32_t node);
void htp_sidecar_put_initializer(htp_sidecar *sidecar, htp_json *json, const char *key,
                                 uint32_t tensor);
void htp_sidecar_put_value(htp_sidecar *sidecar, htp_json *json, const char *key, uint32_t value);
void htp_sidecar_put_dag(htp_sidecar *sidecar, htp_json *json, const char *key, uint32_t module);
void htp_sidecar_put_export(htp_sidecar *sidecar, htp_json *json, const char *key,
                            const htp_sidecar_run *run);

#endif
