/*
 * Custom operators, which neither PyTorch nor ONNX defines: the caller maps them.
 */
#ifndef HTP_LOWER_CUSTOM_H
#define HTP_LOWER_CUSTOM_H

#include "base/status.h"
#include "onnx/builder/builder.h"

/** A custom operator and its ONNX counterpart. */
typedef struct htp_custom_operator {
    const char *kind;  /* "ns::name", for all overloads, or "ns::name.overload" */
    htp_domain domain; /* the name "" means ONNX's own operators */
    const char *op;
} htp_custom_operator;

typedef struct htp_custom_operators {
    htp_custom_operator *items;
    size_t count;
} htp_custom_operators;

/** Reads "NS::NAME=DOMAIN:OP" or "NS::NAME=DOMAIN@VERSION:OP" @p count times. ai.onnx is the domain
 * of ONNX's own operators, whose version is the model's opset. Fails with HTP_CODE_USAGE. */
HTP_MUST_USE htp_status htp_custom_read(htp_arena *arena, const char *const *texts, size_t count,
                                        htp_custom_operators *operators);

/** The mapping of a node's kind, or NULL. */
const htp_custom_operator *htp_custom_find(const htp_custom_operators *operators, const char *kind);

/** Whether a kind is of a namespace that is not libtorch's own. */
bool htp_custom_is_foreign(const char *kind);

struct htp_lowering;

/**
 * Writes the node by l->custom. Tensors are inputs in the order of the schema (None: an omitted
 * one; a list of tensors only behind all others), constant numbers and strings and lists of them
 * are attributes with the names of the schema, and every output is a tensor.
 */
void htp_lower_custom(struct htp_lowering *l);

#endif
