#include "exported/call/tape.h"

#include "base/dtype.h"

#include <string.h>

void htp_tape_fail(htp_tape *r, htp_status status)
{
    if (r->failure) {
        htp_status_free(status);
    } else {
        r->failure = status;
    }
}

uint32_t htp_tape_add(htp_tape *r, htp_trace_value value)
{
    HTP_PUSH(r->arena, &r->values, value);
    return (uint32_t)r->values.count - 1;
}

/* ---- constants ---- */

static htp_trace_value constant_of(htp_trace_kind kind)
{
    return (htp_trace_value){.kind = kind,
                             .name = "",
                             .producer = HTP_NONE,
                             .weight = HTP_NONE,
                             .is_constant = true,
                             .has_lanes = true};
}

uint32_t htp_tape_none(htp_tape *r)
{
    if (r->none == HTP_NONE) {
        r->none = htp_tape_add(r, constant_of(HTP_TRACE_NOTHING));
    }
    return r->none;
}

static uint32_t add_integer(htp_tape *r, htp_trace_kind kind, int64_t number)
{
    htp_trace_value value = constant_of(kind);
    for (uint32_t lane = 0; lane < HTP_MAX_LANES; lane++) {
        value.i[lane] = number;
    }
    return htp_tape_add(r, value);
}

uint32_t htp_tape_integer(htp_tape *r, int64_t number)
{
    if (number < 0 || number >= HTP_KEPT_INTEGERS) {
        return add_integer(r, HTP_TRACE_INT, number);
    }
    if (r->integers[number] == HTP_NONE) {
        r->integers[number] = add_integer(r, HTP_TRACE_INT, number);
    }
    return r->integers[number];
}

uint32_t htp_tape_truth(htp_tape *r, bool truth)
{
    if (r->truths[truth] == HTP_NONE) {
        r->truths[truth] = add_integer(r, HTP_TRACE_BOOL, truth);
    }
    return r->truths[truth];
}

uint32_t htp_tape_real(htp_tape *r, double number)
{
    htp_trace_value value = constant_of(HTP_TRACE_FLOAT);
    for (uint32_t lane = 0; lane < HTP_MAX_LANES; lane++) {
        value.f[lane] = number;
    }
    return htp_tape_add(r, value);
}

uint32_t htp_tape_text(htp_tape *r, const char *text)
{
    htp_trace_value value = constant_of(HTP_TRACE_STRING);
    value.s = text;
    value.s_bytes = strlen(text);
    return htp_tape_add(r, value);
}

uint32_t htp_tape_list(htp_tape *r, const uint32_t *elements, uint32_t count)
{
    htp_trace_value value = constant_of(HTP_TRACE_LIST);
    for (uint32_t i = 0; i < count; i++) {
        const htp_trace_value *element = &r->values.items[elements[i]];
        value.is_constant = value.is_constant && element->is_constant;
        value.has_lanes = value.has_lanes && element->has_lanes;
    }
    value.elements =
        htp_arena_grow(r->arena, elements, count, (size_t)count + 1, sizeof(*elements));
    value.element_count = count;
    return htp_tape_add(r, value);
}

/* ---- sizes ---- */

static bool differs(const htp_tape *r, uint32_t symbol)
{
    bool differs = false;
    for (uint32_t lane = 1; lane < r->symbols->lane_count; lane++) {
        differs = differs ||
                  r->symbols->numbers[lane][symbol].whole != r->symbols->numbers[0][symbol].whole;
    }
    return differs;
}

void htp_tape_take_sizes(htp_tape *r)
{
    const htp_exported_symbols *symbols = r->symbols;
    size_t count = r->program->expressions.count + 1;
    r->moves = HTP_NEW_ARRAY(r->arena, bool, count);
    r->is_of_data = HTP_NEW_ARRAY(r->arena, bool, count);
    for (uint32_t lane = 0; lane < symbols->lane_count; lane++) {
        r->numbers[lane] = HTP_NEW_ARRAY(r->arena, htp_exported_number, count);
    }
    for (uint32_t i = 0; i + 1 < count; i++) {
        const htp_exported_formula *formula = &symbols->formulas[i];
        const htp_exported_size size = {.expression = i};
        for (uint32_t k = 0; k < formula->count; k++) {
            uint32_t symbol = (uint32_t)formula->steps[k].number.whole;
            if (formula->steps[k].operation == HTP_EXPORTED_SYMBOL) {
                bool is_data = htp_exported_symbols_is_data(symbols, symbol);
                r->moves[i] = r->moves[i] || is_data || differs(r, symbol);
                r->is_of_data[i] = r->is_of_data[i] || is_data;
            }
        }
        for (uint32_t lane = 0; lane < symbols->lane_count; lane++) {
            r->numbers[lane][i] = htp_exported_symbols_value(symbols, &size, lane);
            if (r->numbers[lane][i].kind == HTP_EXPORTED_UNKNOWN) {
                r->moves[i] = true; /* data-dependent, like numbers that are not sizes */
                r->is_of_data[i] = true;
            }
        }
    }
}

