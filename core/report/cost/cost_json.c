/*
 * What modules cost, as JSON.
 */
#include "report/cost/cost_parts.h"

#include "base/json/json.h"

/* @p sized is NULL where the axes have no sizes. A formula without axes is a number, too. */
static void add_amount(htp_json *json, const char *key, const htp_cost *cost,
                       const htp_amount *formula, const htp_amount *sized)
{
    int64_t number;
    htp_json_begin(json, key, '{');
    htp_json_string(json, "formula",
                    htp_amount_text(json->text.arena, &cost->symbols->algebra, formula));
    if ((sized && htp_amount_is_number(sized, &number)) || htp_amount_is_number(formula, &number)) {
        htp_json_number(json, "number", number);
    } else {
        htp_json_null(json, "number");
    }
    htp_json_end(json, '}');
}

static void add_sum(htp_json *json, const htp_costs *costs, const htp_cost_sum *formula,
                    const htp_cost_sum *sized)
{
    add_amount(json, "multiply_adds", costs->formulas, &formula->multiply_adds,
               sized ? &sized->multiply_adds : NULL);
    add_amount(json, "activation_bytes", costs->formulas, &formula->activations,
               sized ? &sized->activations : NULL);
}

static void add_polynomial(htp_json *json, const char *key, const htp_costs *costs,
                           htp_polynomial_id formula, htp_polynomial_id sized)
{
    const htp_amount whole = htp_report_amount_of(costs->formulas, formula);
    htp_amount number = {.is_broken = true};
    if (costs->numbers) {
        number = htp_report_amount_of(costs->numbers, sized);
    }
    add_amount(json, key, costs->formulas, &whole, &number);
}

static void add_modules(htp_json *json, const htp_cost_query *query)
{
    const htp_costs *costs = query->costs;
    const htp_tree *tree = costs->formulas->tree;
    htp_json_begin(json, "modules", '[');
    for (uint32_t i = 0; i < tree->module_count; i++) {
        const htp_tree_module *module = &tree->modules[i];
        if (query->depth >= 0 && module->depth > (uint32_t)query->depth) {
            continue;
        }
        htp_json_begin(json, NULL, '{');
        htp_json_string_part(json, "tag", module->tag.at, module->tag.length);
        htp_json_string_part(json, "full_tag", module->full_tag.at, module->full_tag.length);
        htp_json_bool(json, "has_tag", module->has_tag);
        htp_json_count(json, "parameters", module->parameters);
        htp_json_count(json, "weight_bytes", module->bytes);
        add_sum(json, costs, &costs->formulas->total[i],
                costs->numbers ? &costs->numbers->total[i] : NULL);
        htp_json_begin(json, "own", '{');
        add_sum(json, costs, &costs->formulas->own[i],
                costs->numbers ? &costs->numbers->own[i] : NULL);
        htp_json_end(json, '}');
        htp_json_end(json, '}');
    }
    htp_json_end(json, ']');
}

/* The same operator of the numbers: branches that are left out may be others. */
static const htp_cost_sum *find_operator(const htp_cost *numbers, const htp_cost_operator *like)
{
    for (size_t i = 0; numbers && i < numbers->operators.count; i++) {
        const htp_cost_operator *one = &numbers->operators.items[i];
        if (one->domain == like->domain && one->op_type == like->op_type) {
            return &one->sum;
        }
    }
    return NULL;
}

static void add_operators(htp_json *json, const htp_costs *costs)
{
    htp_json_begin(json, "operators", '[');
    for (size_t i = 0; i < costs->formulas->operators.count; i++) {
        const htp_cost_operator *one = &costs->formulas->operators.items[i];
        htp_json_begin(json, NULL, '{');
        htp_json_string(json, "domain", htp_view_text(costs->formulas->view, one->domain));
        htp_json_string(json, "op_type", htp_view_text(costs->formulas->view, one->op_type));
        htp_json_count(json, "nodes", one->nodes);
        htp_json_count(json, "parameters", one->parameters);
        htp_json_count(json, "weight_bytes", one->bytes);
        add_sum(json, costs, &one->sum, find_operator(costs->numbers, one));
        htp_json_end(json, '}');
    }
    htp_json_end(json, ']');
}

