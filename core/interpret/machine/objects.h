/*
 * Attributes of objects, and the modules that contain the objects.
 */
#ifndef HTP_INTERPRET_MACHINE_OBJECTS_H
#define HTP_INTERPRET_MACHINE_OBJECTS_H

#include "base/map.h"
#include "interpret/values/item.h"

/** An attribute: an object's slot. */
typedef struct htp_object_attribute {
    uint32_t object;
    uint32_t slot;
} htp_object_attribute;

/** Values of attributes, in the order of addition. */
typedef struct htp_attribute_value {
    htp_object_attribute attribute;
    htp_item *value; /* NULL: none */
} htp_attribute_value;

typedef struct htp_attributes {
    HTP_VECTOR(htp_attribute_value) all;
    htp_map places; /* attribute -> index */
} htp_attributes;

/** The position of an object in the archive: a module, or a path within an attribute of one. */
typedef struct htp_holder {
    uint32_t module;
    const char *path;
} htp_holder;

#endif
