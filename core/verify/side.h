/*
 * One of the two models, and runs of it or of its parts. Private to core/verify.
 */
#ifndef HTP_VERIFY_SIDE_H
#define HTP_VERIFY_SIDE_H

#include "query/partition/part.h"
#include "verify/verify.h"

/** What a file of values has of a value: an array, or several that are the tensors of a list. */
typedef struct htp_given_value {
    const htp_array *array; /* NULL: nothing */
    htp_numbers numbers;    /* of its arrays in the file */
} htp_given_value;

typedef struct htp_side {
    const htp_view *view;
    const htp_tree *tree;
    htp_view_types *types;
    htp_runtime *runtime;
    htp_arena *scratch;
    const char *folder;   /* of the model */
    const char *own_name; /* of the model in it; NULL: sessions cannot read its weights there */
    int level;            /* of optimisation */
    const htp_verify_given *given;   /* its tensors; NULL: it runs */
    const htp_given_value *given_of; /* by value: what `given` has of it */
    bool is_computed;                /* what it computes is known: it does not run */
    htp_division *division;          /* one part after the other; made on first use */
    htp_part_maker *maker;           /* of these parts */
} htp_side;

/** A part of a model that can run. */
typedef struct htp_side_session {
    htp_runtime_session *session;
    htp_numbers inputs; /* values that it takes */
} htp_side_session;

htp_side htp_side_new(htp_arena *arena, const htp_verify_request *request, int number);

/** @return HTP_CODE_INTERNAL where the runtime does not find the model's external data. */
HTP_MUST_USE htp_status htp_side_check(const htp_side *side);

/**
 * Makes a session of some nodes of the model, in time and memory that these nodes take.
 * @param arena    of all sessions of the side.
 * @param nodes    of graph 0; NULL: all run.
 * @param outputs  values that these nodes make, and that are wanted.
 * @param types    by value: TensorProto.DataType of what comes in, unless it is an input of the
 *                 model.
 * @param session  its inputs are in @p arena.
 */
HTP_MUST_USE htp_status htp_side_open(htp_side *side, htp_arena *arena, const htp_numbers *nodes,
                                      const htp_numbers *outputs, const int32_t *types,
                                      htp_side_session *session);

/** Whether the side has a value: it runs, or the value is in the file. */
bool htp_side_has(const htp_side *side, uint32_t value);

/** Frees a session. */
void htp_side_close(htp_side_session *session);

/**
 * Runs a session.
 * @param arrays  by value: what comes in. Where it is computed, also what comes out.
 * @param wanted  values to fetch.
 */
HTP_MUST_USE htp_status htp_side_run(const htp_side *side, htp_arena *arena,
                                     const htp_side_session *session,
                                     const htp_array *const *arrays, const htp_numbers *wanted,
                                     htp_fetched **fetched);

#endif
