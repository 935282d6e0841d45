/*
 * Modules that are replaced: by a node of a custom operator, or by the nodes of another model.
 *
 * What is replaced is what `extract` would write: the nodes of a module, or of one of its calls,
 * with their bodies. Its border is that of the part: Constants and shared nodes that it reads
 * belong to it, and stay in the model only if others read them.
 */
#ifndef HTP_QUERY_REPLACE_H
#define HTP_QUERY_REPLACE_H

#include "onnx/inliner/inline.h"
#include "query/partition/part.h"

/** The entry of the model's metadata that lists what was replaced. Records of modules then count
 * the nodes of the model before. */
#define HTP_REPLACED_KEY "htp.replaced"

/** An attribute of a custom operator: a constant that the module reads. */
typedef struct htp_replaced_constant {
    const char *name;
    htp_span field; /* an AttributeProto, as a field of a node */
} htp_replaced_constant;

/** One call of a module, or a module that runs once. */
typedef struct htp_replaced {
    uint32_t module;
    uint32_t call;        /* HTP_NONE: all of them, or the only one */
    uint32_t graph;       /* that its nodes lie in */
    uint32_t first, last; /* of these nodes */
    htp_part part;        /* what it is now */

    /* What takes its place. */
    htp_numbers inputs; /* values that it reads: those of the border, then weights */
    size_t border_count;
    HTP_VECTOR(htp_replaced_constant) constants;
    const char *name; /* of the node; NULL: there are several */
    uint32_t node_count;
    HTP_VECTOR(htp_recipe_item) nodes; /* fields of the graph */
    HTP_VECTOR(htp_recipe_item) infos; /* types of values that they make, likewise */

    /* How another model fits; NULL without one. */
    uint32_t *part_inputs;  /* by input of it: a value of the model */
    uint32_t *part_outputs; /* by output */
    uint32_t *same;         /* by value of it: the value of the model that it is; HTP_NONE */
    htp_map kept_symbols;   /* names of dims that mean the same in both */
} htp_replaced;

/** A new node that reads an initializer of the model. */
typedef struct htp_replaced_reader {
    uint32_t tensor;
    htp_slice tag;
} htp_replaced_reader;

/** A call of a function that is in the new model. */
typedef struct htp_staying_call {
    const htp_inline_place *place; /* NULL: it is inlined after all */
    htp_span whole;                /* the node, as a field of a graph */
    uint32_t graph;                /* that it is in */
    uint32_t last;                 /* of the nodes in its place there */
    htp_numbers inputs, outputs;   /* values of the view */
} htp_staying_call;

/** The imports of a view. */
typedef struct htp_replace_imports {
    const htp_view *view;
    htp_map numbers; /* by domain */
} htp_replace_imports;

/** All that is replaced in a model. */
typedef struct htp_replacement {
    htp_view *view;
    const htp_tree *tree;
    htp_view_types *types;
    htp_replace_imports imports_of_view, imports_of_file;
    HTP_VECTOR(htp_replaced) list;
    uint32_t *replaced_by;  /* by node, also of bodies: of `list`; HTP_NONE */
    bool *is_unread_node;   /* by node: a constant or shared node that nothing reads any longer */
    bool *is_unread_weight; /* by value: an initializer, likewise */
    htp_numbers *orders;    /* by graph in which nodes are replaced: nodes that stay, and below
                               HTP_REPLACED_BIT the numbers of `list`, in their new order */

    /* Functions; without any, `file` is NULL, and nodes have no calls. */
    const htp_view *file;     /* of which `view` is the flat view */
    htp_inline_places places; /* of the file */
    uint32_t *at;             /* the nodes by position, see htp_inline_places */
    uint32_t *call_of;        /* by node: of `calls`; HTP_NONE */
    htp_span *verbatim; /* by node with calls in its bodies: its bytes in the file; or empty */
    HTP_VECTOR(htp_staying_call) calls;
    bool *is_function_kept;           /* by function of the file */
    size_t kept_count, inlined_count; /* of functions */

    /* What the replacements bring along. */
    HTP_VECTOR(htp_span) imports; /* fields of the model */
    htp_map imported;             /* their domains */
    HTP_VECTOR(htp_replaced_reader) readers;
    HTP_VECTOR(htp_span) functions;           /* likewise */
    htp_numbers needed_functions;             /* of the file, which the part has, too */
    HTP_VECTOR(htp_recipe_item) initializers; /* of its graph */
    htp_second_model second;                  /* whose tensors come along; or all zeroes */
    htp_second_model verbatim_data; /* of functions and nodes that stay, beside the file */
    const char *note;               /* the value of HTP_REPLACED_KEY */
} htp_replacement;

