/*
 * Attributes of objects: their values in the archive, changes by a call, and initial values of the
 * next call.
 */
#ifndef HTP_INTERPRET_OBJECTS_ATTRIBUTES_H
#define HTP_INTERPRET_OBJECTS_ATTRIBUTES_H

#include "interpret/steps/control.h"

/** Attributes whose tensors share one memory in the archive. */
struct htp_storage_names {
    HTP_VECTOR(const char *) all;
    htp_map known;
};

/* ---- values by attribute (attribute_map.c) ---- */

/** The value of an attribute; @p has receives whether there is one. */
htp_item *htp_attributes_find(const htp_attributes *all, htp_object_attribute attribute, bool *has);

/** Sets one; a new one comes last. */
void htp_attributes_set(htp_machine *m, htp_attributes *all, htp_object_attribute attribute,
                        htp_item *value);

/* ---- objects (attributes.c) ---- */

/** Sets an attribute; blocks record its old value. */
void htp_attribute_set(htp_machine *m, htp_object_attribute attribute, htp_item *value);

/** Undoes the innermost block's changes of attributes, and removes its journal. @return the values
 * at the block's end */
htp_attributes htp_attributes_end_block(htp_machine *m);

/** Reads attributes before anything runs, so that changes within a branch or loop have an old
 * value. Those first read within one are the machine's `late`. */
htp_outcome htp_attributes_load_early(htp_machine *m, const htp_object_attribute *attributes,
                                      const htp_holder *holders, size_t count);

/** The position of an object in the archive; false for one that the call made. */
bool htp_attribute_holder(htp_machine *m, uint32_t object, htp_holder *holder);

/** Records the owner of an attribute, and the names of its objects and memories in the archive. */
htp_outcome htp_attribute_note(htp_machine *m, htp_object_attribute attribute,
                               const htp_holder *holder, const char *name);

/** Names in a class: of its attributes, or of its methods. */
typedef struct htp_class_names {
    char kind; /* which of the two, in keys */
    const char *const *names;
    uint32_t count;
} htp_class_names;

/** The index of a name in a class, the first of duplicates. @return whether it exists */
bool htp_class_find(htp_machine *m, uint32_t class_number, htp_class_names names, const char *name,
                    uint32_t *place);

/** The slot of an attribute in an object's class; HTP_FAILS if it has none. */
htp_outcome htp_attribute_slot(htp_machine *m, uint32_t object, const char *name, uint32_t *slot);

/** The value of an attribute in the archive. */
htp_outcome htp_attribute_loaded(htp_machine *m, htp_object_attribute attribute, htp_item **item);

/** Its path: that of its holder, and its own name. */
const char *htp_attribute_name(htp_machine *m, const char *holder, htp_object_attribute attribute);

#endif
