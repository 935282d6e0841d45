#include "exported/call/memory.h"

#include "base/text.h"
#include "exported/call/written_views.h"

#include <string.h>

void htp_lying_begin(htp_tape *r)
{
    size_t count = r->program->values.count;
    r->lying = HTP_NEW_ARRAY(r->arena, htp_lying, count + 1);
    for (size_t i = 0; i < count; i++) {
        r->lying[i].of = HTP_NONE;
        r->lying[i].root = (uint32_t)i;
    }
}

/* ---- noting ---- */

/* Notes where a value lies. @param lying  without the fields that follow from @c of */
static void note(htp_tape *r, uint32_t value, htp_lying lying)
{
    lying.root = r->lying[lying.of].root;
    lying.seen = r->lying[lying.root].changes;
    r->lying[value] = lying;
}

void htp_lying_note_same(htp_tape *r, uint32_t value, uint32_t as)
{
    if (value != as) {
        note(r, value, (htp_lying){.kind = HTP_LIES_SAME, .of = as});
    }
}

/* The value that this one is, through all aliases. */
static uint32_t whole_of(const htp_tape *r, uint32_t value)
{
    while (r->lying[value].kind == HTP_LIES_SAME) {
        value = r->lying[value].of;
    }
    return value;
}

/* ---- kinds of views ---- */

/* Whether the elements of a tensor are contiguous and in order. */
static bool is_dense(const htp_tape *r, const htp_exported_value *value)
{
    for (uint32_t lane = 0; lane < r->symbols->lane_count && value->strides; lane++) {
        int64_t expected = 1;
        for (uint32_t i = value->rank; i-- > 0;) {
            int64_t size = 0;
            int64_t stride = 0;
            htp_exported_number number =
                htp_exported_symbols_value(r->symbols, &value->sizes[i], lane);
            size = number.whole;
            number = htp_exported_symbols_value(r->symbols, &value->strides[i], lane);
            stride = number.whole;
            if ((size != 1 && stride != expected) ||
                __builtin_mul_overflow(expected, size > 0 ? size : 1, &expected)) {
                return false;
            }
        }
    }
    return value->strides != NULL;
}

static const htp_trace_value *argument_of(const htp_tape *r, uint32_t node, const char *name)
{
    const htp_trace_node *of = &r->nodes.items[node];
    for (uint32_t i = 0; i < of->input_count; i++) {
        if (strcmp(of->input_names[i], name) == 0) {
            return &r->values.items[of->inputs[i]];
        }
    }
    return NULL;
}

static bool is_true(const htp_trace_value *value)
{
    return value && value->kind == HTP_TRACE_BOOL && value->is_constant && value->i[0];
}

/* A conversion without effect returns its operand. */
static htp_lying_kind lies_converted(const htp_tape *r, uint32_t node, const htp_exported_value *of,
                                     const htp_exported_value *value)
{
    const htp_trace_value *format = argument_of(r, node, "memory_format");
    bool has_format = format && format->kind != HTP_TRACE_NOTHING;
    if (of->dtype != value->dtype || is_true(argument_of(r, node, "copy"))) {
        return HTP_LIES_ALONE;
    }
    return has_format ? HTP_LIES_MAYBE : HTP_LIES_SAME;
}

static htp_lying_kind lies_reshaped(const htp_tape *r, uint32_t node, const htp_exported_value *of,
                                    const htp_exported_value *value)
{
    (void)node;
    (void)value;
    return is_dense(r, of) ? HTP_LIES_VIEW : HTP_LIES_MAYBE;
}

static htp_lying_kind lies_dense(const htp_tape *r, uint32_t node, const htp_exported_value *of,
                                 const htp_exported_value *value)
{
    const htp_trace_value *format = argument_of(r, node, "memory_format");
    (void)value;
    if (format && format->kind == HTP_TRACE_INT && format->i[0] != 0) {
        return HTP_LIES_MAYBE;
    }
    return is_dense(r, of) ? HTP_LIES_SAME : HTP_LIES_ALONE;
}

static htp_lying_kind lies_untrained(const htp_tape *r, uint32_t node, const htp_exported_value *of,
                                     const htp_exported_value *value)
{
    (void)of;
    (void)value;
    return is_true(argument_of(r, node, "train")) ? HTP_LIES_ALONE : HTP_LIES_SAME;
}

static htp_lying_kind lies_maybe(const htp_tape *r, uint32_t node, const htp_exported_value *of,
                                 const htp_exported_value *value)
{
    (void)r;
    (void)node;
    (void)of;
    (void)value;
    return HTP_LIES_MAYBE;
}

