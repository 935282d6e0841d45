/*
 * Encoded names of modules: the parts that tags are spelled with. Private to core/hierarchy.
 */
#ifndef HTP_HIERARCHY_SEGMENTS_H
#define HTP_HIERARCHY_SEGMENTS_H

#include "base/arena.h"
#include "interpret/trace/instances.h"

/** The spelling of a module's own names. Equal spellings have equal numbers. */
typedef struct htp_module_spelling {
    const char *class_name; /* short, not encoded */
    const char *class_part; /* short, encoded */
    const char *name_part;  /* attribute name, encoded */
    uint32_t class_number;
    uint32_t name_number;
    bool is_numeric; /* the attribute name is digits alone */
} htp_module_spelling;

/** Spells every module. Linear. */
const htp_module_spelling *htp_segments_spell(htp_arena *arena, const htp_instance *modules,
                                              uint32_t module_count);

/** What follows the class in the segment of a module. */
typedef enum htp_segment_form {
    HTP_SEGMENT_CLASS,  /* Class */
    HTP_SEGMENT_NUMBER, /* Class.N */
    HTP_SEGMENT_PATH,   /* Class.PATH */
} htp_segment_form;

/**
 * The form of every module's segment, by the rules over groups of siblings. Linear.
 * @param ancestors  the nearest eligible ancestor, by module; HTP_NONE for the root
 * @param eligible   by module; the forms of others mean nothing
 */
const htp_segment_form *htp_segments_forms(htp_arena *arena, const htp_module_spelling *spellings,
                                           const uint32_t *ancestors, const bool *eligible,
                                           uint32_t module_count);

#endif
