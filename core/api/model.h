/*
 * An opened ONNX model. Private to core/api.
 */
#ifndef HTP_API_MODEL_H
#define HTP_API_MODEL_H

#include "onnx/reader/view.h"
#include "query/tree/tree.h"

struct htp_model {
    htp_arena arena; /* of the model's facts */
    htp_view view;   /* that queries read: inlined, if the file has functions */
    htp_view file;   /* of the file as it is, if that has functions; else all zeroes */
    htp_tree tree;
    htp_sidecar_file sidecar; /* to compare it with; or all zeroes */
};

/** One query of a model. Its arena is freed when it is answered. */
typedef struct htp_query {
    htp_model *model;
    htp_model *other; /* to compare it with; or NULL */
    htp_arena arena;
    htp_status (*answer)(struct htp_query *query);
    void (*close)(struct htp_query *query); /* what the answer opened, before its arena is freed,
                                               also after a failure; or NULL */
    const void *options;
    void *work;  /* owned by the answer while it is built */
    char **text; /* where answers go, or NULL */
    char **json;
} htp_query;

/** Opens the views of a model. Flaws are no failure, but a model that has some is not inlined. */
HTP_MUST_USE htp_status htp_model_open_views(htp_model *model, const char *path);

/** Like htp_model_open(), but views the nodes in topological order if the file does not have them
 * so. */
HTP_MUST_USE htp_status htp_model_open_sorted(const char *path, htp_model **model);

/** @return HTP_CODE_BAD_INPUT if the model's file, or the sidecar that its hierarchy is from, was
 * changed since it was opened */
HTP_MUST_USE htp_status htp_model_check_files(const htp_model *model);

/** The view of the file as it is. */
static inline htp_view *htp_model_file(htp_model *model)
{
    return model->file.bytes.at ? &model->file : &model->view;
}

/** Answers a query with the arenas' recovery points set. On failure, its results are freed and
 * NULL. */
HTP_MUST_USE htp_status htp_query_ask(htp_query *query);

/** Refuses an output that would replace one of the models, or its data. */
HTP_MUST_USE htp_status htp_query_check_output(htp_query *query, const char *path);

/** Refuses a list of addresses that is NULL or holds NULL, unless @p count is 0. */
HTP_MUST_USE htp_status htp_addresses_check(const char *const *addresses, size_t count);

/** Refuses a number that is neither a call's nor -1. */
HTP_MUST_USE htp_status htp_call_check(int64_t call);

/** Copies an answer with malloc(), for the caller to free. */
HTP_MUST_USE htp_status htp_query_hand_over(const char *answer, char **result);

#endif
