/*
 * Parts cut out of a model, as text and JSON.
 */
#ifndef HTP_REPORT_PART_REPORT_H
#define HTP_REPORT_PART_REPORT_H

#include "base/json/json.h"
#include "query/partition/part.h"
#include "query/partition/split.h"
#include "query/tree/tree.h"

#include <htp/model.h>

/** A part that was written to a file. */
typedef struct htp_reported_part {
    const htp_part *part;
    htp_view_types *types;
    const char *file;
    uint64_t model_bytes;
    const char *data_file; /* or NULL */
    uint64_t data_bytes;   /* of the data file */
} htp_reported_part;

/** One part as a table: its border. */
const char *htp_report_part(htp_arena *arena, const htp_view *view,
                            const htp_reported_part *reported);

/** One part as members of a JSON object: "nodes", "weights", "inputs", "outputs"... */
void htp_report_part_json(htp_json *json, const htp_view *view, const htp_reported_part *reported);

/** Values at a border as a list: their names, dtypes and dims. */
void htp_report_border_json(htp_json *json, const htp_view *view, htp_view_types *types,
                            const char *key, const uint32_t *values, size_t count);

/** The parts of a split. */
typedef struct htp_reported_split {
    const htp_view *view;
    const htp_tree *tree;
    const htp_split *split;
    htp_view_types *types;
    const htp_reported_part *parts;
    const uint64_t *sizes; /* by part, of a balanced split; or NULL */
    htp_split_measure by;  /* of these */
    const char *weights;   /* the file that holds weights of all parts; or NULL */
} htp_reported_split;

const char *htp_report_split(htp_arena *arena, const htp_reported_split *reported);

/** The contents of index.json. */
const char *htp_report_split_json(htp_arena *arena, const htp_reported_split *reported);

#endif