static htp_exported_number number_in(const htp_tape *r, const htp_exported_size *size,
                                     uint32_t lane)
{
    return size->expression == HTP_NONE ? htp_exported_integer(size->number)
                                        : r->numbers[lane][size->expression];
}

/* ---- values of the program ---- */

bool htp_tape_is_fixed(const htp_tape *r, const htp_exported_size *size)
{
    return size->expression == HTP_NONE || !r->moves[size->expression];
}

bool htp_tape_is_of_data(const htp_tape *r, const htp_exported_size *size)
{
    return size->expression != HTP_NONE && r->is_of_data[size->expression];
}

static bool is_equal_in_lanes(const htp_tape *r, const htp_exported_size *size)
{
    int64_t first = number_in(r, size, 0).whole;
    bool is_equal = true;
    for (uint32_t lane = 1; lane < r->symbols->lane_count; lane++) {
        is_equal = is_equal && number_in(r, size, lane).whole == first;
    }
    return is_equal;
}

static void fail_size(htp_tape *r, const htp_exported_value *value, uint32_t dim)
{
    int64_t unused;
    htp_status status = htp_exported_symbols_size(r->symbols, &value->sizes[dim], 0, &unused);
    htp_tape_fail(r, status ? status
                            : htp_status_make(HTP_CODE_USAGE,
                                              "these sizes do not tell what dim %u of %s follows",
                                              dim, value->name));
}

/* Derived sizes must differ between lanes if their sources do: otherwise they would look static. */
static void describe_dims(htp_tape *r, const htp_exported_value *value, htp_trace_value *made)
{
    for (uint32_t lane = 0; lane < r->symbols->lane_count; lane++) {
        int64_t *dims = HTP_NEW_ARRAY(r->arena, int64_t, (size_t)value->rank + 1);
        for (uint32_t i = 0; i < value->rank; i++) {
            htp_exported_number number = number_in(r, &value->sizes[i], lane);
            if (!htp_exported_is_integer(&number) || number.whole < 0) {
                fail_size(r, value, i);
                return;
            }
            dims[i] = number.whole;
        }
        made->dims[lane] = dims;
    }
    for (uint32_t i = 0; i < value->rank && r->symbols->lane_count > 1; i++) {
        if (!htp_tape_is_fixed(r, &value->sizes[i]) && is_equal_in_lanes(r, &value->sizes[i]) &&
            !htp_exported_symbols_is_settled(r->symbols, value->sizes[i].expression)) {
            fail_size(r, value, i);
        }
    }
}

/* The contents of an empty tensor are known if its sizes are static. */
static void settle_empty(const htp_tape *r, const htp_exported_value *value, htp_trace_value *made)
{
    bool is_fixed = true;
    bool is_empty = false;
    for (uint32_t i = 0; i < value->rank && !r->failure && made->dims[0]; i++) {
        is_fixed = is_fixed && htp_tape_is_fixed(r, &value->sizes[i]);
        is_empty = is_empty || made->dims[0][i] == 0;
    }
    if (is_fixed && is_empty) {
        made->data = "";
        made->is_constant = true;
    }
}

static void describe_number(htp_tape *r, const htp_exported_value *value, htp_trace_value *made)
{
    const htp_exported_size *size = &value->number;
    made->is_constant = htp_tape_is_fixed(r, size);
    made->has_lanes = !htp_tape_is_of_data(r, size);
    for (uint32_t lane = 0; lane < r->symbols->lane_count; lane++) {
        htp_exported_number number = number_in(r, size, lane);
        bool is_ratio = number.kind == HTP_EXPORTED_RATIO;
        if (size->expression == HTP_NONE) {
            made->i[lane] = size->number;
            made->f[lane] = size->real;
        } else if (made->kind == HTP_TRACE_FLOAT) {
            made->f[lane] = is_ratio ? (double)number.whole / (double)number.over : number.real;
        } else {
            made->i[lane] = number.whole;
        }
        if (number.kind == HTP_EXPORTED_UNKNOWN ||
            (made->kind != HTP_TRACE_FLOAT && number.kind == HTP_EXPORTED_REAL)) {
            made->is_constant = false; /* its value is unknown */
            made->has_lanes = false;
        }
    }
}

