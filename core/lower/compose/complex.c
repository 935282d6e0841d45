/*
 * Complex arguments and outputs, and operators of real numbers run for each of their parts.
 */
#include "lower/compose/complex.h"

#include "lower/compose/compose.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"

#include <string.h>

bool htp_arg_is_complex(htp_lowering *l, const char *name)
{
    return htp_value_is_complex(l->graph, htp_arg_value(l, name));
}

/* ---- views that conjugate ---- */

/** Whether an operator returns a view that conjugates its complex input. */
static bool is_conjugating_view(const char *kind)
{
    static const char *const kinds[] = {"aten::conj",      "aten::_conj", "aten::adjoint",
                                        "aten::mH",        "aten::mH.a",  "aten::matrix_H",
                                        "aten::matrix_H.a"};
    return htp_text_is_one_of(kind, kinds, sizeof(kinds) / sizeof(kinds[0]));
}

bool htp_graph_shows_conjugates(const htp_graph *graph)
{
    const htp_trace *trace = graph->trace;
    bool found = false;
    for (uint32_t i = 0; i < trace->node_count && !found; i++) {
        const htp_trace_node *node = &trace->nodes[i];
        found = node->output_count == 1 && htp_value_is_complex(graph, node->outputs[0]) &&
                is_conjugating_view(node->kind);
    }
    return found;
}

/** Whether an operator writes to an argument: its name ends in "_" before the overload. */
static bool is_in_place(const char *kind)
{
    size_t length = strcspn(kind, ".");
    return length > 2 && kind[length - 1] == '_' && kind[length - 2] != '_';
}

void htp_complex_check(htp_lowering *l)
{
    if (l->shows_conjugates && is_in_place(l->graph->trace->nodes[l->node_id].kind)) {
        htp_lower_fail(l, "it changes complex numbers in place where there are conjugated views");
    }
}

/** A part of a complex number; HTP_NONE for values of other kinds. */
static htp_tensor_id number_part(htp_lowering *l, const htp_trace_value *value, htp_part part,
                                 htp_dtype dtype)
{
    return htp_emit_scalar(l, dtype, htp_complex_number_part(l, value, part));
}

/* ---- arguments and outputs ---- */

htp_tensor_id htp_arg_pairs(htp_lowering *l, const char *name)
{
    if (!htp_arg_is_complex(l, name)) {
        htp_lower_fail(l, "argument '%s' is not complex", name);
        return HTP_NONE;
    }
    return htp_value_pairs(l, htp_arg_value(l, name));
}

htp_complex htp_arg_complex(htp_lowering *l, const char *name, htp_dtype dtype)
{
    if (!htp_arg_is_complex(l, name)) {
        return (htp_complex){htp_arg_tensor_as(l, name, dtype), htp_emit_scalar(l, dtype, 0)};
    }
    htp_value_id id = htp_arg_value(l, name);
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    if (value->kind == HTP_TRACE_COMPLEX) {
        return (htp_complex){number_part(l, value, HTP_PART_REAL, dtype),
                             number_part(l, value, HTP_PART_IMAGINARY, dtype)};
    }
    htp_dtype from = htp_dtype_real(value->dtype);
    return (htp_complex){htp_emit_cast(l, htp_value_part(l, id, HTP_PART_REAL), from, dtype),
                         htp_emit_cast(l, htp_value_part(l, id, HTP_PART_IMAGINARY), from, dtype)};
}

htp_complex_number htp_arg_complex_number(htp_lowering *l, const char *name)
{
    if (!htp_arg_is_complex(l, name)) {
        return (htp_complex_number){htp_arg_float(l, name), 0};
    }
    const htp_trace_value *value = htp_graph_value(l->graph, htp_arg_value(l, name));
    return (htp_complex_number){htp_complex_number_part(l, value, HTP_PART_REAL),
                                htp_complex_number_part(l, value, HTP_PART_IMAGINARY)};
}

void htp_bind_pairs(htp_lowering *l, size_t index, htp_tensor_id pairs)
{
    htp_value_id id = htp_output_value(l, index);
    if (l->failure || pairs == HTP_NONE || !htp_value_is_complex(l->graph, id)) {
        htp_lower_fail(l, "its lowering gives no complex result");
        return;
    }
    htp_value_bind_pairs(l, id, pairs);
}

