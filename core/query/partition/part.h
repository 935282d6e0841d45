/*
 * Parts of a model: some nodes of one of its graphs as a model of their own.
 *
 * A part has its nodes and their bodies, and the initializers, Constants and shared nodes that
 * these read, wherever they are. Other values that it reads are inputs; values that are read
 * elsewhere are outputs. Both keep their names. Reads of a body are reads of its node. Nodes of a
 * body form a part without the node around them: values from outside of the body, and the body's
 * own inputs, become inputs.
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
    const bool *is_shared; /* by node: it is copied to the parts that read it; or NULL */
    uint32_t graph;        /* HTP_NONE: each part has its own */
    uint32_t count;        /* of the parts */
    uint32_t *part_of;     /* by node of the view: its part; in a body, that of the outer node.
                              HTP_NONE: none */
    uint32_t *first;       /* by part, and one more: into `nodes` */
    uint32_t *nodes;       /* of all parts, one after the other, each in the order of the file */
    bool *is_crossing;     /* by value: made in one part, and needed outside of it */
    bool *is_read;         /* by value */
} htp_division;

/**
 * Divides the nodes of a graph. Linear in the view.
 * @param is_shared  by node of the view: in no part, copied to its readers like a constant; must
 *                   outlive the division. NULL: none.
 * @param part_of    by node of the view: given for the graph's own nodes; filled in for nodes of
 *                   bodies.
 */
htp_division htp_division_make(htp_arena *arena, const htp_view *view, const bool *is_shared,
                               uint32_t graph, uint32_t count, uint32_t *part_of);

/**
 * Divides the nodes of all graphs. Linear in the view. Such parts are found, and make no files.
 * @param part_of  by node of the view: the nodes of a part lie in one graph, or in bodies of these
 *                 nodes, all of which are in the part; must outlive the division.
 */
htp_division htp_division_make_all(htp_arena *arena, const htp_view *view, const bool *is_shared,
                                   uint32_t count, uint32_t *part_of);

/** A division of graph 0 with one part, part 0, which is empty until htp_division_set() gives it
 * nodes. Nothing crosses its border by itself: outputs are those that htp_part_find() is told.
 * Linear in the view. */
htp_division htp_division_open(htp_arena *arena, const htp_view *view);

/** Gives the part of such a division other nodes than before. Linear in both sets of nodes and
 * their bodies, but for sorting. @param nodes  of graph 0, each once; constants may be among them
 */
void htp_division_set(htp_division *division, const htp_numbers *nodes);

/** The contents of a part, by numbers of the view. */
typedef struct htp_part {
    uint32_t number;
    uint32_t mark;         /* of the maker, on what belongs to this part */
    uint32_t node_count;   /* with nodes of bodies and copies of shared nodes, without copies of
                              constants */
    htp_numbers constants; /* copied nodes: constants and shared ones */
    htp_numbers nodes;     /* of the graph itself */
    htp_numbers inputs;    /* values, in the order of their first use */
    htp_numbers defaults;  /* values: inputs of the model that have an initializer */
    htp_numbers outputs;   /* values, in the order of their producers */
    htp_numbers weights;   /* values: initializers of the graph, or of graphs around it */
    htp_numbers functions; /* called by the nodes, or by such functions */
    htp_numbers tensors;   /* all of the part, ascending */
} htp_part;

/** Builds the parts of one division; the time for a part is linear in its size. */
typedef struct htp_part_maker htp_part_maker;

htp_part_maker *htp_part_maker_new(htp_arena *arena, const htp_division *division,
                                   const htp_tree *tree, htp_view_types *types);

/** Beside a TensorProto.DataType: the value is a list. */
enum { HTP_PART_LIST = 1 << 8 };

/**
 * Lets the runtime find types at the border: outputs get none, and inputs that the model does not
 * declare as its own get a dtype alone. Such a part is no valid file, but ONNX Runtime takes it.
 * @param types  TensorProto.DataType by value of the view, with HTP_PART_LIST for a list of such
 * tensors; read for those inputs alone.
 */
void htp_part_maker_open(htp_part_maker *maker, const int32_t *types);

/** Collects part @p number. If nothing outside reads its values, those without readers are its
 * outputs. @param extra_outputs  further outputs: initializers, or values made in the part; or
 * NULL. */
void htp_part_find(htp_part_maker *maker, htp_arena *arena, uint32_t number,
                   const htp_numbers *extra_outputs, htp_part *part);

/**
 * The recipe of the part's model: the model's own fields except training_info, those of its graph
 * except quantization_annotation, and the contents of the part. Values at the border have their
 * declared type, or the inferred one.
 * @param note  value of the metadata entry htp.part, which says that records of modules count the
 *              nodes of the whole; or NULL
 * @return HTP_CODE_BAD_INPUT if a value at the border has no type.
 */
HTP_MUST_USE htp_status htp_part_recipe(htp_part_maker *maker, htp_arena *arena,
                                        const htp_part *part, const char *note,
                                        const htp_recipe **recipe);

#endif
