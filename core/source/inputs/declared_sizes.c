/*
 * Describes the sizes that a file declares for its axes.
 */
#include "base/text.h"
#include "source/inputs/inputs.h"

/* "batch from 2 to 64"; nothing for an unbounded axis. */
static void add_sizes(const htp_axis *axis, const htp_bound *bound, htp_text *text)
{
    bool is_shared = bound->is_step_shared && bound->step > 1;
    bool has_least = bound->least > 1 && !is_shared;
    bool has_step = bound->step > 1 && !is_shared;
    if (!bound->is_declared || axis->formula || (!has_least && bound->most == 0 && !has_step)) {
        return;
    }
    htp_text_addf(text, "%s%s", text->length > 0 ? "; " : "", axis->symbol);
    if (has_least || bound->most == 0) {
        htp_text_addf(text, " from %lld", (long long)(has_least ? bound->least : 1));
    }
    if (bound->most > 0) {
        htp_text_addf(text, " to %lld", (long long)bound->most);
    } else {
        htp_text_add(text, " on");
    }
    if (has_step) {
        long long rest = (long long)(bound->rest % bound->step);
        htp_text_addf(text, rest == 0 ? ", a multiple of %lld" : ", %lld apart",
                      (long long)bound->step);
    }
}

const char *htp_inputs_declared_sizes(htp_arena *arena, const htp_inputs *inputs)
{
    htp_text text = {.arena = arena};
    for (uint32_t i = 0; inputs->bounds && i < inputs->axis_count; i++) {
        add_sizes(&inputs->axes[i], &inputs->bounds[i], &text);
    }
    if (inputs->asked) {
        htp_text_addf(&text, "%s%s", text.length > 0 ? "; " : "", inputs->asked);
    }
    return text.length > 0 ? htp_text_string(&text) : NULL;
}