void htp_bind_complex(htp_lowering *l, size_t index, htp_complex z, htp_dtype dtype)
{
    const htp_tensor_id parts[] = {z.re, z.im};
    for (int i = 0; i < 2; i++) {
        l->part = i == 0 ? HTP_PART_REAL : HTP_PART_IMAGINARY;
        htp_bind_cast(l, index, parts[i], dtype);
    }
    l->part = HTP_PART_NONE;
}

htp_tensor_id htp_emit_zeros_like(htp_lowering *l, htp_dtype dtype, htp_tensor_id x)
{
    return htp_typed_expand(l, dtype, htp_emit_scalar(l, dtype, 0), htp_emit_unary(l, "Shape", x));
}

/* ---- lowerings of real numbers ---- */

/** The row of the node's operator for real numbers. */
static const htp_operator *real_row(htp_lowering *l)
{
    if (!l->real_row) {
        htp_lower_fail(l, "there is no lowering for it");
    }
    return l->real_row;
}

/** Gives a real value an imaginary part of zero, which real lowerings see; or removes it again. */
static void set_imaginary(htp_lowering *l, htp_value_id id, bool is_seen)
{
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    if (value->kind == HTP_TRACE_LIST) {
        for (uint32_t i = 0; i < value->element_count; i++) {
            set_imaginary(l, value->elements[i], is_seen);
        }
    } else if (!htp_value_is_complex(l->graph, id)) {
        htp_dtype dtype = htp_value_dtype(l, id);
        htp_tensor_id zero = HTP_NONE;
        if (is_seen && value->kind == HTP_TRACE_TENSOR && value->rank > 0) {
            zero = htp_emit_zeros_like(l, dtype, htp_value_tensor(l, id));
        } else if (is_seen) {
            zero = htp_emit_scalar_int(l, dtype, 0);
        }
        l->bindings[id].parts[1] = zero;
    }
}

/** Whether @p name is one of @p names, which are separated by spaces. */
static bool is_named(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *found = names; found && (found = strstr(found, name)); found += length) {
        if ((found == names || found[-1] == ' ') &&
            (found[length] == ' ' || found[length] == '\0')) {
            return true;
        }
    }
    return false;
}

/** set_imaginary() of the arguments that the row's parameter names. */
static void set_imaginary_operands(htp_lowering *l, const char *names, bool is_seen)
{
    for (uint32_t i = 0; i < l->node->input_count; i++) {
        const char *name = l->node->input_names[i];
        if (is_named(names, name) && htp_arg_present(l, name)) {
            set_imaginary(l, l->node->inputs[i], is_seen);
        }
    }
}

/** Fails where the lowering cannot run once per part: the result is real, a real tensor stands
 * where a complex one is expected, or one tensor is two arguments. */
static void check_parts(htp_lowering *l, const char *names)
{
    const htp_trace_node *node = l->node;
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (!htp_value_is_complex(l->graph, node->outputs[i])) {
            htp_lower_fail(l, "its result is not complex");
        }
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        const htp_trace_value *value = htp_graph_value(l->graph, node->inputs[i]);
        if (value->kind == HTP_TRACE_COMPLEX && !is_named(names, node->input_names[i])) {
            htp_lower_fail(l, "argument '%s' is a complex number", node->input_names[i]);
        }
        if (value->kind != HTP_TRACE_TENSOR || htp_value_is_complex(l->graph, node->inputs[i]) ||
            is_named(names, node->input_names[i])) {
            continue;
        }
        if (i == 0 && !names) {
            htp_lower_fail(l, "argument '%s' is not complex", node->input_names[i]);
        }
        for (uint32_t j = 0; j < node->input_count; j++) {
            if (j != i && node->inputs[j] == node->inputs[i]) {
                htp_lower_fail(l, "one tensor is two of its arguments");
            }
        }
    }
}

/**
 * An operator that treats each part like a real number: it moves, adds or negates them. @p names
 * lists the number arguments, separated by spaces: the imaginary part of a real one is zero. Other
 * real arguments (indices, masks) are the same for both parts.
 */
void htp_complex_lower_parts(htp_lowering *l, const char *names)
{
    const htp_operator *row = l->row;
    check_parts(l, names);
    l->row = real_row(l);
    for (int part = HTP_PART_REAL; part <= HTP_PART_IMAGINARY && !l->failure; part++) {
        if (part == HTP_PART_IMAGINARY) {
            set_imaginary_operands(l, names, true);
        }
        l->part = (htp_part)part;
        l->row->lower(l);
        l->part = HTP_PART_NONE;
    }
    set_imaginary_operands(l, names, false);
    l->row = row;
}

