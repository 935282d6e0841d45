#include "report/cost/cost.h"

#include "base/text.h"
#include "report/cost/cost_parts.h"
#include "report/tree/table.h"
#include "report/tree/values.h"

#include <inttypes.h>
#include <string.h>

/* Columns of the labels in front. */
enum { LABEL = 14, LISTED = 5 };

/* ---- amounts ---- */

static const char *amount_bytes(htp_arena *arena, const htp_cost *cost, const htp_amount *amount)
{
    int64_t number;
    return htp_amount_is_number(amount, &number) ? htp_report_bytes(arena, (uint64_t)number)
                                                 : htp_report_amount(arena, cost, amount);
}

static const char *share(htp_arena *arena, const htp_amount *part, const htp_amount *whole)
{
    int64_t a;
    int64_t b;
    bool is_told = htp_amount_is_number(part, &a) && htp_amount_is_number(whole, &b) && b > 0;
    return is_told ? htp_arena_printf(arena, "%.1f%%", 100.0 * (double)a / (double)b) : "";
}

/* ---- the head ---- */

static void add_line(htp_text *text, const char *label, const char *content)
{
    htp_text_addf(text, "%-*s %s\n", LABEL, label, content);
}

static const char *list_axes(htp_arena *arena, const htp_view_axes *axes)
{
    htp_text text = {.arena = arena};
    for (size_t i = 0; i < axes->items.count; i++) {
        htp_text_addf(&text, "%s%s", i ? ", " : "",
                      htp_text_printable(arena, axes->items.items[i].symbol));
    }
    return axes->items.count ? htp_text_string(&text) : "none";
}

static void add_head(htp_text *text, const htp_cost_query *query, const htp_cost *cost)
{
    htp_arena *arena = text->arena;
    const htp_tree_module *root = &cost->tree->modules[0];
    const char *path = cost->view->path;
    const char *peak = htp_report_peak(arena, cost);
    int64_t most;
    add_line(text, "model", htp_text_printable(arena, path));
    add_line(text, "hierarchy", cost->tree->source_text);
    if (query->costs->sizes) {
        add_line(text, "sizes", htp_text_printable(arena, query->costs->sizes));
    } else {
        add_line(text, "axes", list_axes(arena, cost->axes));
    }
    add_line(text, "multiply-adds",
             htp_arena_join(arena, cost->uncounted.count ? "at least " : "", "",
                            htp_report_amount(arena, cost, &cost->whole.multiply_adds)));
    add_line(text, "parameters",
             htp_arena_printf(arena, "%s, %s", htp_text_grouped(arena, root->parameters),
                              htp_report_bytes(arena, root->bytes)));
    add_line(text, "activations",
             htp_arena_join(arena, cost->unsized ? "at least " : "", "",
                            amount_bytes(arena, cost, &cost->whole.activations)));
    bool is_number = cost->peak.count == 1 && htp_amount_is_number(&cost->peak.amounts[0], &most);
    add_line(text, "peak",
             peak && is_number ? htp_report_bytes(arena, (uint64_t)most)
             : peak            ? peak
                               : "?");
}

/* What the numbers leave out. */
static void add_notes(htp_text *text, const htp_cost *cost)
{
    htp_arena *arena = text->arena;
    const htp_view *view = cost->view;
    for (size_t i = 0; i < cost->uncounted.count && i < LISTED; i++) {
        uint32_t number = cost->uncounted.items[i];
        const htp_view_node *node = &view->nodes.items[number];
        htp_text_addf(text, "not counted: %s %s: its multiply-adds are not known\n",
                      htp_report_operator(arena, view, node->domain, node->op_type),
                      htp_text_printable(arena, htp_view_call_node(view, number)));
    }
    if (cost->uncounted.count > LISTED) {
        htp_text_addf(text, "not counted: %zu nodes more\n", cost->uncounted.count - LISTED);
    }
    if (cost->unsized > 0) {
        htp_text_addf(text, "%" PRIu64 " value%s of unknown size\n", cost->unsized,
                      cost->unsized == 1 ? "" : "s");
    }
    for (size_t i = 0; i < cost->notes.count; i++) {
        htp_text_addf(text, "%s\n", htp_text_printable(arena, cost->notes.items[i]));
    }
}

/* ---- tables of numbers ---- */

static bool is_shown(const htp_tree_module *module, int depth)
{
    return module->has_tag && (depth < 0 || module->depth <= (uint32_t)depth);
}

static void add_tree(htp_text *text, const htp_cost_query *query, const htp_cost *cost)
{
    const htp_tree *tree = cost->tree;
    htp_arena *arena = text->arena;
    htp_report_row *rows = HTP_NEW_ARRAY(arena, htp_report_row, tree->module_count + 1U);
    const uint32_t *order = htp_report_order(arena, tree);
    size_t count = 0;
    rows[count++] =
        (htp_report_row){.name = htp_slice_of("module"),
                         .cells = {"multiply-adds", "share", "parameters", "size", "activations"}};
    for (uint32_t place = 0; place < tree->module_count; place++) {
        uint32_t i = order[place];
        const htp_tree_module *module = &tree->modules[i];
        const htp_cost_sum *sum = &cost->total[i];
        if (is_shown(module, query->depth)) {
            rows[count++] = (htp_report_row){
                .name = htp_tree_segment(module),
                .indentation = htp_report_indentation(module),
                .cells = {htp_report_amount(arena, cost, &sum->multiply_adds),
                          share(arena, &sum->multiply_adds, &cost->whole.multiply_adds),
                          htp_text_grouped(arena, module->parameters),
                          htp_report_bytes(arena, module->bytes),
                          amount_bytes(arena, cost, &sum->activations)}};
        }
    }
    htp_report_table(text, rows, count);
}

