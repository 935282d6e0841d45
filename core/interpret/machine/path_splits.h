/*
 * Points at which the program goes on twice.
 */
#ifndef HTP_INTERPRET_MACHINE_PATH_SPLITS_H
#define HTP_INTERPRET_MACHINE_PATH_SPLITS_H

#include "interpret/machine/outcome.h"
#include "interpret/machine/recorded.h"

struct htp_machine;

/** Runs one side of a branch, and gives its outputs; or goes on with what a branch gave. */
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

/** A point at which the program goes on twice: the sides of a branch give what no output of a node
 * can be, so that what follows belongs to both, as far as it takes them to meet. */
typedef struct htp_path_split {
    htp_item *condition;
    htp_place place;
    htp_side side;      /* gives the outputs of what ended with the fork */
    const char *reason; /* why they cannot meet */
} htp_path_split;

/** A list of outside whose length a loop's body changes, or whose rows it changes in place. */
typedef struct htp_growth {
    htp_item *list;
    htp_item *rows; /* a stack of what it holds; NULL: as before the loop, if that tells */
} htp_growth;

#endif