/** As htp_complex_lower_parts(), for the arguments that the row's parameter names. */
void htp_lower_parts(htp_lowering *l)
{
    htp_complex_lower_parts(l, l->row->op);
}

/** An operator on sizes, which both parts share. */
void htp_lower_sizes_of_parts(htp_lowering *l)
{
    const htp_operator *row = l->row;
    l->row = real_row(l);
    if (!l->failure) {
        l->part = HTP_PART_REAL;
        l->row->lower(l);
        l->part = HTP_PART_NONE;
    }
    l->row = row;
}

/** An operator whose result is real but has a complex dtype. */
void htp_lower_real_part(htp_lowering *l)
{
    const htp_operator *row = l->row;
    htp_dtype dtype = htp_dtype_real(htp_output_dtype(l, 0));
    htp_value_id output = htp_output_value(l, 0);
    l->row = real_row(l);
    if (!l->failure) {
        l->part = HTP_PART_REAL;
        l->row->lower(l);
        l->part = HTP_PART_NONE;
        htp_tensor_id re = l->bindings[output].parts[0];
        htp_bind_complex(l, 0, (htp_complex){re, htp_emit_zeros_like(l, dtype, re)}, dtype);
    }
    l->row = row;
}

/** Runs the real lowering on one part of each of two operands. @return the result, which is not
 * bound */
static htp_tensor_id emit_product(htp_lowering *l, const htp_value_id *operands, htp_part a,
                                  htp_part b)
{
    const htp_tensor_id factors[] = {htp_value_part(l, operands[0], a),
                                     htp_value_part(l, operands[1], b)};
    htp_value_id output = htp_output_value(l, 0);
    htp_tensor_id kept[2];
    for (int i = 0; i < 2; i++) {
        kept[i] = l->bindings[operands[i]].parts[0];
        l->bindings[operands[i]].parts[0] = factors[i];
    }
    l->part = HTP_PART_REAL;
    l->row->lower(l);
    l->part = HTP_PART_NONE;
    for (int i = 0; i < 2; i++) {
        l->bindings[operands[i]].parts[0] = kept[i];
    }
    htp_tensor_id product = l->bindings[output].parts[0];
    l->bindings[output].parts[0] = HTP_NONE;
    return product;
}

/** The two complex tensors among the inputs. */
static bool find_operands(htp_lowering *l, htp_value_id *operands)
{
    size_t count = 0;
    for (uint32_t i = 0; i < l->node->input_count; i++) {
        const htp_trace_value *value = htp_graph_value(l->graph, l->node->inputs[i]);
        bool is_list = value->kind == HTP_TRACE_LIST;
        for (uint32_t j = 0; j < (is_list ? value->element_count : 1); j++) {
            htp_value_id id = is_list ? value->elements[j] : l->node->inputs[i];
            if (htp_value_is_complex(l->graph, id)) {
                operands[count < 2 ? count : 0] = id;
                count++;
            }
        }
    }
    if (count != 2 || operands[0] == operands[1]) {
        htp_lower_fail(l, "complex products are supported of two different tensors");
        return false;
    }
    return true;
}

/** An operator that sums products of two complex tensors: matmul, einsum, ... The row's parameter
 * is "conjugate" where the first one is conjugated. */
void htp_lower_products(htp_lowering *l)
{
    const htp_operator *row = l->row;
    htp_dtype dtype = htp_dtype_real(htp_output_dtype(l, 0));
    htp_value_id operands[2];
    if (!find_operands(l, operands)) {
        return;
    }
    l->row = real_row(l);
    if (l->failure) {
        l->row = row;
        return;
    }
    const htp_part re = HTP_PART_REAL;
    const htp_part im = HTP_PART_IMAGINARY;
    htp_tensor_id rere = emit_product(l, operands, re, re);
    htp_tensor_id imim = emit_product(l, operands, im, im);
    htp_tensor_id reim = emit_product(l, operands, re, im);
    htp_tensor_id imre = emit_product(l, operands, im, re);
    l->row = row;
    htp_complex z = {htp_emit_binary(l, row->op ? "Add" : "Sub", rere, imim),
                     htp_emit_binary(l, row->op ? "Sub" : "Add", reim, imre)};
    htp_bind_complex(l, 0, z, dtype);
}
