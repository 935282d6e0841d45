/*
 * An opened ONNX model. Private to core/api.
 */
#ifndef HTP_API_MODEL_H
#define HTP_API_MODEL_H

#include "onnx/reader/view.h"
#include "query/tree/tree.h"

struct htp_model {
    htp_arena arena; /* of the model's facts */
    htp_view view;   /* that queries are asked of: flat, where the file has functions */
    htp_view file;   /* as the file has it, where that is another one; or all zeroes */
    htp_tree tree;
    htp_sidecar_file sidecar; /* that it is compared with; or all zeroes */
};

/** One query asked of a model; its arena is freed behind it. */
typedef struct htp_query {
    htp_model *model;
    htp_model *other; /* that it is compared with; or NULL */
    htp_arena arena;
    htp_status (*answer)(struct htp_query *query);
    const void *options;
    void *work;  /* owned by the answer while it is built */
    char **text; /* where answers go, or NULL */
    char **json;
} htp_query;

/** Opens the views of a model; flaws are no failure, but one with flaws is not made flat. */
HTP_MUST_USE htp_status htp_model_open_views(htp_model *model, const char *path);

/** Like htp_model_open(), but sorts nodes that stand before their sources: the view is that of a
 * sorted model. */
HTP_MUST_USE htp_status htp_model_open_sorted(const char *path, htp_model **model);

/** The view of the file as it is. */
static inline htp_view *htp_model_file(htp_model *model)
{
    return model->file.bytes.at ? &model->file : &model->view;
}

/** Answers a query with the arenas' recovery points set. On failure, its results are taken back. */
HTP_MUST_USE htp_status htp_query_ask(htp_query *query);

/** Refuses an output that would replace the model, or its data. */
HTP_MUST_USE htp_status htp_query_check_output(htp_query *query, const char *path);

/** Refuses a list that has no addresses where it should. */
HTP_MUST_USE htp_status htp_addresses_check(const char *const *addresses, size_t count);

/** Copies an answer for the caller. */
HTP_MUST_USE htp_status htp_query_hand_over(const char *answer, char **result);

#endif
