/*
 * Removes the tags of a model.
 */
#ifndef HTP_ONNX_STRIP_H
#define HTP_ONNX_STRIP_H

#include "onnx/rewriter/rewrite.h"

#include <htp/export.h>

/**
 * Adds the edits that remove everything about modules, and nothing else: of nodes the attributes
 * that end in source_module or hierarchy_tags, the metadata of these names, full_tag, full_tags,
 * call, calls, first_calls, htp.retagged, layer_ann, namespace and those of PyTorch's exporter, and
 * doc strings that are tags; of initializers hierarchy_tags, name_scopes, htp.layout and
 * htp.parameter; of the model all entries that begin with `htp.`.
 * @param keep  places (HTP_TAG_...) that stay. If metadata stay and attributes do not, tags that a
 * node has only as attributes move to its metadata.
 */
void htp_strip_edits(htp_view *view, htp_edit_list *edits, unsigned keep);

/** The same for one node, whose tags do not move. */
void htp_strip_node(htp_view *view, htp_edit_list *edits, const htp_view_node *node, unsigned keep);

/** The same for initializers and the model. */
void htp_strip_rest(htp_view *view, htp_edit_list *edits);

/** Whether an entry of a node's metadata is one of these (some only beside a tag). */
bool htp_strip_is_node_key(const char *key);

/** Whether a node's attribute is about modules rather than its operator's. */
bool htp_strip_is_tag(const htp_view *view, const htp_view_attribute *attribute);

/** Whether an entry of the model's metadata is about modules. */
bool htp_strip_is_model_key(const char *key);

#endif
