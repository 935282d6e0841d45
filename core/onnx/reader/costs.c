/*
 * What the index of a model may cost. It is checked while the file is read, before more memory is
 * spent.
 */
#include "onnx/reader/view_read.h"

static htp_status check(const htp_view *view, htp_limit limit, uint64_t spent)
{
    return spent <= htp_limit_value(view->limits, limit)
               ? HTP_OK
               : htp_status_make(HTP_CODE_UNSUPPORTED, "%s: " HTP_LIMIT_FORMAT, view->path,
                                 HTP_LIMIT_ARGUMENTS(view->limits, limit));
}

htp_status htp_view_check_nodes(const htp_view *view, size_t more)
{
    return check(view, HTP_LIMIT_NODES, view->nodes.count + more);
}

htp_status htp_view_check_costs(const htp_view *view)
{
    HTP_TRY(check(view, HTP_LIMIT_NAMES,
                  view->names.count + view->tensors.count + view->graphs.count + view->infos.count +
                      view->functions.count + view->imports.count));
    HTP_TRY(check(view, HTP_LIMIT_FIELDS,
                  view->operands.count + view->attributes.count + view->property_list.count +
                      view->dims.count));
    return check(view, HTP_LIMIT_NAME_BYTES, view->name_bytes);
}
