/*
 * Attributes of a file's nodes, in the form that rules of type inference read. Private to
 * core/onnx/shape_inference.
 */
#ifndef HTP_ONNX_INFER_ATTRIBUTES_H
#define HTP_ONNX_INFER_ATTRIBUTES_H

#include "onnx/reader/view.h"
#include "onnx/shape_inference/infer_rule.h"

typedef HTP_VECTOR(htp_attribute) htp_attribute_list;

/** The kinds of attributes that rules expect, by name. */
typedef struct htp_told_attributes {
    htp_arena *arena;
    const htp_view *view;
    const uint8_t *rows;    /* by name of the view: row of the table of kinds */
    const uint32_t *graphs; /* by graph of the view: its number in the builder; 0: none */
} htp_told_attributes;

htp_told_attributes htp_told_attributes_of(htp_arena *arena, const htp_view *view,
                                           const uint32_t *graphs);

/** Lists the attributes of a node that rules read. @return false if one would be misread: it has
 * another kind, or refers to a function's caller */
bool htp_told_attributes_list(const htp_told_attributes *told, const htp_view_node *node,
                              htp_attribute_list *list);

#endif
