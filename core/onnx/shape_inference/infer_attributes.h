/*
 * Attributes of a file's nodes, as the rules of type inference read them. Private to
 * core/onnx/shape_inference.
 */
#ifndef HTP_ONNX_INFER_ATTRIBUTES_H
#define HTP_ONNX_INFER_ATTRIBUTES_H

#include "onnx/reader/view.h"
#include "onnx/shape_inference/infer_rule.h"

typedef HTP_VECTOR(htp_attribute) htp_attribute_list;

/** By name of the view: the kind of attribute that rules expect of this name, if any. */
typedef struct htp_told_attributes {
    htp_arena *arena;
    const htp_view *view;
    const uint8_t *rows;    /* of a table, by name of the view */
    const uint32_t *graphs; /* by graph of the view: its number in the builder; 0: it has none */
} htp_told_attributes;

htp_told_attributes htp_told_attributes_of(htp_arena *arena, const htp_view *view,
                                           const uint32_t *graphs);

/** Lists the attributes of a node that rules read. @return false if one would be misread: it has
 * another kind, or refers to a function's caller */
bool htp_told_attributes_list(const htp_told_attributes *told, const htp_view_node *node,
                              htp_attribute_list *list);

#endif
