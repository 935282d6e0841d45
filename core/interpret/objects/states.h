/*
 * State that outlives a call: attributes that it changes and the next call reads.
 */
#ifndef HTP_INTERPRET_OBJECTS_STATES_H
#define HTP_INTERPRET_OBJECTS_STATES_H

#include "interpret/objects/attributes.h"

/** The value that a call left in an attribute, or a part of it, without data-dependent contents. A
 * copy that outlives the machine. */
typedef struct htp_image {
    htp_item_kind kind;
    htp_operand lane[HTP_MAX_LANES]; /* of a number, text or None */
    bool is_known;                   /* a number that follows from constants and sizes */
    bool is_constant;                /* and from constants alone */
    const char *device;              /* of a tensor; NULL: that of inputs and weights */
    int32_t type;
    uint32_t rank;
    const int64_t *dims[HTP_MAX_LANES];
    bool is_shared;   /* another attribute shares the tensor's memory */
    bool is_archived; /* the memory is the archive's, changed in place */
    struct htp_image *parts;
    size_t part_count;
} htp_image;

/** An attribute that a call changed, or that was carried. */
typedef struct htp_recorded_state {
    const char *name; /* its path */
    htp_object_attribute attribute;
    htp_holder holder;
    htp_item *loaded; /* the archive's value */
    htp_item *before;
    htp_item *after;
    htp_image left;
} htp_recorded_state;

typedef HTP_VECTOR(htp_recorded_state) htp_recorded_states;

/** The state that a later call finds. */
typedef struct htp_carried_state {
    const char *name;
    htp_object_attribute attribute;
    htp_holder holder;
    const htp_image *left;
    const htp_trace_carry *parts; /* leaves of the image, depth first */
    size_t part_count;
} htp_carried_state;

/* ---- states (states.c, left.c) ---- */

/** A number, text or None in another arena. */
htp_operand htp_image_operand(htp_arena *arena, const htp_operand *operand);

/** Gives attributes the values that an earlier call left; these are not changed. */
htp_outcome htp_states_begin(htp_machine *m, const htp_carried_state *carried, size_t count,
                             const htp_place *place);

/** The attributes that the run changed or found carried, in the order of modules. @p arena  owns
 * the images, which outlive the machine */
htp_outcome htp_states_find(htp_machine *m, const htp_carried_state *carried, size_t count,
                            htp_arena *arena, htp_recorded_states *states);

#endif
