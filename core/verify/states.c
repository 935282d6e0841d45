/*
 * States of B: each call begins with what the one before returned.
 */
#include "verify/work.h"

#include <string.h>

/* The counterpart in B of a value of A that stands for a state. */
static uint32_t counterpart(const htp_verify_work *work, uint32_t of_a)
{
    return of_a == HTP_NONE ? HTP_NONE : work->counterparts.of_a[of_a];
}

static uint32_t count_states(const htp_verify_work *work)
{
    return work->request->reference ? work->request->reference->state_count : 0;
}

htp_numbers htp_verify_states_wanted(const htp_verify_work *work)
{
    htp_numbers wanted = {0};
    for (uint32_t i = 0; i < count_states(work); i++) {
        uint32_t after = counterpart(work, work->request->reference->states[i].after);
        if (after != HTP_NONE) {
            HTP_PUSH(work->arena, &wanted, after);
        }
    }
    return wanted;
}

static const htp_array *copy_array(htp_arena *arena, const htp_array *array)
{
    htp_array *copy = HTP_NEW(arena, htp_array);
    int64_t *dims = HTP_NEW_ARRAY(arena, int64_t, array->rank + 1);
    size_t bytes = htp_array_bytes(array);
    void *data = htp_arena_alloc(arena, bytes + 1);
    if (array->rank > 0) {
        memcpy(dims, array->dims, array->rank * sizeof(*dims));
    }
    if (bytes > 0) {
        memcpy(data, array->data, bytes);
    }
    *copy = *array;
    copy->dims = dims;
    copy->data = data;
    return copy;
}

void htp_verify_states_keep(htp_verify_work *work, const htp_fetched *fetched, uint32_t run)
{
    uint32_t count = count_states(work);
    size_t next = 0;
    work->left[run] = HTP_NEW_ARRAY(work->arena, const htp_array *, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        if (counterpart(work, work->request->reference->states[i].after) != HTP_NONE) {
            const htp_array *array = htp_fetched_array(fetched, next++);
            work->left[run][i] = array->data_type == 0 ? NULL : copy_array(work->arena, array);
        }
    }
}

void htp_verify_states_hand_on(htp_verify_work *work, uint32_t run)
{
    for (uint32_t i = 0; run > 0 && i < count_states(work); i++) {
        uint32_t before = counterpart(work, work->request->reference->states[i].before);
        const htp_array *made =
            before == HTP_NONE ? NULL : work->arrays[HTP_COMPARED_B][run][before];
        const htp_array *left = work->left[run - 1][i];
        if (made && left && left->data_type == made->data_type && left->rank == made->rank) {
            work->arrays[HTP_COMPARED_B][run][before] = left;
        }
    }
}
