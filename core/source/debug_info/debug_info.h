/*
 * Maps nodes of a program to the author's source files: the program has their places in the
 * archive's code, and debug records map that code to source files.
 *
 * A record is read on first use. If it is damaged, places stay those in the archive's code.
 */
#ifndef HTP_SOURCE_DEBUG_INFO_H
#define HTP_SOURCE_DEBUG_INFO_H

#include "base/input_file.h"
#include "interpret/machine/places.h"
#include "source/archive/archive.h"

#include <htp/program.h>
#include <stdbool.h>

typedef struct htp_source_places htp_source_places;

/** Everything that places are found by; it must outlive the result. */
typedef struct htp_placed {
    const htp_program *program;
    const htp_archive *archive; /**< that was checked */
    const char *path;           /**< of its file, for messages */
    const htp_input_file *file; /**< open: records are read on demand */
} htp_placed;

/** Prepares the look-up. @return NULL without memory */
htp_source_places *htp_source_places_open(const htp_placed *in);

/** Whether memory ran out, so that some places were not found. */
bool htp_source_places_are_short(const htp_source_places *places);

/** Frees the places with all texts that were returned; NULL is accepted. */
void htp_source_places_close(htp_source_places *places);

/** The look-up of places for the interpreter. */
const htp_place_finder *htp_source_places_finder(const htp_source_places *places);

#endif
