#include "query/compare/fingerprint.h"

#include "base/text.h"
#include "onnx/rewriter/strip.h"

#include <string.h>

/* Kinds of digests. Each has a seed of its own, so that kinds never collide. */
enum sort {
    SORT_OPERAND = 1,
    SORT_BODY,
    SORT_RESULT,
    SORT_INPUT,
    SORT_BODY_INPUT,
    SORT_FUNCTION_INPUT,
    SORT_OUTPUT,
    SORT_FUNCTION_OUTPUT,
    SORT_OPERATOR,
    SORT_CALL,
    SORT_LABEL,
};

/* A fingerprint under construction. */
struct maker {
    htp_arena *arena;
    const htp_view *view;
    htp_fingerprint *fingerprint;
    const htp_pairing *pairing;
    int64_t opset;       /* of ONNX's own operators */
    uint32_t *positions; /* by value: among the results of its node, or the inputs of its graph */
    htp_digest *names;   /* by name: of its text */
    htp_map functions;   /* by domain, name and overload */
    htp_digest *parts[HTP_LABEL_COUNT]; /* digests of the label, per kind */
    htp_digest *attributes, *given;
};

static htp_digest mix(const struct maker *m, enum sort sort, htp_digest a, htp_digest b)
{
    return htp_digest_mix(m->fingerprint->seed, sort, a, b);
}

static htp_digest number(uint64_t value)
{
    return (htp_digest){value, 0};
}

/* ---- positions and constants ---- */

static void note_positions(struct maker *m)
{
    const htp_view *view = m->view;
    for (size_t n = 0; n < view->nodes.count; n++) {
        htp_view_range made = view->nodes.items[n].outputs;
        for (uint32_t i = 0; i < made.count; i++) {
            uint32_t value = view->operands.items[made.first + i];
            if (value != HTP_NONE) {
                m->positions[value] = i;
            }
        }
    }
    for (size_t g = 0; g < view->graphs.count; g++) {
        htp_view_range inputs = view->graphs.items[g].inputs;
        for (uint32_t i = 0; i < inputs.count; i++) {
            m->positions[view->operands.items[inputs.first + i]] = i;
        }
    }
}

/* The constant of a value, or NULL. */
static const htp_content *constant_of(const struct maker *m, uint32_t value)
{
    const htp_view_value *read = &m->view->values.items[value];
    if (read->initializer != HTP_NONE) {
        return &m->fingerprint->tensors[read->initializer];
    }
    bool is_constant = read->maker == HTP_VIEW_BY_NODE && m->fingerprint->is_constant[read->node];
    return is_constant ? &m->fingerprint->constants[read->node] : NULL;
}

/* The constant that an Identity node passes on, or NULL. */
static const htp_content *handed_on(const struct maker *m, uint32_t n)
{
    const htp_view_node *node = &m->view->nodes.items[n];
    bool is_identity = htp_view_is_own_domain(m->view, node->domain) &&
                       strcmp(htp_view_text(m->view, node->op_type), "Identity") == 0 &&
                       node->inputs.count == 1 && node->outputs.count == 1;
    uint32_t value = is_identity ? m->view->operands.items[node->inputs.first] : HTP_NONE;
    return value == HTP_NONE ? NULL : constant_of(m, value);
}

/* Constants precede their readers, so one pass finds those that Identity passes on, too. */
static void note_constants(struct maker *m)
{
    uint32_t count = m->fingerprint->count;
    htp_content *constants = HTP_NEW_ARRAY(m->arena, htp_content, count + 1U);
    bool *is_constant = HTP_NEW_ARRAY(m->arena, bool, count + 1U);
    m->fingerprint->constants = constants;
    m->fingerprint->is_constant = is_constant;
    m->fingerprint->units = count;
    for (uint32_t n = 0; n < count; n++) {
        const htp_content *same = handed_on(m, n);
        constants[n] = same ? *same : constants[n];
        is_constant[n] =
            same || htp_fingerprint_constant(m->arena, m->view, m->fingerprint->seed,
                                             m->fingerprint->tensors, n, &constants[n]);
        m->fingerprint->units -= is_constant[n];
    }
}

/* An operator's identity. "ai.onnx" is the same domain as "". */
static const char *call_operator(struct maker *m, htp_view_name domain, htp_view_name name,
                                 htp_view_name overload)
{
    return htp_arena_printf(
        m->arena, "%s\n%s\n%s",
        htp_view_is_own_domain(m->view, domain) ? "" : htp_view_text(m->view, domain),
        htp_view_text(m->view, name), htp_view_text(m->view, overload));
}

