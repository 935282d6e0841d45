/*
 * The parts of which htp_view_open() consists. Private to core/onnx.
 *
 * No message is read by recursion: what a body holds is read after the graph that it lies in, and
 * a tensor holds no further ones. Lists of one message are read in passes of their own, each from
 * the first of its items to the last, so that they are consecutive in the view whatever the order
 * of the fields.
 */
#ifndef HTP_ONNX_VIEW_READ_H
#define HTP_ONNX_VIEW_READ_H

#include "onnx/reader/view.h"

/** That @p what, at @p at, is damaged. */
HTP_MUST_USE htp_status htp_view_damaged(const htp_view *view, const unsigned char *at,
                                         const char *what);

/** HTP_OK where @p wire came to the end of its message, a @p what. */
HTP_MUST_USE htp_status htp_view_end(const htp_view *view, const htp_wire *wire, const char *what);

/** The number of a text, which is copied where it is new. It must be UTF-8 without NUL. */
HTP_MUST_USE htp_status htp_view_intern(htp_view *view, htp_span text, htp_view_name *name);

/** Reads the names that are field @p number of a message whose runs are known, appended to
 * view->operands: they become values when the view is linked. */
HTP_MUST_USE htp_status htp_view_read_operands(htp_view *view, const htp_wire_runs *runs,
                                               uint32_t number, htp_view_range *range);

/** Reads the metadata_props that are field @p number of such a message. */
HTP_MUST_USE htp_status htp_view_read_properties(htp_view *view, const htp_wire_runs *runs,
                                                 uint32_t number, htp_view_range *range);

/** Reads the model's own fields and its functions; graphs are noted, and read by
 * htp_view_read_graph(). */
HTP_MUST_USE htp_status htp_view_read_model(htp_view *view);

/** Reads graph @p index; the bodies in it are noted behind it. */
HTP_MUST_USE htp_status htp_view_read_graph(htp_view *view, uint32_t index);

/** Reads a TensorProto. @param tensor  its graph, attribute and sparse are set. */
HTP_MUST_USE htp_status htp_view_read_tensor(htp_view *view, htp_span whole,
                                             htp_view_tensor *tensor);

/** Reads a SparseTensorProto as two tensors. @param like  as above. */
HTP_MUST_USE htp_status htp_view_read_sparse(htp_view *view, htp_span whole, htp_view_tensor like);

/** Finds the file that an external tensor lies in, and that it does. */
HTP_MUST_USE htp_status htp_view_find_data(htp_view *view, const htp_view_tensor *tensor);

/** Makes values of names: whoever reads one knows what makes it. Notes the flaws. */
void htp_view_link(htp_view *view);

#endif