/* Operators that return a view or a copy, whatever their schemas declare. */
static const struct {
    const char *name; /* without overload */
    htp_lying_kind (*find)(const htp_tape *r, uint32_t node, const htp_exported_value *of,
                           const htp_exported_value *value);
} rows[] = {
    {"aten::to", lies_converted},
    {"aten::type_as", lies_converted},
    {"aten::reshape", lies_reshaped},
    {"aten::reshape_as", lies_reshaped},
    {"aten::flatten", lies_reshaped},
    {"aten::ravel", lies_reshaped},
    {"aten::contiguous", lies_dense},
    {"aten::dropout", lies_untrained},
    {"aten::feature_dropout", lies_untrained},
    {"aten::alpha_dropout", lies_untrained},
    {"aten::feature_alpha_dropout", lies_untrained},
    {"aten::atleast_1d", lies_maybe},
    {"aten::atleast_2d", lies_maybe},
    {"aten::atleast_3d", lies_maybe},
    {"aten::channel_shuffle", lies_maybe},
    {"aten::pixel_shuffle", lies_maybe},
    {"aten::pixel_unshuffle", lies_maybe},
    {"aten::as_tensor", lies_maybe},
    {"aten::broadcast_tensors", lies_maybe},
    {"aten::meshgrid", lies_maybe},
    {"aten::cartesian_prod", lies_maybe},
};

/* How a node's output shares the memory of its first argument. */
static htp_lying_kind find_kind(const htp_tape *r, const htp_exported_schema *schema, uint32_t node,
                                uint32_t of, uint32_t value)
{
    const htp_exported_value *values = r->program->values.items;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (htp_trace_node_runs(&r->nodes.items[node], rows[i].name)) {
            return rows[i].find(r, node, &values[of], &values[value]);
        }
    }
    return schema->is_view ? HTP_LIES_VIEW : HTP_LIES_ALONE;
}

/* ---- changes ---- */

static void fail_unknown(htp_tape *r, uint32_t value)
{
    const htp_exported_place *place = &r->place;
    const char *where =
        *place->file ? htp_arena_printf(r->arena, "%s:%u: ", place->file, place->line) : "";
    htp_tape_fail(
        r, htp_status_make(HTP_CODE_UNSUPPORTED,
                           "%svalue %s shares memory with what was changed in its place, in a way "
                           "that is not followed; export the program after "
                           "program.run_decompositions()",
                           where, r->program->values.items[value].name));
}

void htp_lying_change(htp_tape *r, uint32_t value, uint32_t now)
{
    value = whole_of(r, value);
    uint32_t changes = ++r->lying[r->lying[value].root].changes;
    r->bound[value] = now;
    r->lying[value].seen = changes;
    while (r->lying[value].kind == HTP_LIES_VIEW) {
        uint32_t whole = whole_of(r, r->lying[value].of);
        now = htp_written_view_put(r, &r->lying[value], whole, now);
        if (now == HTP_NONE) {
            return; /* reads of the whole are refused */
        }
        r->bound[whole] = now;
        r->lying[whole].seen = changes;
        value = whole;
    }
}

static void note_views(htp_tape *r, const htp_exported_schema *schema,
                       const htp_exported_node *node, uint32_t made, uint32_t of)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        const htp_exported_argument *output = &node->outputs[i];
        bool is_list = output->kind == HTP_EXPORTED_LIST;
        uint32_t count = is_list ? output->count : 1;
        for (uint32_t k = 0; k < count; k++) {
            const htp_exported_argument *one = is_list ? &output->items[k] : output;
            htp_lying_kind kind = one->kind == HTP_EXPORTED_VALUE
                                      ? find_kind(r, schema, made, of, one->value)
                                      : HTP_LIES_ALONE;
            if (kind != HTP_LIES_ALONE) {
                note(r, one->value,
                     (htp_lying){.kind = kind, .of = of, .node = made, .from = node, .index = k});
            }
        }
    }
}

/* Operators that change the layout of a tensor, not its contents. */
static bool changes_shape(const htp_trace_node *node)
{
    static const char *const names[] = {
        "aten::squeeze_",  "aten::unsqueeze_", "aten::t_",          "aten::transpose_",
        "aten::swapaxes_", "aten::swapdims_",  "aten::as_strided_", "aten::resize_",
    };
    bool changes = false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !changes; i++) {
        changes = htp_trace_node_runs(node, names[i]);
    }
    return changes;
}

