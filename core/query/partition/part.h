/*
 * Parts of a model: some nodes of one of its graphs as a model of their own.
 *
 * A part has its nodes and their bodies, and the initializers, Constants and shared nodes that
 * these read, wherever they are. Other values read are inputs. Values read elsewhere are outputs.
 * Both keep their names. Reads of a body are reads of its node. Nodes of a body form a part without
 * the node around them: values from outside of the body, and the body's own inputs, are inputs.
 */
#ifndef HTP_QUERY_PART_H
#define HTP_QUERY_PART_H

#include "base/numbers.h"
#include "onnx/rewriter/rewrite.h"
#include "onnx/shape_inference/infer_view.h"
#include "query/dataflow/flow.h"
#include "query/tree/tree.h"

/** Nodes of a graph, divided into parts. */
typedef struct htp_division {
    const htp_view *view;
    const bool *is_shared; /* by node: parts take it along; or NULL */
    uint32_t graph;
    uint32_t count;    /* of the parts */
    uint32_t *part_of; /* by node of the view: its part; a node of a body has that of the outer
                          node. HTP_NONE: none */
    uint32_t *first;   /* by part, and one more: of `nodes` */
    uint32_t *nodes;   /* those of one part after the other, in the order of the file */
    bool *is_crossing; /* by value: it is made in a part, and needed outside of that */
    bool *is_read;     /* by value */
} htp_division;

/**
 * Divides.
 * @param is_shared  by node of the view: in no part, copied to its readers like a constant; lives
 *                   as long as the division. NULL: none.
 * @param part_of  by node of the view; given for the graph's own nodes, filled in for those of
 *                 bodies.
 */
htp_division htp_division_make(htp_arena *arena, const htp_view *view, const bool *is_shared,
                               uint32_t graph, uint32_t count, uint32_t *part_of);

/** The contents of a part, by numbers of the view. */
typedef struct htp_part {
    uint32_t number;
    uint32_t node_count;   /* includes those of bodies and copies of shared nodes, but no constants
                              from elsewhere */
    htp_numbers constants; /* copied nodes: constants and shared ones */
    htp_numbers nodes;     /* of the graph itself */
    htp_numbers inputs;    /* values, in the order of their first use */
    htp_numbers defaults;  /* values: inputs of the model that have an initializer */
    htp_numbers outputs;   /* values, in the order in which they are made */
    htp_numbers weights;   /* values: initializers of the graph or of those around it */
    htp_numbers functions; /* that the nodes call, and these in turn */
    htp_numbers tensors;   /* all that the part has, ascending */
} htp_part;

/** Builds the parts of one division; the time for a part is linear in its size. */
typedef struct htp_part_maker htp_part_maker;

htp_part_maker *htp_part_maker_new(htp_arena *arena, const htp_division *division,
                                   const htp_tree *tree, htp_view_types *types);

/** Collects part @p number. If nothing outside reads its values, those without readers are its
 * outputs. @param extra_outputs  further outputs: initializers, or values made in the part; or
 * NULL. */
void htp_part_find(htp_part_maker *maker, htp_arena *arena, uint32_t number,
                   const htp_numbers *extra_outputs, htp_part *part);

/**
 * The recipe of the part's model: the model's own fields except training_info, those of its graph
 * except quantization_annotation, and the contents of the part. With @p note, its metadata get the
 * entry htp.part: records of modules count the nodes of the whole. Values at the border have their
 * declared type, or the inferred one.
 * @return HTP_CODE_BAD_INPUT where there is neither.
 */
HTP_MUST_USE htp_status htp_part_recipe(htp_part_maker *maker, htp_arena *arena,
                                        const htp_part *part, const char *note,
                                        const htp_recipe **recipe);

#endif