static void note_functions(struct maker *m)
{
    for (uint32_t i = 0; i < m->view->functions.count; i++) {
        const htp_view_function *function = &m->view->functions.items[i];
        htp_map_set(m->arena, &m->functions,
                    call_operator(m, function->domain, function->name, function->overload), i);
    }
}

/* ---- labels and links ---- */

static htp_digest operator_of(struct maker *m, const htp_view_node *node)
{
    uint32_t function;
    htp_digest counts = number((uint64_t)node->outputs.count);
    if (m->functions.count > 0 &&
        htp_map_get(&m->functions, call_operator(m, node->domain, node->op_type, node->overload),
                    &function)) {
        return mix(m, SORT_CALL, number(m->pairing->functions[function]), counts);
    }
    htp_digest domain = m->names[htp_view_is_own_domain(m->view, node->domain) ? 0 : node->domain];
    return mix(m, SORT_OPERATOR, mix(m, SORT_OPERATOR, domain, m->names[node->op_type]),
               mix(m, SORT_OPERATOR, m->names[node->overload], counts));
}

static void label_node(struct maker *m, uint32_t n)
{
    const htp_view_node *node = &m->view->nodes.items[n];
    htp_digest sum = {0, 0};
    htp_digest called = operator_of(m, node);
    for (uint32_t i = 0; i < node->attributes.count; i++) {
        const htp_view_attribute *attribute =
            &m->view->attributes.items[node->attributes.first + i];
        if (!htp_strip_is_tag(m->view, attribute) &&
            !htp_fingerprint_is_default(m->view, m->opset, node, attribute)) {
            htp_digest_add(&sum, htp_fingerprint_attribute(m->arena, m->view, m->fingerprint->seed,
                                                           m->fingerprint->tensors, attribute));
        }
    }
    m->attributes[n] = sum;
    m->parts[HTP_LABEL_OPERATOR][n] = called;
    m->parts[HTP_LABEL_FORM][n] = mix(m, SORT_LABEL, called, sum);
    m->parts[HTP_LABEL_WHOLE][n] = m->parts[HTP_LABEL_FORM][n];
}

/* The place of a graph among those of its node. */
static htp_digest place_of_body(const struct maker *m, uint32_t graph)
{
    const htp_view_attribute *attribute =
        &m->view->attributes.items[m->view->graphs.items[graph].attribute];
    return mix(m, SORT_BODY, m->names[attribute->name], number(graph - attribute->graphs.first));
}

/* The link from slot @p slot of a reader to a value that is not constant. */
static htp_link link_to(const struct maker *m, uint32_t value, htp_digest slot)
{
    const htp_view_value *read = &m->view->values.items[value];
    const htp_view_graph *graph = &m->view->graphs.items[read->graph];
    uint32_t position = m->positions[value];
    if (read->maker == HTP_VIEW_BY_NODE) {
        return (htp_link){read->node, mix(m, SORT_RESULT, slot, number(position))};
    }
    if (graph->node != HTP_NONE) {
        htp_digest input = mix(m, SORT_BODY, place_of_body(m, read->graph), number(position));
        return (htp_link){graph->node, mix(m, SORT_BODY_INPUT, slot, input)};
    }
    if (graph->function != HTP_NONE) {
        htp_digest function = number(m->pairing->functions[graph->function]);
        htp_digest input = mix(m, SORT_FUNCTION_INPUT, function, number(position));
        return (htp_link){HTP_NONE, mix(m, SORT_FUNCTION_INPUT, slot, input)};
    }
    htp_digest input = number(m->pairing->inputs[position]);
    return (htp_link){HTP_NONE, mix(m, SORT_INPUT, slot, input)};
}

/* Adds an operand: a constant to the label, another value to the links. */
static void take(struct maker *m, uint32_t node, uint32_t value, htp_digest slot)
{
    const htp_content *constant = constant_of(m, value);
    if (constant) {
        htp_digest value = mix(m, SORT_LABEL, slot, constant->value);
        htp_digest_add(&m->given[node], value);
        htp_digest_add(&m->parts[HTP_LABEL_WHOLE][node], value);
        htp_digest_add(&m->parts[HTP_LABEL_FORM][node], mix(m, SORT_LABEL, slot, constant->type));
    } else {
        HTP_PUSH(m->arena, &m->fingerprint->links, link_to(m, value, slot));
    }
}

/* Whether the two operands of an operator may be swapped. */
static bool is_commutative(const htp_view *view, const htp_view_node *node)
{
    static const char *const op_types[] = {"Add", "Mul",        "And",       "Or",
                                           "Xor", "BitwiseAnd", "BitwiseOr", "Max",
                                           "Min", "BitwiseXor", "Equal",     "Sum"};
    return node->inputs.count == 2 && htp_view_is_own_domain(view, node->domain) &&
           htp_text_is_one_of(htp_view_text(view, node->op_type), op_types,
                              sizeof(op_types) / sizeof(op_types[0]));
}