/* What an operator gives of a tensor that it changes in its place is that tensor. */
static bool have_one_type(const htp_tape *r, uint32_t value, uint32_t given)
{
    const htp_exported_value *a = &r->program->values.items[value];
    const htp_exported_value *b = &r->program->values.items[given];
    return a->kind == b->kind && a->dtype == b->dtype && a->rank == b->rank;
}

/* Whether a tensor is overwritten with itself, as torch.export writes it if forward() sets an
 * attribute to its old value. */
static bool copies_itself(const htp_tape *r, const htp_exported_node *node, uint32_t made,
                          uint32_t changed)
{
    bool is_copy = htp_trace_node_runs(&r->nodes.items[made], "aten::copy_") &&
                   node->input_count > 1 && node->inputs[1].kind == HTP_EXPORTED_VALUE;
    return is_copy && whole_of(r, node->inputs[1].value) == whole_of(r, changed);
}

void htp_lying_note(htp_tape *r, const htp_exported_schema *schema, const htp_exported_node *node,
                    uint32_t made)
{
    const htp_exported_argument *first = NULL;
    for (uint32_t i = 0; i < node->input_count && schema->count > 0 && !first; i++) {
        bool is_first = strcmp(node->inputs[i].name, schema->parameters[0].name) == 0;
        first = is_first ? &node->inputs[i] : NULL;
    }
    for (uint32_t i = 1; i < schema->count; i++) {
        if (schema->parameters[i].is_changed) {
            r->nodes.items[made].failure =
                "it changes an argument that is not its first one in its place; export the program "
                "after program.run_decompositions()";
        }
    }
    if (first && first->kind == HTP_EXPORTED_LIST && first->count > 0) {
        first = &first->items[0];
    }
    if (!first || first->kind != HTP_EXPORTED_VALUE) {
        return;
    }
    if (!schema->parameters[0].is_changed) {
        note_views(r, schema, node, made, first->value);
        return;
    }
    const htp_exported_argument *output = node->output_count > 0 ? &node->outputs[0] : NULL;
    if (changes_shape(&r->nodes.items[made])) {
        r->nodes.items[made].failure = "it changes the shape of a tensor in its place; export the "
                                       "program after program.run_decompositions()";
    } else if (output && output->kind == HTP_EXPORTED_VALUE &&
               !have_one_type(r, first->value, output->value)) {
        htp_tape_fail(r,
                      htp_status_make(HTP_CODE_BAD_INPUT,
                                      "damaged program: %s changes %s in its place, and gives "
                                      "another type; export it again",
                                      node->target, r->program->values.items[first->value].name));
    } else if (output && output->kind == HTP_EXPORTED_VALUE) {
        uint32_t now = r->bound[output->value];
        htp_lying_note_same(r, output->value, first->value);
        if (!copies_itself(r, node, made, first->value)) {
            htp_lying_change(r, first->value, now);
        }
    }
}

/* ---- reading ---- */

/* Makes a view anew, from the current value of the whole. */
static void view_again(htp_tape *r, uint32_t value, uint32_t whole_now)
{
    htp_lying *lying = &r->lying[value];
    const htp_trace_node node = r->nodes.items[lying->node];
    uint32_t *inputs = htp_arena_grow(r->arena, node.inputs, node.input_count,
                                      (size_t)node.input_count + 1, sizeof(*node.inputs));
    inputs[0] = whole_now;
    uint32_t made = htp_tape_node(r, node.kind, inputs, node.input_names, node.input_count);
    htp_tape_give(r, made, lying->from);
    r->nodes.items[made].scope = node.scope;
}

uint32_t htp_lying_read(htp_tape *r, uint32_t value)
{
    enum { MOST_VIEWS = 1000 };
    uint32_t stale[MOST_VIEWS];
    uint32_t count = 0;
    uint32_t at = whole_of(r, value);
    const uint32_t changes = r->lying[r->lying[at].root].changes;
    while (r->lying[at].seen != changes) {
        if (r->lying[at].kind != HTP_LIES_VIEW || count == MOST_VIEWS) {
            fail_unknown(r, at);
            return htp_tape_none(r);
        }
        stale[count++] = at;
        at = whole_of(r, r->lying[at].of);
    }
    while (count > 0) {
        uint32_t view = stale[--count];
        view_again(r, view, r->bound[at]);
        r->lying[view].seen = changes;
        at = view;
    }
    return r->bound[at];
}

bool htp_lying_is_changed(const htp_tape *r, uint32_t value)
{
    return r->lying[value].changes > 0;
}
