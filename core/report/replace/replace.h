/*
 * What was replaced in a model, as text and JSON.
 */
#ifndef HTP_REPORT_REPLACE_REPORT_H
#define HTP_REPORT_REPLACE_REPORT_H

#include "base/json/json.h"
#include "query/replace/replace.h"

/** A model that was written to a file. */
typedef struct htp_reported_replacement {
    const htp_replacement *replacement;
    const htp_replacing_operator *op; /* NULL: nodes of `by` took the place of modules */
    const char *by;
    const char *file;
    uint64_t model_bytes;
    const char *data_file; /* or NULL */
    uint64_t data_bytes;   /* of the data file */
} htp_reported_replacement;

/** A line for each module, and the border of the first; a line of those that have another one. */
const char *htp_report_replacement(htp_arena *arena, const htp_reported_replacement *reported);

/** The same, with all names, as an object. */
const char *htp_report_replacement_json(htp_arena *arena, const htp_reported_replacement *reported);

#endif
