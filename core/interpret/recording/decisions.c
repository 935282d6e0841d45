/*
 * Values that must be known to continue: conditions, counts and indices.
 */
#include "interpret/recording/recording.h"

htp_outcome htp_item_require_known(htp_machine *m, const htp_item *item)
{
    const htp_recorded_node *node = htp_recording_find_cause(m, htp_item_find_unknown(item));
    return node && node->failure
               ? htp_machine_refuse(m, &node->place, "%s, which decides what runs: %s", node->kind,
                                    node->failure)
               : HTP_GOES_ON;
}

/* Refuses a value that depends on contents of inputs or on dynamic axes. */
static htp_outcome require_constant(htp_machine *m, const htp_item *item, const char *what,
                                    const htp_place *place)
{
    HTP_DO(htp_item_require_known(m, item));
    if (item->kind != HTP_ITEM_PLAIN || !htp_has_lanes(item) || htp_is_data(item)) {
        return htp_machine_refuse(m, place, "%s depends on the data", what);
    }
    return htp_is_constant(item)
               ? HTP_GOES_ON
               : htp_machine_stop(m, HTP_UNSUPPORTED,
                                  "%s depends on a dynamic axis, %s; give that axis a fixed size",
                                  what, htp_place_describe(m, place));
}

htp_outcome htp_item_require_flag(htp_machine *m, const htp_item *condition, const htp_place *place,
                                  bool *side)
{
    HTP_DO(require_constant(m, condition, "a branch or loop", place));
    if (!htp_is_bool(condition)) {
        return htp_machine_stop(m, HTP_FAILS, "a bool is expected");
    }
    *side = condition->lane[0].as.b;
    return HTP_GOES_ON;
}

htp_outcome htp_item_require_number(htp_machine *m, const htp_item *item, const htp_place *place,
                                    int64_t *number)
{
    HTP_DO(require_constant(m, item, "a count or index", place));
    if (!htp_is_int(item)) {
        return htp_machine_stop(m, HTP_FAILS, "an int is expected");
    }
    *number = item->lane[0].as.i;
    return HTP_GOES_ON;
}