uint32_t htp_tape_described(htp_tape *r, const htp_exported_value *value, uint32_t producer)
{
    htp_trace_value made = {
        .kind = value->kind, .name = value->name, .producer = producer, .weight = HTP_NONE};
    if (value->kind == HTP_TRACE_TENSOR) {
        made.dtype = value->dtype;
        made.rank = value->rank;
        describe_dims(r, value, &made);
        if (producer != HTP_NONE) {
            settle_empty(r, value, &made);
        }
    } else if (value->kind != HTP_TRACE_OPAQUE) {
        describe_number(r, value, &made);
    }
    return htp_tape_add(r, made);
}

uint32_t htp_tape_weight(htp_tape *r, uint32_t weight)
{
    const htp_weight *from = &r->weights->all.items[weight];
    htp_trace_value made = {.kind = HTP_TRACE_TENSOR,
                            .name = from->name,
                            .producer = HTP_NONE,
                            .weight = weight,
                            .dtype = from->dtype,
                            .rank = from->rank};
    for (uint32_t lane = 0; lane < r->symbols->lane_count; lane++) {
        made.dims[lane] = from->dims;
    }
    return htp_tape_add(r, made);
}

/* ---- nodes ---- */

const htp_exported_schema *htp_tape_schema(htp_tape *r, const char *kind)
{
    uint32_t found = (uint32_t)r->parsed.count;
    if (!htp_map_get(&r->schemas, kind, &found)) {
        HTP_PUSH(r->arena, &r->parsed, htp_exported_schema_find(r->arena, kind));
        htp_map_set(r->arena, &r->schemas, kind, found);
    }
    return r->parsed.items[found];
}

uint32_t htp_tape_node(htp_tape *r, const char *kind, const uint32_t *inputs,
                       const char *const *names, uint32_t count)
{
    const htp_exported_place *place = &r->place;
    HTP_PUSH(r->arena, &r->stacks, place->stack);
    r->untold += !place->stack && r->graph && r->graph != r->program->graphs.items;
    HTP_PUSH(r->arena, &r->nodes,
             (htp_trace_node){.kind = kind,
                              .inputs = inputs,
                              .input_names = names,
                              .input_count = count,
                              .block = r->block,
                              .scope = place->scope,
                              .source_file = place->file,
                              .source_line = place->line,
                              .source_text = place->text,
                              .function = place->function});
    return (uint32_t)r->nodes.count - 1;
}

void htp_tape_gives(htp_tape *r, uint32_t node, const uint32_t *outputs, uint32_t count)
{
    htp_trace_node *of = &r->nodes.items[node];
    of->outputs = htp_arena_grow(r->arena, outputs, count, (size_t)count + 1, sizeof(*outputs));
    of->output_count = count;
}

static uint32_t add_output(htp_tape *r, const htp_exported_argument *output, uint32_t producer)
{
    if (output->kind == HTP_EXPORTED_LIST) {
        uint32_t *elements = HTP_NEW_ARRAY(r->arena, uint32_t, (size_t)output->count + 1);
        for (uint32_t i = 0; i < output->count; i++) {
            elements[i] = add_output(r, &output->items[i], producer);
        }
        uint32_t list = htp_tape_list(r, elements, output->count);
        r->values.items[list].producer = producer;
        return list;
    }
    if (output->kind != HTP_EXPORTED_VALUE) {
        return htp_tape_none(r);
    }
    uint32_t made = htp_tape_described(r, &r->program->values.items[output->value], producer);
    r->bound[output->value] = made;
    return made;
}

void htp_tape_give(htp_tape *r, uint32_t node, const htp_exported_node *from)
{
    uint32_t *outputs = HTP_NEW_ARRAY(r->arena, uint32_t, (size_t)from->output_count + 1);
    for (uint32_t i = 0; i < from->output_count; i++) {
        outputs[i] = add_output(r, &from->outputs[i], node);
    }
    htp_tape_gives(r, node, outputs, from->output_count);
}
