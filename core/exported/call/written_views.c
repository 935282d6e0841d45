#include "exported/call/written_views.h"

#include <string.h>

typedef struct putting {
    htp_tape *r;
    const htp_lying *view;
    uint32_t whole;  /* value of the program */
    uint32_t before; /* its value before */
    uint32_t now;    /* the view's new value */
} putting;

/* An argument of the view's operator, by name. */
static uint32_t argument_of(const putting *p, const char *name)
{
    const htp_trace_node *node = &p->r->nodes.items[p->view->node];
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (strcmp(node->input_names[i], name) == 0) {
            return node->inputs[i];
        }
    }
    return htp_tape_none(p->r);
}

/* Adds a node that returns the whole. */
static uint32_t add(const putting *p, const char *kind, const uint32_t *inputs,
                    const char *const *names, uint32_t count)
{
    htp_tape *r = p->r;
    uint32_t node =
        htp_tape_node(r, kind, htp_arena_grow(r->arena, inputs, count, count, sizeof(*inputs)),
                      htp_arena_grow(r->arena, names, count, count, sizeof(*names)), count);
    uint32_t value = htp_tape_described(r, &r->program->values.items[p->whole], node);
    htp_tape_gives(r, node, &value, 1);
    return value;
}

/* ---- parts ---- */

static uint32_t put_select(const putting *p)
{
    static const char *const names[] = {"self", "src", "dim", "index"};
    const uint32_t inputs[] = {p->before, p->now, argument_of(p, "dim"), argument_of(p, "index")};
    return add(p, "aten::select_scatter", inputs, names, 4);
}

static uint32_t put_between(const putting *p, uint32_t dim, uint32_t start, uint32_t end,
                            uint32_t step)
{
    static const char *const names[] = {"self", "src", "dim", "start", "end", "step"};
    const uint32_t inputs[] = {p->before, p->now, dim, start, end, step};
    return add(p, "aten::slice_scatter", inputs, names, 6);
}

static uint32_t put_slice(const putting *p)
{
    return put_between(p, argument_of(p, "dim"), argument_of(p, "start"), argument_of(p, "end"),
                       argument_of(p, "step"));
}

static uint32_t put_diagonal(const putting *p)
{
    static const char *const names[] = {"self", "src", "offset", "dim1", "dim2"};
    const uint32_t inputs[] = {p->before, p->now, argument_of(p, "offset"), argument_of(p, "dim1"),
                               argument_of(p, "dim2")};
    return add(p, "aten::diagonal_scatter", inputs, names, 5);
}

static uint32_t put_unbound(const putting *p)
{
    static const char *const names[] = {"self", "src", "dim", "index"};
    const uint32_t inputs[] = {p->before, p->now, argument_of(p, "dim"),
                               htp_tape_integer(p->r, p->view->index)};
    return add(p, "aten::select_scatter", inputs, names, 4);
}

/* A part of the whole with fixed start and end. */
static uint32_t put_fixed(const putting *p, int64_t start, int64_t end)
{
    return put_between(p, argument_of(p, "dim"), htp_tape_integer(p->r, start),
                       htp_tape_integer(p->r, end), htp_tape_integer(p->r, 1));
}

/* A constant number argument. */
static bool is_fixed_number(const htp_tape *r, uint32_t value, int64_t *number)
{
    const htp_trace_value *of = &r->values.items[value];
    *number = of->i[0];
    return of->kind == HTP_TRACE_INT && of->is_constant;
}

/* A negative start counts from the end of the whole, where the part may end, too. */
static uint32_t put_narrow(const putting *p)
{
    int64_t start;
    int64_t length;
    int64_t end;
    if (!is_fixed_number(p->r, argument_of(p, "start"), &start) ||
        !is_fixed_number(p->r, argument_of(p, "length"), &length) ||
        __builtin_add_overflow(start, length, &end)) {
        return HTP_NONE;
    }
    return put_fixed(p, start, start < 0 && end >= 0 ? INT64_MAX : end);
}

/* The changed part and those before it have fixed sizes. */
static uint32_t put_split(const putting *p)
{
    const htp_tape *r = p->r;
    int64_t dim;
    if (!is_fixed_number(r, argument_of(p, "dim"), &dim)) {
        return HTP_NONE;
    }
    const htp_exported_argument *list = &p->view->from->outputs[0];
    int64_t start = 0;
    for (uint32_t i = 0; i < list->count && i <= p->view->index; i++) {
        if (list->items[i].kind != HTP_EXPORTED_VALUE) {
            return HTP_NONE;
        }
        const htp_exported_value *part = &r->program->values.items[list->items[i].value];
        int64_t at = dim < 0 ? dim + part->rank : dim;
        if (at < 0 || at >= (int64_t)part->rank || !htp_tape_is_fixed(r, &part->sizes[at])) {
            return HTP_NONE;
        }
        const htp_trace_value *bound = &r->values.items[r->bound[list->items[i].value]];
        int64_t end;
        if (!bound->dims[0] || __builtin_add_overflow(start, bound->dims[0][at], &end)) {
            return HTP_NONE; /* without dims, its sizes have failed already */
        }
        if (i == p->view->index) {
            return put_fixed(p, start, end);
        }
        start = end;
    }
    return HTP_NONE;
}

