/*
 * Nodes and weights of a region as lists that people and other programs read.
 */
#ifndef HTP_REPORT_SELECTION_H
#define HTP_REPORT_SELECTION_H

#include "query/select/region.h"

/** What is to be listed. */
typedef struct htp_selected {
    const htp_region *region;
    bool lists_weights;
    const bool *has_weight; /* by tensor; where lists_weights */
    htp_selection_format format;
    const char *precision; /* of HTP_SELECT_TRTEXEC */
} htp_selected;

/**
 * The list in @p arena, with a newline behind it.
 * @return HTP_CODE_BAD_INPUT where what is selected has no name, or shares it with what is not, and
 *         the format knows names alone.
 */
HTP_MUST_USE htp_status htp_report_selection(htp_arena *arena, const htp_selected *selected,
                                             const char **text);

#endif