static void add_nodes(htp_json *json, const htp_cost_query *query)
{
    const htp_costs *costs = query->costs;
    const htp_cost *ordering = costs->numbers ? costs->numbers : costs->formulas;
    const htp_view *view = ordering->view;
    const uint32_t *nodes;
    uint32_t count = htp_report_cost_nodes(json->text.arena, ordering, query->region, &nodes);
    htp_json_begin(json, "nodes", '[');
    for (uint32_t i = 0; i < count; i++) {
        const htp_view_node *node = &view->nodes.items[nodes[i]];
        const htp_cost_node *formula = &costs->formulas->nodes[nodes[i]];
        const htp_cost_node *number = &ordering->nodes[nodes[i]];
        uint32_t module = ordering->tree->places[nodes[i]].innermost;
        htp_json_begin(json, NULL, '{');
        htp_json_string(json, "name", htp_view_text(view, node->name));
        htp_json_string(json, "op_type", htp_view_text(view, node->op_type));
        if (module == HTP_NONE) {
            htp_json_null(json, "full_tag");
        } else {
            htp_slice tag = ordering->tree->modules[module].full_tag;
            htp_json_string_part(json, "full_tag", tag.at, tag.length);
        }
        htp_json_count(json, "parameters", formula->parameters);
        htp_json_count(json, "weight_bytes", formula->bytes);
        add_polynomial(json, "multiply_adds", costs, formula->multiply_adds, number->multiply_adds);
        add_polynomial(json, "activation_bytes", costs, formula->activations, number->activations);
        htp_json_end(json, '}');
    }
    htp_json_end(json, ']');
}

static void add_peak(htp_json *json, const htp_costs *costs)
{
    const htp_cost *numbers = costs->numbers;
    int64_t most;
    htp_json_begin(json, "peak_bytes", '{');
    htp_json_string(json, "formula", htp_report_peak(json->text.arena, costs->formulas));
    if (numbers && htp_report_peak(json->text.arena, numbers) &&
        htp_amount_is_number(&numbers->peak.amounts[0], &most)) {
        htp_json_number(json, "number", most);
    } else {
        htp_json_null(json, "number");
    }
    htp_json_end(json, '}');
}

static void add_axes(htp_json *json, const htp_costs *costs)
{
    const htp_view_axes *axes = costs->formulas->axes;
    htp_json_begin(json, "axes", '[');
    for (size_t i = 0; i < axes->items.count; i++) {
        htp_json_string(json, NULL, axes->items.items[i].symbol);
    }
    htp_json_end(json, ']');
    htp_json_string(json, "sizes", costs->sizes);
}

/* What is not counted at the sizes at hand. */
static void add_gaps(htp_json *json, const htp_cost *cost)
{
    htp_json_begin(json, "not_counted", '[');
    for (size_t i = 0; i < cost->uncounted.count; i++) {
        htp_json_string(json, NULL, htp_view_call_node(cost->view, cost->uncounted.items[i]));
    }
    htp_json_end(json, ']');
    htp_json_count(json, "values_of_unknown_size", cost->unsized);
    htp_json_begin(json, "notes", '[');
    for (size_t i = 0; i < cost->notes.count; i++) {
        htp_json_string(json, NULL, cost->notes.items[i]);
    }
    htp_json_end(json, ']');
}

const char *htp_report_cost_json(htp_arena *arena, const htp_cost_query *query)
{
    const htp_costs *costs = query->costs;
    const htp_cost *cost = costs->formulas;
    htp_json json = {.text.arena = arena};
    htp_json_begin(&json, NULL, '{');
    htp_json_string(&json, "model", cost->view->path);
    htp_json_string(&json, "status", "ok");
    htp_json_string(&json, "hierarchy", cost->tree->source_text);
    add_axes(&json, costs);
    htp_json_count(&json, "parameters", cost->tree->modules[0].parameters);
    htp_json_count(&json, "weight_bytes", cost->tree->modules[0].bytes);
    add_sum(&json, costs, &cost->whole, costs->numbers ? &costs->numbers->whole : NULL);
    add_peak(&json, costs);
    add_gaps(&json, costs->numbers ? costs->numbers : cost);
    add_modules(&json, query);
    add_operators(&json, costs);
    add_nodes(&json, query);
    htp_json_end(&json, '}');
    return htp_text_string(&json.text);
}