/* ---- wholes in another shape ---- */

static uint32_t put_same(const putting *p)
{
    return p->now;
}

/* The size of a dim of the whole. */
static uint32_t size_of(const putting *p, uint32_t dim)
{
    static const char *const names[] = {"self", "dim"};
    htp_tape *r = p->r;
    const htp_exported_size *size = &r->program->values.items[p->whole].sizes[dim];
    const htp_exported_value number = {.name = "", .kind = HTP_TRACE_INT, .number = *size};
    if (htp_tape_is_fixed(r, size)) {
        return htp_tape_described(r, &number, HTP_NONE);
    }
    const uint32_t inputs[] = {p->before, htp_tape_integer(r, dim)};
    uint32_t node = htp_tape_node(
        r, "aten::size.int", htp_arena_grow(r->arena, inputs, 2, 2, sizeof(*inputs)), names, 2);
    uint32_t value = htp_tape_described(r, &number, node);
    htp_tape_gives(r, node, &value, 1);
    return value;
}

/* The order of elements stays. */
static uint32_t put_shape(const putting *p)
{
    static const char *const names[] = {"self", "shape"};
    uint32_t sizes[HTP_MAX_RANK];
    uint32_t rank = p->r->program->values.items[p->whole].rank;
    for (uint32_t i = 0; i < rank; i++) {
        sizes[i] = size_of(p, i);
    }
    const uint32_t inputs[] = {p->now, htp_tape_list(p->r, sizes, rank)};
    return add(p, "aten::reshape", inputs, names, 2);
}

/* The operator is its own inverse. */
static uint32_t put_transposed(const putting *p)
{
    const htp_trace_node node = p->r->nodes.items[p->view->node];
    uint32_t *inputs = htp_arena_grow(p->r->arena, node.inputs, node.input_count,
                                      (size_t)node.input_count + 1, sizeof(*node.inputs));
    inputs[0] = p->now;
    return add(p, node.kind, inputs, node.input_names, node.input_count);
}

static uint32_t put_permuted(const putting *p)
{
    static const char *const names[] = {"self", "dims"};
    const htp_trace_value *dims = &p->r->values.items[argument_of(p, "dims")];
    uint32_t back[HTP_MAX_RANK] = {0};
    uint32_t count = dims->element_count;
    for (uint32_t i = 0; i < count; i++) {
        int64_t dim;
        bool is_known = is_fixed_number(p->r, dims->elements[i], &dim);
        dim += dim < 0 ? count : 0;
        if (!is_known || count > HTP_MAX_RANK || dim < 0 || dim >= (int64_t)count) {
            return HTP_NONE;
        }
        back[dim] = i;
    }
    for (uint32_t i = 0; i < count; i++) {
        back[i] = htp_tape_integer(p->r, back[i]);
    }
    const uint32_t inputs[] = {p->now, htp_tape_list(p->r, back, count)};
    return add(p, "aten::permute", inputs, names, 2);
}

static uint32_t put_complex(const putting *p)
{
    static const char *const names[] = {"self"};
    return add(p, "aten::view_as_complex", &p->now, names, 1);
}

static uint32_t put_real(const putting *p)
{
    static const char *const names[] = {"self"};
    return add(p, "aten::view_as_real", &p->now, names, 1);
}

/* ---- all ---- */

/* How views are written back, by operator. */
static const struct {
    const char *kind;
    uint32_t (*put)(const putting *p);
} rows[] = {
    {"aten::select.int", put_select},
    {"aten::slice.Tensor", put_slice},
    {"aten::diagonal", put_diagonal},
    {"aten::unbind.int", put_unbound},
    {"aten::narrow", put_narrow},
    {"aten::split.Tensor", put_split},
    {"aten::split.sizes", put_split},
    {"aten::split_with_sizes", put_split},
    {"aten::chunk", put_split},
    {"aten::tensor_split.sections", put_split},
    {"aten::alias", put_same},
    {"aten::detach", put_same},
    {"aten::positive", put_same},
    {"aten::view", put_shape},
    {"aten::reshape", put_shape},
    {"aten::_reshape_alias", put_shape},
    {"aten::view_as", put_shape},
    {"aten::reshape_as", put_shape},
    {"aten::flatten.using_ints", put_shape},
    {"aten::ravel", put_shape},
    {"aten::unflatten.int", put_shape},
    {"aten::unsqueeze", put_shape},
    {"aten::squeeze", put_shape},
    {"aten::squeeze.dim", put_shape},
    {"aten::squeeze.dims", put_shape},
    {"aten::transpose.int", put_transposed},
    {"aten::swapaxes", put_transposed},
    {"aten::swapdims", put_transposed},
    {"aten::t", put_transposed},
    {"aten::mT", put_transposed},
    {"aten::numpy_T", put_transposed},
    {"aten::permute", put_permuted},
    {"aten::view_as_real", put_complex},
    {"aten::view_as_complex", put_real},
};

uint32_t htp_written_view_put(htp_tape *r, const htp_lying *view, uint32_t whole, uint32_t now)
{
    const putting p = {r, view, whole, r->bound[whole], now};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strcmp(r->nodes.items[view->node].kind, rows[i].kind) == 0) {
            return rows[i].put(&p);
        }
    }
    return HTP_NONE;
}
