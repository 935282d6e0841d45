#include "interpret/machine/costs.h"

#include "base/dtype.h"

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

htp_outcome htp_machine_check_depth(htp_machine *m)
{
    uint64_t most = htp_limit_blocks(m->limits);
    if (m->control.depth > htp_limit_value(m->limits, HTP_LIMIT_CALLS)) {
        return exceed(m, HTP_LIMIT_CALLS);
    }
    if (m->control.block_depth >= most) {
        return htp_machine_stop(m, HTP_UNSUPPORTED,
                                "calls, branches and loops are nested more than %" PRIu64
                                " deep (--limit call-depth=N raises this limit)",
                                most);
    }
    return htp_stack_is_low()
               ? htp_machine_stop(m, HTP_UNSUPPORTED, "%s() is nested " HTP_STACK_FORMAT, m->method,
                                  htp_stack_kilobytes())
               : HTP_GOES_ON;
}

/* ---- contents ---- */

/* Bytes of a tensor in all lanes; lanes may share one. */
static uint64_t bytes_of_tensor(const htp_machine *m, const htp_item *tensor)
{
    const htp_runner_tensor *first = htp_tensor_in(tensor, 0);
    htp_dtype dtype;
    uint64_t size =
        htp_dtype_from_scalar_type(first->type, &dtype) ? htp_dtype_size(dtype) : sizeof(double);
    uint64_t elements = 0;
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        const htp_runner_tensor *made = htp_tensor_in(tensor, lane);
        elements += lane == 0 || made->storage != first->storage ? (uint64_t)made->elements : 0;
    }
    return elements * size;
}

/* Views are of contents that were counted. */
static uint64_t bytes_of(const htp_machine *m, const htp_item *item)
{
    uint64_t bytes = htp_is_real(item) && !item->view ? bytes_of_tensor(m, item) : 0;
    for (size_t i = 0; htp_is_container(item) && i < item->elements.count; i++) {
        bytes += bytes_of(m, item->elements.items[i]);
    }
    return bytes;
}

htp_outcome htp_machine_charge_made(htp_machine *m, const char *kind, const htp_items *made,
                                    const htp_place *place)
{
    for (size_t i = 0; i < made->count; i++) {
        htp_machine_charge(m, made->items[i]->elements.count);
        m->recording.known_bytes += bytes_of(m, made->items[i]);
    }
    return m->recording.known_bytes <= htp_limit_value(m->limits, HTP_LIMIT_KNOWN)
               ? HTP_GOES_ON
               : htp_machine_exceed(m, HTP_LIMIT_KNOWN, place, "%s is computed at export", kind);
}

/* ---- lists ---- */

htp_outcome htp_machine_check_elements(htp_machine *m, const htp_item *container,
                                       const htp_place *place)
{
    bool is_dict = container->kind == HTP_ITEM_DICT && container->elements.count > 0;
    size_t count =
        is_dict ? container->elements.items[0]->elements.count : container->elements.count;
    return count <= htp_limit_value(m->limits, HTP_LIMIT_ELEMENTS)
               ? HTP_GOES_ON
               : htp_machine_exceed(m, HTP_LIMIT_ELEMENTS, place, "%s() makes a long list",
                                    m->method);
}
