#include "exported/call/training.h"

#include "exported/call/memory.h"

#include <string.h>

/* Norms that update statistics in place, and the argument that says whether they do; NULL: always.
 */
static const struct row {
    const char *kind;
    const char *flag;
} rows[] = {
    {"aten::_batch_norm_with_update", NULL}, {"aten::_native_batch_norm_legit", "training"},
    {"aten::batch_norm", "training"},        {"aten::instance_norm", "use_input_stats"},
    {"aten::native_batch_norm", "training"},
};

static bool is_true(const htp_tape *r, const htp_trace_node *node, const char *name)
{
    bool is = false;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const htp_trace_value *value = &r->values.items[node->inputs[i]];
        is = is || (strcmp(node->input_names[i], name) == 0 && value->kind == HTP_TRACE_BOOL &&
                    value->i[0]);
    }
    return is;
}

/* The row of a node; NULL. */
static const struct row *find_row(const htp_trace_node *node)
{
    const struct row *found = NULL;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && !found; i++) {
        found = strcmp(node->kind, rows[i].kind) == 0 ? &rows[i] : NULL;
    }
    return found;
}

/* A tensor argument, as a value of the program; HTP_NONE. */
static uint32_t tensor_of(const htp_tape *r, const htp_exported_node *node, const char *name)
{
    uint32_t found = HTP_NONE;
    for (uint32_t i = 0; i < node->input_count && found == HTP_NONE; i++) {
        const htp_exported_argument *input = &node->inputs[i];
        bool is = strcmp(input->name, name) == 0 && input->kind == HTP_EXPORTED_VALUE &&
                  r->program->values.items[input->value].kind == HTP_TRACE_TENSOR;
        found = is ? input->value : HTP_NONE;
    }
    return found;
}

bool htp_training_note(htp_tape *r, const htp_exported_node *node, uint32_t made)
{
    const uint32_t statistics[] = {tensor_of(r, node, "running_mean"),
                                   tensor_of(r, node, "running_var")};
    const struct row *row = find_row(&r->nodes.items[made]);
    if (statistics[0] == HTP_NONE || statistics[1] == HTP_NONE || !row) {
        return false;
    }
    if (row->flag && !is_true(r, &r->nodes.items[made], row->flag)) {
        return true;
    }
    r->moves_statistics = true;
    const uint32_t own = r->nodes.items[made].output_count;
    uint32_t *outputs = htp_arena_grow(r->arena, r->nodes.items[made].outputs, own, (size_t)own + 2,
                                       sizeof(*outputs));
    for (uint32_t i = 0; i < 2; i++) {
        outputs[own + i] = htp_tape_described(r, &r->program->values.items[statistics[i]], made);
    }
    htp_tape_gives(r, made, outputs, own + 2);
    for (uint32_t i = 0; i < 2; i++) {
        htp_lying_change(r, statistics[i], outputs[own + i]);
    }
    return true;
}
