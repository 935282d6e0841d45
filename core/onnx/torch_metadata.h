/*
 * The metadata that PyTorch's exporter writes on a node, in its forms; viewers lay graphs out by
 * it. Source of the forms: torch/onnx/_internal/exporter/_core.py, _get_node_namespace().
 */
#ifndef HTP_ONNX_TORCH_METADATA_H
#define HTP_ONNX_TORCH_METADATA_H

#include "onnx/draft.h"

/** Values of metadata_props. The operation's name is the aten operator's with a number behind it
 * from the second on (`linear`, `linear_1`), the target is `aten.linear.default`. */
typedef struct htp_torch_metadata {
    const char *namespace_text; /* `: pkg.Net/encoder: pkg.Encoder/linear_1: aten.linear.default` */
    const char *class_hierarchy; /* `['pkg.Net', 'pkg.Encoder', 'aten.linear.default']` */
    const char *scopes;          /* `['', 'encoder', 'linear_1']` */
    const char *stack_trace;     /* see onnx/stack_trace.h; NULL where not known */
} htp_torch_metadata;

typedef struct htp_torch_metadata_maker htp_torch_metadata_maker;

/** Prepares for @p graph. */
htp_torch_metadata_maker *htp_torch_metadata_new(htp_arena *arena, const htp_graph *graph);

/**
 * The texts of an ONNX node. What is common to a scope is made once. In the namespace `/`, `%`,
 * control characters and what is no UTF-8 are percent-encoded. Of a chain of more than 256
 * modules the innermost 256 are named; a module that calls itself is named once.
 */
htp_torch_metadata htp_torch_metadata_make(htp_torch_metadata_maker *maker,
                                           const htp_onnx_node *node);

#endif
