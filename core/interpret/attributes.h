/*
 * Attributes of objects: what they hold in the archive, what a call changes, and what the next one
 * finds.
 */
#ifndef HTP_INTERPRET_ATTRIBUTES_H
#define HTP_INTERPRET_ATTRIBUTES_H

#include "interpret/control.h"

/** What a call left in an attribute, or a part of it, but for what only the data tells. It
 * outlives the machine: all of it is copied. */
typedef struct htp_image {
    htp_item_kind kind;
    htp_operand lane[HTP_SHIM_MAX_LANES]; /* of a number, text or None */
    bool is_known;                        /* a number that constants and sizes tell */
    bool is_constant;                     /* constants alone */
    int32_t type;                         /* of a tensor */
    uint32_t rank;
    const int64_t *dims[HTP_SHIM_MAX_LANES];
    bool is_shared;   /* another attribute has the tensor's memory, too */
    bool is_archived; /* the memory is the archive's, changed in place */
    struct htp_image *parts;
    size_t part_count;
} htp_image;

/** Attributes whose tensors have one memory of the archive. */
struct htp_storage_names {
    HTP_VECTOR(const char *) all;
    htp_map known;
};

/** An attribute that a call changed, or found changed. */
typedef struct htp_recorded_state {
    const char *name; /* its path */
    htp_object_attribute attribute;
    htp_holder holder;
    htp_item *loaded; /* what the archive has */
    htp_item *before;
    htp_item *after;
    htp_image left;
} htp_recorded_state;

typedef HTP_VECTOR(htp_recorded_state) htp_recorded_states;

/** What a later call finds. */
typedef struct htp_carried_state {
    const char *name;
    htp_object_attribute attribute;
    htp_holder holder;
    const htp_image *left;
    const htp_trace_carry *parts; /* leaves of the image, depth first */
    size_t part_count;
} htp_carried_state;

/* ---- values by attribute (attribute_map.c) ---- */

/** The value of an attribute; @p has tells whether there is one. */
htp_item *htp_attributes_find(const htp_attributes *all, htp_object_attribute attribute, bool *has);

/** Sets one; what is new comes last. */
void htp_attributes_set(htp_machine *m, htp_attributes *all, htp_object_attribute attribute,
                        htp_item *value);

/* ---- objects (attributes.c) ---- */

/** Sets what an attribute holds; blocks note what it held. */
void htp_attribute_set(htp_machine *m, htp_object_attribute attribute, htp_item *value);

/** Gives attributes the values that they had before the innermost block, whose journal is taken
 * away. @return those that it left */
htp_attributes htp_attributes_end_block(htp_machine *m);

/** Reads attributes before anything runs: a change within a branch or loop is of what was there
 * before it. Those that were first read within one are the machine's `late`. */
htp_outcome htp_attributes_load_early(htp_machine *m, const htp_object_attribute *attributes,
                                      const htp_holder *holders, size_t count);

/** Where an object is in the archive; false of one that the call made. */
bool htp_attribute_holder(htp_machine *m, uint32_t object, htp_holder *holder);

/** Notes where the object of an attribute is, and under which name the archive has there which
 * objects and memories. */
htp_outcome htp_attribute_note(htp_machine *m, htp_object_attribute attribute,
                               const htp_holder *holder, const char *name);

/** The slot of an attribute of an object's class; HTP_FAILS where it has none. */
htp_outcome htp_attribute_slot(htp_machine *m, uint32_t object, const char *name, uint32_t *slot);

/** What an attribute is in the archive. */
htp_outcome htp_attribute_loaded(htp_machine *m, htp_object_attribute attribute, htp_item **item);

/** Its path: that of its holder, and its own name. */
const char *htp_attribute_name(htp_machine *m, const char *holder, htp_object_attribute attribute);

/* ---- states (states.c, left.c) ---- */

/** A number, text or None in another arena. */
htp_operand htp_image_operand(htp_arena *arena, const htp_operand *operand);

/** Gives attributes what an earlier call left, which stays as it is. */
htp_outcome htp_states_begin(htp_machine *m, const htp_carried_state *carried, size_t count,
                             const htp_place *place);

/** The attributes that the run changed or found carried, in the order of modules. @p arena  has the
 * images, which outlive the machine */
htp_outcome htp_states_find(htp_machine *m, const htp_carried_state *carried, size_t count,
                            htp_arena *arena, htp_recorded_states *states);

#endif
