/*
 * Tensors that are not compared, and why: nothing is left out silently.
 */
#ifndef HTP_VERIFY_UNCOMPARED_H
#define HTP_VERIFY_UNCOMPARED_H

#include "base/vector.h"

#include <stdbool.h>
#include <stdint.h>

/** Why a tensor is not compared. */
typedef enum htp_uncompared_reason {
    HTP_UNCOMPARED_MISSING, /* the other model has no counterpart */
    HTP_UNCOMPARED_TYPE,    /* its counterpart has another element type or other dims */
    HTP_UNCOMPARED_KIND,    /* no numbers that are compared, nor a list of them */
    HTP_UNCOMPARED_STEP,    /* a step of an operator that PyTorch runs as a whole */
    HTP_UNCOMPARED_NOT_RUN, /* its operator did not run */
    HTP_UNCOMPARED_UNUSED,  /* an array of a file of values: no tensor has its name */
    HTP_UNCOMPARED_INNER,   /* within a module, and the other model is optimised */
    HTP_UNCOMPARED_BODY,    /* in a body of a loop or branch: compared where it leaves that */
    HTP_UNCOMPARED_KNOWN,   /* of a program: computed at export, from weights and sizes */
    HTP_UNCOMPARED_FOLDED,  /* of a program: folded into other operators at export */
    HTP_UNCOMPARED_UNREAD,  /* of a program: an output that nothing reads */
    HTP_UNCOMPARED_REASONS
} htp_uncompared_reason;

/** A tensor that is not compared. */
typedef struct htp_uncompared {
    int model;          /* HTP_COMPARED_A or HTP_COMPARED_B */
    const char *name;   /* of the tensor; NULL: the program's, of which no file has it */
    const char *kind;   /* of the operator: "Add", "aten::add.Tensor"; NULL: none is known */
    uint32_t module;    /* of that model's tree; HTP_NONE: none is known */
    const char *source; /* "FILE:LINE"; NULL: not known */
    htp_uncompared_reason reason;
} htp_uncompared;

typedef HTP_VECTOR(htp_uncompared) htp_uncompared_list;

/** A reason in words. */
const char *htp_uncompared_text(htp_uncompared_reason reason);

/** Whether the tensor lacks a counterpart: others are compared elsewhere, or stand in no file. */
bool htp_uncompared_counts(htp_uncompared_reason reason);

#endif