#define HTP_REPLACED_BIT 0x80000000U

/** A custom operator. */
typedef struct htp_replacing_operator {
    const char *domain;
    const char *name;
    int64_t version; /* of the domain */
} htp_replacing_operator;

/**
 * Reads "my.domain:Name@2"; the version is 1 unless it is given.
 * @return HTP_CODE_USAGE if domain or name are no identifiers, or the domain is ONNX's own.
 */
HTP_MUST_USE htp_status htp_replace_read_operator(htp_arena *arena, const char *text,
                                                  htp_replacing_operator *op);

/**
 * Finds what is replaced: each chosen module, or each of its calls; and the calls of functions that
 * have nothing of it.
 * @param file       of which @p view is the flat view; NULL: it is the view of a file.
 * @param is_chosen  by module.
 * @param call       the only one of the only chosen module that is replaced, counted from 0;
 *                   HTP_NONE: each, as far as the file tells calls apart.
 * @return HTP_CODE_USAGE for the root, for modules in each other, and for those that
 *         htp_cut_region() or htp_calls_restrict() refuses.
 */
HTP_MUST_USE htp_status htp_replace_find(htp_arena *arena, htp_view *view, const htp_view *file,
                                         const htp_tree *tree, const bool *is_chosen, uint32_t call,
                                         htp_replacement *r);

/**
 * Puts a node of @p op in the place of each: border, then weights in the order of their first use.
 * Integers and bools of at most one axis and HTP_VIEW_MAX_LITERALS elements, and single floats that
 * are no parameters, become attributes: OP_N_input_K, for input K of the node with op type OP and
 * number N; without a number, of the first.
 * @return HTP_CODE_USAGE if the model imports another version of the domain, or has a function of
 *         that name.
 */
HTP_MUST_USE htp_status htp_replace_by_operator(htp_arena *arena, htp_replacement *r,
                                                const htp_replacing_operator *op);

/** A model whose nodes take the place of modules. */
typedef struct htp_replacing_part {
    const htp_view *view;
    const htp_tree *tree;
    htp_view_types *types;
} htp_replacing_part;

/**
 * Fits the border of another model to that of each module: by names if all are the same, else in
 * order. Constants, shared nodes and weights of the part that the model has, too, are the model's;
 * but data beside a model are not compared.
 * @return HTP_CODE_USAGE if numbers, dtypes or dims differ: a dim that is dynamic must be so in the
 *         part, and a name stands for one size alone; or if the model has another version of an
 *         operator, or another function of a name; or if a function of one is a custom operator of
 *         the other. HTP_CODE_BAD_INPUT for a part that does not import its operators.
 */
HTP_MUST_USE htp_status htp_replace_fit_part(htp_arena *arena, htp_replacement *r,
                                             const htp_replacing_part *part);

/**
 * Puts copies of the part's nodes in the place of each module, after htp_replace_order(). Names are
 * made unique. Weights stay where they were: in the model, or beside it. A tag at or below the
 * module stays; another one is put below the module, without what all tags of the part have in
 * common.
 */
void htp_replace_by_part(htp_arena *arena, htp_replacement *r, const htp_replacing_part *part);

/**
 * Finds what is no longer read, and the new order of nodes: that of the file, except for nodes that
 * a replacement needs, or that need it. All calls of functions that are on a cycle are inlined,
 * then all is ordered once more. Linear in nodes and in what they read.
 * @return HTP_CODE_USAGE if a path leaves a module and comes back, or if two modules need values of
 *         each other.
 */
HTP_MUST_USE htp_status htp_replace_order(htp_arena *arena, htp_replacement *r);

/**
 * The new model: everything else keeps its bytes. Outputs of a module get types, where the file
 * declares none and they can be inferred.
 * @param options  receives the recipe and its tensors
 * @param edits    receives the edits of what weights say about their readers
 */
HTP_MUST_USE htp_status htp_replace_recipe(htp_arena *arena, htp_replacement *r,
                                           htp_rewrite_options *options, htp_edit_list *edits);

/** The refusal of a module that cannot be cut out, in the words of htp_cut_region(); HTP_OK if it
 * can. */
HTP_MUST_USE htp_status htp_replace_refusal(htp_arena *arena, const htp_replacement *r,
                                            uint32_t module, uint32_t call);

#endif
