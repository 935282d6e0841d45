#include "interpret/machine/costs.h"

enum { STEPS_OF_A_TICK = 64 };

htp_outcome htp_machine_exceed(htp_machine *m, htp_limit limit, const htp_place *place,
                               const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *what = htp_arena_vprintf(m->arena, format, arguments);
    va_end(arguments);
    htp_machine_say(m, "%s, %s: " HTP_LIMIT_FORMAT, what, htp_place_describe(m, place),
                    HTP_LIMIT_ARGUMENTS(m->limits, limit));
    return HTP_UNSUPPORTED;
}

static htp_outcome exceed(htp_machine *m, htp_limit limit)
{
    return htp_machine_stop(m, HTP_UNSUPPORTED, "%s() takes " HTP_LIMIT_FORMAT, m->method,
                            HTP_LIMIT_ARGUMENTS(m->limits, limit));
}

htp_outcome htp_machine_tick(htp_machine *m)
{
    if (++m->control.steps > htp_limit_value(m->limits, HTP_LIMIT_STEPS)) {
        return exceed(m, HTP_LIMIT_STEPS);
    }
    if (m->recording.items.count > htp_limit_value(m->limits, HTP_LIMIT_VALUES)) {
        return exceed(m, HTP_LIMIT_VALUES);
    }
    if (m->control.steps - m->control.last_tick < STEPS_OF_A_TICK) {
        return HTP_GOES_ON;
    }
    m->control.last_tick = m->control.steps;
    bool goes_on = !m->tick || m->tick(m->user, m->recording.nodes.count, 0);
    return goes_on ? HTP_GOES_ON : htp_machine_stop(m, HTP_BREAKS, "interrupted");
}
