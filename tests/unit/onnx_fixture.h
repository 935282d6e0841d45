/*
 * A small traced model for the tests of core/onnx: modules, scopes and weights made by hand.
 */
#ifndef HTP_TESTS_ONNX_FIXTURE_H
#define HTP_TESTS_ONNX_FIXTURE_H

#include "graph/graph.h"
#include "onnx/builder/draft.h"
#include "unit.h"

/** Scopes of the fixture. */
enum {
    ROOT,
    ENCODER,   /* encoder, called by the root */
    LAYER,     /* encoder.layer.0, called by the encoder */
    ATTENTION, /* encoder.layer.0.attention */
    OWN,       /* the same module, calling a method of its own */
    SHARED,    /* shared, called by the attention that does not hold it */
    SIMILAR,   /* encoder_2, called by the encoder: the path only begins alike */
    ODD,       /* an attribute name with bytes that a name may not hold */
    SCOPE_COUNT
};

enum { WEIGHT_COUNT = 8 };

typedef struct onnx_fixture {
    htp_arena *arena;
    htp_trace trace;
    htp_weight weights[WEIGHT_COUNT];
    htp_graph *graph;
    htp_draft *model;
} onnx_fixture;

static const htp_instance fixture_modules[] = {
    {.name = "", .path = "", .qualified_class = "pkg.Net", .parent = HTP_NONE},
    {.name = "encoder", .path = "encoder", .qualified_class = "pkg.Encoder", .parent = 0},
    {.name = "0", .path = "encoder.layer.0", .qualified_class = "pkg.Layer", .parent = 1},
    {.name = "attention",
     .path = "encoder.layer.0.attention",
     .qualified_class = "pkg.Attention",
     .parent = 2},
    {.name = "shared", .path = "shared", .qualified_class = "pkg.Shared", .parent = 0},
    {.name = "encoder_2", .path = "encoder_2", .qualified_class = "pkg.Encoder", .parent = 0},
    {.name = "odd", .path = "a/b\n\xff\xc3\xa9", .qualified_class = "pkg.Odd", .parent = 0},
};

static const htp_trace_scope fixture_scopes[SCOPE_COUNT] = {
    [ROOT] = {HTP_NONE, 0, 0, 0, NULL, 0},   [ENCODER] = {ROOT, 1, 0, 0, NULL, 0},
    [LAYER] = {ENCODER, 2, 0, 0, NULL, 0},   [ATTENTION] = {LAYER, 3, 0, 0, NULL, 0},
    [OWN] = {ATTENTION, 3, 1, 0, NULL, 0},   [SHARED] = {ATTENTION, 4, 0, 0, NULL, 0},
    [SIMILAR] = {ENCODER, 5, 0, 0, NULL, 0}, [ODD] = {ROOT, 6, 0, 0, NULL, 0},
};

/** Builds everything anew in f->arena. The weights are empty: a test sets those that it uses. */
static inline void fixture_build(onnx_fixture *f)
{
    f->trace = (htp_trace){
        .scopes = fixture_scopes,
        .scope_count = SCOPE_COUNT,
        .weights = f->weights,
        .weight_count = WEIGHT_COUNT,
    };
    for (int i = 0; i < WEIGHT_COUNT; i++) {
        f->weights[i] = (htp_weight){.name = "", .dtype = HTP_DTYPE_FLOAT32};
    }
    f->graph =
        htp_graph_build(f->arena, &f->trace, 1, fixture_modules,
                        sizeof(fixture_modules) / sizeof(fixture_modules[0]), NULL, 0, NULL, 0);
    f->model = htp_draft_new(f->arena, f->graph, 18);
}

static inline void fixture_begin(onnx_fixture *f, htp_arena *arena)
{
    f->arena = arena;
    fixture_build(f);
}

/** Adds a node with one output in a scope. */
static inline htp_tensor_id fixture_node(onnx_fixture *f, uint32_t scope, const char *op_type,
                                         htp_tensor_id a, htp_tensor_id b)
{
    htp_tensor_id inputs[2] = {a, b};
    htp_tensor_id output;
    f->model->origin = (htp_origin){.scope = scope, .node = HTP_NONE};
    htp_draft_add_node(f->model, op_type, inputs, 2, NULL, 0, &output, 1);
    return output;
}

static inline const char *fixture_name(const onnx_fixture *f, htp_tensor_id tensor)
{
    return f->model->tensors.items[tensor].name;
}

#endif
