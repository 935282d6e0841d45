/*
 * Nodes and weights of a region as lists that people and other programs read.
 */
#ifndef HTP_REPORT_SELECTION_H
#define HTP_REPORT_SELECTION_H

#include "query/select/region.h"

/** The contents of a list. */
typedef struct htp_selected {
    const htp_region *region;
    bool lists_weights;
    const bool *has_weight; /* by tensor; if lists_weights */
    htp_selection_format format;
    const char *precision; /* for HTP_SELECT_TRTEXEC */
} htp_selected;

/**
 * The list in @p arena, which ends with a newline.
 * @return HTP_CODE_BAD_INPUT if the format uses names, and a selected entry has none, or shares it
 *         with an entry that is not selected.
 */
HTP_MUST_USE htp_status htp_report_selection(htp_arena *arena, const htp_selected *selected,
                                             const char **text);

#endif