static void add_operators(htp_text *text, const htp_cost *cost)
{
    htp_arena *arena = text->arena;
    htp_report_row *rows = HTP_NEW_ARRAY(arena, htp_report_row, cost->operators.count + 1U);
    rows[0] = (htp_report_row){
        .name = htp_slice_of("operator"),
        .cells = {"nodes", "multiply-adds", "share", "parameters", "size", "activations"}};
    for (size_t i = 0; i < cost->operators.count; i++) {
        const htp_cost_operator *one = &cost->operators.items[i];
        rows[i + 1] = (htp_report_row){
            .name = htp_slice_of(htp_report_operator(arena, cost->view, one->domain, one->op_type)),
            .cells = {htp_text_grouped(arena, one->nodes),
                      htp_report_amount(arena, cost, &one->sum.multiply_adds),
                      share(arena, &one->sum.multiply_adds, &cost->whole.multiply_adds),
                      htp_text_grouped(arena, one->parameters), htp_report_bytes(arena, one->bytes),
                      amount_bytes(arena, cost, &one->sum.activations)}};
    }
    htp_report_table(text, rows, cost->operators.count + 1);
}

static void add_region(htp_text *text, const htp_cost_query *query, const htp_cost *cost)
{
    htp_arena *arena = text->arena;
    const uint32_t *nodes;
    uint32_t count = htp_report_cost_nodes(arena, cost, query->region, &nodes);
    htp_report_row *rows = HTP_NEW_ARRAY(arena, htp_report_row, count + 1U);
    rows[0] = (htp_report_row){
        .name = htp_slice_of("node"),
        .cells = {"operator", "multiply-adds", "share", "parameters", "activations"}};
    for (uint32_t i = 0; i < count; i++) {
        const htp_view_node *node = &cost->view->nodes.items[nodes[i]];
        const htp_cost_node *counted = &cost->nodes[nodes[i]];
        const htp_amount macs = htp_report_amount_of(cost, counted->multiply_adds);
        const htp_amount bytes = htp_report_amount_of(cost, counted->activations);
        rows[i + 1] =
            (htp_report_row){.name = htp_slice_of(htp_view_call_node(cost->view, nodes[i])),
                             .cells = {htp_view_text(cost->view, node->op_type),
                                       htp_report_amount(arena, cost, &macs),
                                       share(arena, &macs, &cost->whole.multiply_adds),
                                       htp_text_grouped(arena, counted->parameters),
                                       amount_bytes(arena, cost, &bytes)}};
    }
    htp_report_table(text, rows, count + 1U);
}

/* ---- formulas ---- */

/* A name, and its formula below it. */
static void add_formula(htp_text *text, size_t indentation, const char *name, const htp_cost *cost,
                        const htp_amount *amount)
{
    htp_text_addf(text, "%*s%s\n%*s%s\n", (int)indentation, "",
                  htp_text_printable(text->arena, name), (int)indentation + 4, "",
                  htp_report_amount(text->arena, cost, amount));
}

static void add_tree_formulas(htp_text *text, const htp_cost_query *query, const htp_cost *cost)
{
    const htp_tree *tree = cost->tree;
    const uint32_t *order = htp_report_order(text->arena, tree);
    htp_text_add(text, "multiply-adds of modules; --sizes makes numbers of formulas\n");
    for (uint32_t place = 0; place < tree->module_count; place++) {
        const htp_tree_module *module = &tree->modules[order[place]];
        const htp_slice segment = htp_tree_segment(module);
        if (is_shown(module, query->depth)) {
            add_formula(text, htp_report_indentation(module),
                        htp_arena_copy(text->arena, segment.at, segment.length), cost,
                        &cost->total[order[place]].multiply_adds);
        }
    }
    htp_text_add(text, "\nmultiply-adds of operators\n");
    for (size_t i = 0; i < cost->operators.count; i++) {
        const htp_cost_operator *one = &cost->operators.items[i];
        int64_t number;
        if (!htp_amount_is_number(&one->sum.multiply_adds, &number) || number > 0) {
            add_formula(text, 0,
                        htp_report_operator(text->arena, cost->view, one->domain, one->op_type),
                        cost, &one->sum.multiply_adds);
        }
    }
}

static void add_region_formulas(htp_text *text, const htp_cost_query *query, const htp_cost *cost)
{
    const uint32_t *nodes;
    uint32_t count = htp_report_cost_nodes(text->arena, cost, query->region, &nodes);
    htp_text_add(text, "multiply-adds of nodes; --sizes makes numbers of formulas\n");
    for (uint32_t i = 0; i < count; i++) {
        const htp_amount macs = htp_report_amount_of(cost, cost->nodes[nodes[i]].multiply_adds);
        add_formula(text, 0, htp_view_call_node(cost->view, nodes[i]), cost, &macs);
    }
}

const char *htp_report_cost(htp_arena *arena, const htp_cost_query *query)
{
    bool has_numbers = query->costs->numbers != NULL;
    const htp_cost *cost = has_numbers ? query->costs->numbers : query->costs->formulas;
    htp_text text = {.arena = arena};
    add_head(&text, query, cost);
    htp_text_add(&text, "\n");
    if (query->region && has_numbers) {
        add_region(&text, query, cost);
    } else if (query->region) {
        add_region_formulas(&text, query, cost);
    } else if (has_numbers) {
        add_tree(&text, query, cost);
        htp_text_add(&text, "\n");
        add_operators(&text, cost);
    } else {
        add_tree_formulas(&text, query, cost);
    }
    htp_text_add(&text, cost->uncounted.count + cost->unsized + cost->notes.count ? "\n" : "");
    add_notes(&text, cost);
    return htp_text_string(&text);
}
