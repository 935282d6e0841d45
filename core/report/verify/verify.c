#include "report/verify/parts.h"

#include "report/tree/table.h"
#include "report/tree/values.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Modules that are listed, at most. */
enum { MOST_LISTED = 20 };

/* ---- text ---- */

static const char *sizes_text(htp_arena *arena, const htp_verification *v)
{
    htp_text text = {.arena = arena};
    for (uint32_t r = 0; r < v->runs; r++) {
        for (size_t i = 0; i < v->axes.count; i++) {
            htp_text_addf(&text, "%s%s=%" PRId64,
                          i > 0   ? ","
                          : r > 0 ? "; "
                                  : "",
                          v->axes.items[i].name, v->axes.items[i].sizes[r]);
        }
    }
    return v->axes.count > 0 ? htp_text_string(&text) : "those of the model";
}

static const char *count_text(htp_arena *arena, const htp_verification *v)
{
    htp_text text = {.arena = arena};
    htp_text_addf(&text, "%u tensors; without a counterpart: %u of A, %u of B", v->compared,
                  v->unmatched[HTP_COMPARED_A], v->unmatched[HTP_COMPARED_B]);
    if (v->inside > 0) {
        htp_text_addf(&text, "; inside of modules: %u", v->inside);
    }
    if (v->in_bodies[HTP_COMPARED_A] > 0) {
        htp_text_addf(&text, "; %u nodes in bodies", v->in_bodies[HTP_COMPARED_A]);
    }
    return htp_text_string(&text);
}

/* A program's tolerances differ from tensor to tensor. */
static const char *tolerance_text(htp_arena *arena, const htp_verification *v)
{
    if (!v->request->reference || v->request->is_chosen) {
        return htp_arena_printf(arena, "%.1e", v->request->tolerance);
    }
    return htp_arena_printf(arena, "%.1e to %.1e, by libtorch's own error", v->tolerances[0],
                            v->tolerances[1]);
}

static void add_runtime(htp_text *text, const htp_verification *v)
{
    const htp_verify_reference *reference = v->request->reference;
    const char *runtime = htp_arena_printf(text->arena, "ONNX Runtime %s, without optimisation",
                                           htp_runtime_version(v->request->runtime));
    htp_report_add_line(
        text, "runtime",
        reference ? htp_arena_printf(text->arena, "A: %s; B: %s", reference->runtime, runtime)
                  : runtime);
    if (reference && reference->gap) {
        htp_report_add_line(text, "unknown", reference->gap);
    }
}

/* Where nothing is beyond the tolerance. */
static const char *nothing_text(htp_arena *arena, const htp_verification *v)
{
    if (v->is_unknown && v->outputs[0] == v->outputs[1]) {
        return "unknown: no output of the model was compared";
    }
    const char *what = "nothing is beyond the tolerance";
    return v->outputs[1] == 0
               ? what
               : htp_arena_printf(arena, "%s; not compared: %u of the model's %u outputs", what,
                                  v->outputs[1], v->outputs[0]);
}

static void add_head(htp_text *text, const htp_verification *v)
{
    htp_arena *arena = text->arena;
    htp_report_add_line(text, "A", htp_verified_view(v)->path);
    htp_report_add_line(text, "B", htp_verify_other(v->request));
    add_runtime(text, v);
    htp_report_add_line(text, "sizes", sizes_text(arena, v));
    htp_report_add_line(text, "compared", count_text(arena, v));
    htp_report_add_line(text, "tolerance", tolerance_text(arena, v));
    if (v->first == HTP_NONE) {
        htp_report_add_line(text, "first", nothing_text(arena, v));
    } else {
        htp_slice address = htp_tree_address(&htp_verified_tree(v)->modules[v->first]);
        htp_report_add_line(text, "first", htp_arena_copy(arena, address.at, address.length));
    }
    if (v->first_tensor != HTP_NONE) {
        htp_report_add_line(
            text, "tensor",
            htp_arena_printf(
                arena, "%s is the first tensor beyond the tolerance; no single module exceeds it",
                htp_text_printable(arena, htp_verified_first_tensor(v))));
    }
}

