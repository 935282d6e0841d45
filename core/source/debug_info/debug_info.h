/*
 * Where nodes of a program stand in the files of who wrote it: the program tells where in the
 * archive's code they do, debug records of the archive what that code was made of.
 *
 * A record is read when the first of its places is asked for. What is damaged in it costs the place
 * alone: nodes then stand in the archive's code.
 */
#ifndef HTP_SOURCE_DEBUG_INFO_H
#define HTP_SOURCE_DEBUG_INFO_H

#include "base/input_file.h"
#include "interpret/machine/places.h"
#include "source/archive/archive.h"

#include <htp/program.h>

typedef struct htp_source_places htp_source_places;

/** What places are found in; all of it outlives them. */
typedef struct htp_placed {
    const htp_program *program;
    const htp_archive *archive; /**< that was checked */
    const char *path;           /**< of its file, for messages */
    const htp_input_file *file; /**< open: records are read from it when they are needed */
} htp_placed;

/** @return NULL without memory */
htp_source_places *htp_source_places_open(const htp_placed *in);

/** Frees them with all texts that were handed out; NULL is accepted. */
void htp_source_places_close(htp_source_places *places);

/** What finds them for the interpreter. */
const htp_place_finder *htp_source_places_finder(const htp_source_places *places);

#endif