static void link_node(struct maker *m, uint32_t n)
{
    const htp_view *view = m->view;
    const htp_view_node *node = &view->nodes.items[n];
    bool has_order = !is_commutative(view, node);
    for (uint32_t i = 0; i < node->inputs.count; i++) {
        uint32_t value = view->operands.items[node->inputs.first + i];
        if (value != HTP_NONE) {
            take(m, n, value, mix(m, SORT_OPERAND, number(has_order ? i : 0), number(0)));
        }
    }
    for (uint32_t a = 0; a < node->attributes.count; a++) {
        htp_view_range bodies = view->attributes.items[node->attributes.first + a].graphs;
        for (uint32_t g = bodies.first; g < bodies.first + bodies.count; g++) {
            htp_view_range results = view->graphs.items[g].outputs;
            htp_digest body = results.count > 0 ? place_of_body(m, g) : number(0);
            for (uint32_t i = 0; i < results.count; i++) {
                take(m, n, view->operands.items[results.first + i],
                     mix(m, SORT_BODY, body, number(i)));
            }
        }
    }
}

static void link_nodes(struct maker *m)
{
    uint32_t count = m->fingerprint->count;
    uint32_t *first = HTP_NEW_ARRAY(m->arena, uint32_t, count + 1U);
    for (uint32_t n = 0; n < count; n++) {
        first[n] = (uint32_t)m->fingerprint->links.count;
        label_node(m, n);
        if (!m->fingerprint->is_constant[n]) {
            link_node(m, n);
        }
    }
    first[count] = (uint32_t)m->fingerprint->links.count;
    m->fingerprint->first_link = first;
}

/* Adds the outputs of the model or of a function. A constant becomes a link without a source. */
static void link_outputs(struct maker *m, uint32_t graph)
{
    const htp_view_graph *returned = &m->view->graphs.items[graph];
    for (uint32_t i = 0; i < returned->outputs.count; i++) {
        uint32_t value = m->view->operands.items[returned->outputs.first + i];
        htp_digest slot = returned->function == HTP_NONE
                              ? mix(m, SORT_OUTPUT, number(m->pairing->outputs[i]), number(0))
                              : mix(m, SORT_FUNCTION_OUTPUT,
                                    number(m->pairing->functions[returned->function]), number(i));
        const htp_content *constant = constant_of(m, value);
        const htp_link link = constant
                                  ? (htp_link){HTP_NONE, mix(m, SORT_LABEL, slot, constant->value)}
                                  : link_to(m, value, slot);
        HTP_PUSH(m->arena, &m->fingerprint->outputs, link);
    }
}

void htp_fingerprint_make(htp_arena *arena, const htp_view *view, uint64_t seed,
                          const htp_content *contents, const htp_pairing *pairing,
                          htp_fingerprint *fingerprint)
{
    uint32_t count = (uint32_t)view->nodes.count;
    *fingerprint =
        (htp_fingerprint){.view = view, .seed = seed, .count = count, .tensors = contents};
    struct maker m = {
        .arena = arena,
        .view = view,
        .fingerprint = fingerprint,
        .pairing = pairing,
        .positions = HTP_NEW_ARRAY(arena, uint32_t, view->values.count + 1),
        .names = HTP_NEW_ARRAY(arena, htp_digest, view->names.count),
        .attributes = HTP_NEW_ARRAY(arena, htp_digest, count + 1U),
        .given = HTP_NEW_ARRAY(arena, htp_digest, count + 1U),
    };
    fingerprint->attributes = m.attributes;
    fingerprint->given = m.given;
    for (size_t i = 0; i < view->names.count; i++) {
        m.names[i] = htp_fingerprint_name(view, seed, (htp_view_name)i);
    }
    for (int label = 0; label < HTP_LABEL_COUNT; label++) {
        m.parts[label] = HTP_NEW_ARRAY(arena, htp_digest, count + 1U);
        fingerprint->labels[label] = m.parts[label];
    }
    for (size_t i = 0; i < view->imports.count; i++) {
        const htp_view_import *import = &view->imports.items[i];
        m.opset = htp_view_is_own_domain(view, import->domain) ? import->version : m.opset;
    }
    note_positions(&m);
    note_constants(&m);
    note_functions(&m);
    link_nodes(&m);
    for (uint32_t g = 0; g < view->graphs.count; g++) {
        if (view->graphs.items[g].node == HTP_NONE) {
            link_outputs(&m, g);
        }
    }
    fingerprint->model_outputs = view->graphs.items[0].outputs.count;
}