static const char *relative_text(htp_arena *arena, const htp_difference_of *difference)
{
    return difference->is_known ? htp_arena_printf(arena, "%.1e", difference->relative) : "n/a";
}

static const char *share_text(htp_arena *arena, const htp_difference_of *difference)
{
    return difference->is_known ? htp_arena_printf(arena, "%.1f%%", 100 * difference->share)
                                : "n/a";
}

static void add_tree(htp_text *text, const htp_verification *v, int depth)
{
    const htp_tree *tree = htp_verified_tree(v);
    htp_arena *arena = text->arena;
    htp_report_row *rows = HTP_NEW_ARRAY(arena, htp_report_row, tree->module_count + 1U);
    const uint32_t *order = htp_report_order(arena, tree);
    size_t count = 0;
    rows[count++] = (htp_report_row){.name = htp_slice_of("module"),
                                     .cells = {"largest", "carried", "own", "beyond"}};
    for (uint32_t place = 0; place < tree->module_count; place++) {
        const htp_tree_module *module = &tree->modules[order[place]];
        const htp_verify_module *found = &v->modules[order[place]];
        bool is_deep = depth >= 0 && module->depth > (uint32_t)depth;
        if (!module->has_tag || is_deep || !found->has_nodes) {
            continue;
        }
        rows[count++] = (htp_report_row){
            .name = htp_tree_segment(module),
            .indentation = htp_report_indentation(module),
            .cells = {found->carried.is_known
                          ? htp_arena_printf(arena, "%.1e", found->carried.largest)
                          : "n/a",
                      relative_text(arena, &found->carried), relative_text(arena, &found->own),
                      share_text(arena, &found->carried)},
        };
    }
    htp_report_table(text, rows, count);
}

static void add_operator(htp_text *text, const htp_verification *v, uint32_t module)
{
    const htp_verify_operator *worst = &v->modules[module].worst;
    if (worst->node == HTP_NONE) {
        return;
    }
    const htp_view *view = htp_verified_view(v);
    const char *place = htp_verified_place(text->arena, v, worst->node);
    htp_text_addf(text, "      %s %s%s%s\n",
                  htp_view_text(view, view->nodes.items[worst->node].op_type),
                  htp_text_printable(text->arena, htp_view_call_node(view, worst->node)),
                  place ? "  " : "", place ? place : "");
}

static void add_list(htp_text *text, const htp_verification *v)
{
    const htp_tree *tree = htp_verified_tree(v);
    uint32_t listed = 0;
    uint32_t all = 0;
    for (uint32_t m = 0; m < tree->module_count; m++) {
        all += v->modules[m].is_source;
    }
    if (all > 0) {
        htp_text_addf(text, "\nwhere error beyond the tolerance comes from: %u module%s\n", all,
                      all == 1 ? "" : "s");
    }
    for (uint32_t m = 0; m < tree->module_count && listed < MOST_LISTED; m++) {
        if (v->modules[m].is_source) {
            htp_slice address = htp_tree_address(&tree->modules[m]);
            htp_text_addf(text, "  %.*s  %.1e\n", (int)address.length, address.at,
                          v->modules[m].own.relative);
            add_operator(text, v, m);
            listed++;
        }
    }
    if (all > listed) {
        htp_text_addf(text, "  ... and %u more\n", all - listed);
    }
}

const char *htp_report_verification(htp_arena *arena, const htp_verification *verification,
                                    int depth)
{
    htp_text text = {.arena = arena};
    add_head(&text, verification);
    htp_text_add(&text, "\n");
    add_tree(&text, verification, depth);
    add_list(&text, verification);
    htp_verified_lengths_text(&text, verification);
    htp_verified_uncompared_text(&text, verification);
    return htp_text_string(&text);
}
