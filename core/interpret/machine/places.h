/*
 * The interface by which the interpreter finds places in source files.
 */
#ifndef HTP_INTERPRET_MACHINE_PLACES_H
#define HTP_INTERPRET_MACHINE_PLACES_H

#include <stdint.h>

/** Maps nodes of the program to the author's source files. */
typedef struct htp_place_finder {
    void *self; /**< first argument of each function */

    /** Finds a file ("" if unknown) and a line. */
    void (*find)(void *self, uint32_t function, uint32_t node, const char **file, uint32_t *line);

    /** The text there, in the form of htp_trace_node; "" if unknown. */
    const char *(*find_text)(void *self, uint32_t function, uint32_t node);
} htp_place_finder;

#endif
