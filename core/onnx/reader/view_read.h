/*
 * The parts of htp_view_open(). Private to core/onnx.
 *
 * There is no recursion: bodies are read after the graph that contains them, and tensors do not
 * nest. Each list of a message is read in a pass of its own, so it is consecutive in the view for
 * any order of fields.
 */
#ifndef HTP_ONNX_VIEW_READ_H
#define HTP_ONNX_VIEW_READ_H

#include "onnx/reader/view.h"

/** A status which says that @p what, at @p at, is damaged. */
HTP_MUST_USE htp_status htp_view_damaged(const htp_view *view, const unsigned char *at,
                                         const char *what);

/** HTP_OK if @p wire reached the end of its message; @p what names the message in the failure. */
HTP_MUST_USE htp_status htp_view_end(const htp_view *view, const htp_wire *wire, const char *what);

/** HTP_CODE_UNSUPPORTED if the model has more of something than a limit allows. Readers call it
 * whenever they have added to a list. */
HTP_MUST_USE htp_status htp_view_check_costs(const htp_view *view);

/** The same for @p more nodes, which are to be read. */
HTP_MUST_USE htp_status htp_view_check_nodes(const htp_view *view, size_t more);

/** The number of a text, which is copied if it is new. It must be UTF-8 without NUL. */
HTP_MUST_USE htp_status htp_view_intern(htp_view *view, htp_span text, htp_view_name *name);

/** Reads the names in field @p number of a message with known runs into view->operands: linking
 * turns them into values. */
HTP_MUST_USE htp_status htp_view_read_operands(htp_view *view, const htp_wire_runs *runs,
                                               uint32_t number, htp_view_range *range);

/** Reads the metadata_props that are field @p number of such a message. */
HTP_MUST_USE htp_status htp_view_read_properties(htp_view *view, const htp_wire_runs *runs,
                                                 uint32_t number, htp_view_range *range);

/** Reads the model's own fields and its functions; graphs are only recorded, and read by
 * htp_view_read_graph(). */
HTP_MUST_USE htp_status htp_view_read_model(htp_view *view);

/** Reads graph @p index; bodies in it are appended to the list of graphs. */
HTP_MUST_USE htp_status htp_view_read_graph(htp_view *view, uint32_t index);

/** Reads a TensorProto. @param tensor  its graph, attribute and sparse are set. */
HTP_MUST_USE htp_status htp_view_read_tensor(htp_view *view, htp_span whole,
                                             htp_view_tensor *tensor);

/** Reads a SparseTensorProto as two tensors. @param like  as above. */
HTP_MUST_USE htp_status htp_view_read_sparse(htp_view *view, htp_span whole, htp_view_tensor like);

/** Finds the file of an external tensor, and checks that it is long enough. */
HTP_MUST_USE htp_status htp_view_find_data(htp_view *view, const htp_view_tensor *tensor);

/** Turns names into values, so that readers know the makers. Records flaws. */
void htp_view_link(htp_view *view);

#endif
