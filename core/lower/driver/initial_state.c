#include "lower/driver/initial_state.h"

#include "base/dtype.h"
#include "lower/emit/constant.h"
#include "onnx/serialize/payload.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what they are ---- */

static uint64_t count_elements(const htp_builder_state *state)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < state->rank; i++) {
        count *= (uint64_t)state->dims[i];
    }
    return count;
}

static void set_dims(htp_builder *model, htp_builder_state *state, uint32_t rank,
                     const int64_t *dims)
{
    int64_t *copy = HTP_NEW_ARRAY(model->arena, int64_t, rank + 1);
    for (uint32_t i = 0; i < rank; i++) {
        copy[i] = dims[i];
    }
    state->rank = rank;
    state->dims = copy;
}

/* Fills a state with one number, in the sizes of the traced initial value or else of the input. */
static void fill(htp_builder *model, htp_builder_state *state, const htp_first *first)
{
    const htp_tensor *input = &model->tensors.items[state->input];
    uint64_t element = htp_dtype_size(input->dtype);
    int64_t dims[HTP_MAX_RANK];
    for (uint32_t i = 0; i < input->rank; i++) {
        dims[i] = first->value ? first->value->dims[0][i] : input->dims[i].size;
    }
    set_dims(model, state, input->rank, dims);
    uint64_t count = count_elements(state);
    char *data = HTP_NEW_ARRAY(model->arena, char, count *element + 1);
    for (uint64_t i = 0; i < count; i++) {
        (void)htp_number_write(input->dtype, htp_number_float(first->number), data + i * element);
    }
    state->first.data = data;
    state->first.bytes = count * element;
}

static void copy_number(htp_builder *model, htp_builder_state *state, const htp_trace_value *value)
{
    const htp_tensor *input = &model->tensors.items[state->input];
    htp_number number = value->kind == HTP_TRACE_FLOAT ? htp_number_float(value->f[0])
                                                       : htp_number_int(value->i[0]);
    char *data = HTP_NEW_ARRAY(model->arena, char, sizeof(double));
    (void)htp_number_write(input->dtype, number, data);
    set_dims(model, state, 0, NULL);
    state->first.data = data;
    state->first.bytes = htp_dtype_size(input->dtype);
}

static void take_value(htp_builder *model, htp_builder_state *state, const htp_trace_value *value)
{
    if (value->kind != HTP_TRACE_TENSOR) {
        copy_number(model, state, value);
        return;
    }
    if (value->weight != HTP_NONE) {
        const htp_weight *weight = &model->graph->trace->weights[value->weight];
        state->first.weight = value->weight;
        set_dims(model, state, weight->rank, weight->dims);
        return;
    }
    set_dims(model, state, value->rank, value->dims[0]);
    state->first.data = value->data;
    state->first.bytes = value->data_bytes;
}

/* ---- what they are called ---- */

/* The shortest decimal that reads back the same. */
static const char *shortest(htp_builder *model, htp_dtype dtype, double number)
{
    double rounded = number;
    char text[32];
    for (int digits = 1; digits <= 17; digits++) {
        (void)snprintf(text, sizeof(text), "%.*g", digits, number + 0.0);
        rounded = strtod(text, NULL);
        if (rounded == number || (dtype != HTP_DTYPE_FLOAT64 && (float)rounded == (float)number)) {
            break;
        }
    }
    return htp_arena_strdup(model->arena, text);
}

static const char *number_text(htp_builder *model, htp_dtype dtype, const unsigned char *bytes)
{
    htp_number number;
    if (!htp_number_read(dtype, bytes, &number)) {
        return NULL;
    }
    if (dtype == HTP_DTYPE_BOOL) {
        return number.i ? "true" : "false";
    }
    if (!number.is_float) {
        return htp_arena_printf(model->arena, "%" PRId64, number.i);
    }
    return isnan(number.f) ? "nan" : shortest(model, dtype, number.f);
}

/* The number that all elements equal, as text; NULL if they differ. */
static const char *find_number(htp_builder *model, const htp_builder_state *state)
{
    htp_dtype dtype = model->tensors.items[state->input].dtype;
    size_t size = htp_dtype_size(dtype);
    unsigned char first[sizeof(double)];
    const unsigned char *bytes = NULL;
    bool is_begun = false;
    bool is_uniform = true;
    htp_payload *payload = HTP_NEW(model->arena, htp_payload);
    htp_payload_begin(payload, model, &state->first);
    for (uint64_t count = htp_payload_next(payload, &bytes); count > 0 && is_uniform;
         count = htp_payload_next(payload, &bytes)) {
        if (!is_begun) {
            memcpy(first, bytes, size);
            is_begun = true;
        }
        for (uint64_t at = 0; is_uniform && at < count; at += size) {
            is_uniform = memcmp(bytes + at, first, size) == 0;
        }
    }
    return is_begun && is_uniform ? number_text(model, dtype, first) : NULL;
}

htp_status htp_initial_state_find(htp_builder *model)
{
    const htp_graph *graph = model->graph;
    size_t inputs = model->inputs.count - graph->state_count;
    size_t outputs = model->outputs.count - graph->state_count;
    for (uint32_t i = 0; i < graph->state_count; i++) {
        const htp_graph_state *kept = &graph->states[i];
        htp_builder_state state = {.attribute = kept->name,
                                   .input = model->inputs.items[inputs + i],
                                   .output = model->outputs.items[outputs + i],
                                   .first = {.weight = HTP_NONE}};
        state.first.tensor = state.input;
        if (kept->first.is_uniform) {
            fill(model, &state, &kept->first);
        } else {
            take_value(model, &state, kept->first.value);
        }
        uint64_t bytes;
        HTP_TRY(htp_payload_check(model, &state.first, &bytes));
        state.first.dims = state.dims;
        state.number = find_number(model, &state);
        HTP_PUSH(model->arena, &model->states, state);
    }
    return HTP_OK;
}

void htp_initial_state_embed(htp_builder *model)
{
    for (size_t i = 0; i < model->states.count; i++) {
        HTP_PUSH(model->arena, &model->initializers, model->states.items[i].first);
    }
}
