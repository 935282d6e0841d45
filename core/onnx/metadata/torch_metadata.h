/*
 * Node metadata in the form of PyTorch's exporter, which viewers use for layout. Source of the
 * forms: torch.onnx._internal.exporter._core, _get_node_namespace().
 */
#ifndef HTP_ONNX_TORCH_METADATA_H
#define HTP_ONNX_TORCH_METADATA_H

#include "onnx/builder/builder.h"
#include "onnx/metadata/stack_trace.h"

/** Values of metadata_props. The operation has the aten operator's name, numbered from the second
 * in its scope on (`linear`, `linear_1`); the target is `aten.linear.default`. */
typedef struct htp_torch_metadata {
    const char *namespace_text; /* `: pkg.Net/encoder: pkg.Encoder/linear_1: aten.linear.default` */
    const char *class_hierarchy; /* `['pkg.Net', 'pkg.Encoder', 'aten.linear.default']` */
    const char *scopes;          /* `['', 'encoder', 'linear_1']` */
    const char *stack_trace;     /* see onnx/metadata/stack_trace.h; NULL if unknown */
} htp_torch_metadata;

typedef struct htp_torch_metadata_maker htp_torch_metadata_maker;

/** Where texts begin: relative ones omit the modules down to a call's, and its attribute path. */
typedef struct htp_torch_setting {
    uint32_t scope;           /* of the call; HTP_NONE: the model */
    bool is_relative;         /* false: texts are absolute */
    const htp_stacks *stacks; /* of the graph */
} htp_torch_setting;

/** Prepares for @p graph. */
htp_torch_metadata_maker *htp_torch_metadata_new(htp_arena *arena, const htp_graph *graph);

/**
 * The texts of an ONNX node. Parts common to a scope are built once. In the namespace `/`, `%`,
 * control characters and invalid UTF-8 are percent-encoded. A chain of more than 256 modules names
 * only the innermost 256; a module that calls itself is named once.
 */
htp_torch_metadata htp_torch_metadata_make(htp_torch_metadata_maker *maker,
                                           const htp_onnx_node *node,
                                           const htp_torch_setting *setting);

/** The texts of the call of a scope. The namespace is the chain of the called module with an
 * operation `forward`, whose target is the class. The lists are NULL, since they follow from it.
 * The stack ends at the calling line. */
htp_torch_metadata htp_torch_metadata_of_call(htp_torch_metadata_maker *maker, uint32_t scope,
                                              const htp_torch_setting *setting);

#endif
