/*
 * An opened ONNX model. Private to core/api.
 */
#ifndef HTP_API_MODEL_H
#define HTP_API_MODEL_H

#include "onnx/view.h"
#include "query/tree.h"

struct htp_model {
    htp_arena arena; /* of what the model is */
    htp_view view;
    htp_tree tree;
    htp_sidecar_file sidecar; /* that it is compared with; or all zeroes */
};

/** One question asked of a model; its arena is freed behind it. */
typedef struct htp_question {
    htp_model *model;
    htp_model *other; /* that it is compared with; or NULL */
    htp_arena arena;
    htp_status (*answer)(struct htp_question *question);
    const void *options;
    void *work;  /* what the answer keeps on its way */
    char **text; /* where answers go, or NULL */
    char **json;
} htp_question;

/** Answers a question with the arenas' recovery points set. What it handed over is taken back where
 * it fails. */
HTP_MUST_USE htp_status htp_question_ask(htp_question *question);

/** Refuses an output that would replace the model, or its data. */
HTP_MUST_USE htp_status htp_question_check_output(htp_question *question, const char *path);

/** Refuses a list that has no addresses where it should. */
HTP_MUST_USE htp_status htp_addresses_check(const char *const *addresses, size_t count);

/** Copies an answer for the caller. */
HTP_MUST_USE htp_status htp_question_hand_over(const char *answer, char **result);

#endif
