/*
 * Path splits: points from which the program continues on two paths.
 */
#ifndef HTP_INTERPRET_MACHINE_PATH_SPLITS_H
#define HTP_INTERPRET_MACHINE_PATH_SPLITS_H

#include "interpret/machine/outcome.h"
#include "interpret/machine/recorded.h"

struct htp_machine;

/** Runs one side of a branch, and returns its outputs; or continues after a branch. */
typedef htp_outcome htp_side_run(struct htp_machine *m, const void *data, bool side,
                                 htp_items *outputs);
typedef htp_outcome htp_next_run(struct htp_machine *m, const void *data, const htp_items *given,
                                 htp_items *outputs);

typedef struct htp_side {
    htp_side_run *run;
    const void *data;
} htp_side;

typedef struct htp_next {
    htp_next_run *run;
    const void *data;
} htp_next;

/** A path split: the sides of a branch have results that cannot be outputs of a node, so the
 * following code is run on both until they can be merged. */
typedef struct htp_path_split {
    htp_item *condition;
    htp_place place;
    htp_side side;      /* returns the outputs of the code up to the merge */
    const char *reason; /* why they cannot be merged */
} htp_path_split;

/** An outer list whose length or rows a loop's body changes. */
typedef struct htp_growth {
    htp_item *list;
    htp_item *rows; /* its contents as a stack; NULL: as before the loop, if known */
} htp_growth;

#endif
