/*
 * The metadata that PyTorch's exporter writes on a node, in its forms; viewers lay graphs out by
 * it. Source of the forms: torch.onnx._internal.exporter._core, _get_node_namespace().
 */
#ifndef HTP_ONNX_TORCH_METADATA_H
#define HTP_ONNX_TORCH_METADATA_H

#include "onnx/builder/builder.h"
#include "onnx/metadata/stack_trace.h"

/** Values of metadata_props. The operation's name is the aten operator's, numbered from the second
 * in its scope on (`linear`, `linear_1`); the target is `aten.linear.default`. */
typedef struct htp_torch_metadata {
    const char *namespace_text; /* `: pkg.Net/encoder: pkg.Encoder/linear_1: aten.linear.default` */
    const char *class_hierarchy; /* `['pkg.Net', 'pkg.Encoder', 'aten.linear.default']` */
    const char *scopes;          /* `['', 'encoder', 'linear_1']` */
    const char *stack_trace;     /* see onnx/metadata/stack_trace.h; NULL where not known */
} htp_torch_metadata;

typedef struct htp_torch_metadata_maker htp_torch_metadata_maker;

/** Where texts begin: relative ones leave out the modules down to that of a call, and its attribute
 * path. */
typedef struct htp_torch_setting {
    uint32_t scope;           /* of the call; HTP_NONE: the model */
    bool is_relative;         /* false: absolute texts in spite of it */
    const htp_stacks *stacks; /* where it is */
} htp_torch_setting;

/** Prepares for @p graph. */
htp_torch_metadata_maker *htp_torch_metadata_new(htp_arena *arena, const htp_graph *graph);

/**
 * The texts of an ONNX node. Parts common to a scope are built once. In the namespace `/`, `%`,
 * control characters and invalid UTF-8 are percent-encoded. Of a chain of more than 256 modules the
 * innermost 256 are named; a module that calls itself is named once.
 */
htp_torch_metadata htp_torch_metadata_make(htp_torch_metadata_maker *maker,
                                           const htp_onnx_node *node,
                                           const htp_torch_setting *setting);

/** The texts of the call of a scope. The namespace is the chain of the called module, with an
 * operation `forward` whose target is the class. Lists follow from it and are NULL. The stack is
 * that of the calling line. */
htp_torch_metadata htp_torch_metadata_of_call(htp_torch_metadata_maker *maker, uint32_t scope,
                                              const htp_torch_setting *setting);

#endif
