/*
 * A model without its tags.
 */
#ifndef HTP_ONNX_STRIP_H
#define HTP_ONNX_STRIP_H

#include "onnx/rewrite.h"

/**
 * Adds the edits that leave out what tells of modules, and nothing else: of nodes the attributes
 * that end in source_module or hierarchy_tags, the metadata of these names, full_tag, call,
 * calls, first_calls, layer_ann, namespace and those of PyTorch's exporter, and doc strings that
 * are tags; of initializers hierarchy_tags, name_scopes, htp.layout and htp.parameter; of the model
 * what begins with `htp.`.
 */
void htp_strip_edits(htp_view *view, htp_edit_list *edits);

/** Whether an attribute of a node tells of modules, and is none of its operator. */
bool htp_strip_is_tag(const htp_view *view, const htp_view_attribute *attribute);

/** Whether an entry of the model's metadata tells of modules. */
bool htp_strip_is_model_key(const char *key);

#endif
