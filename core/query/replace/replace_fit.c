/*
 * Whether the border of another model is that of a module.
 */
#include "query/replace/replace_parts.h"

#include <string.h>

/* One module, and the part that takes its place. */
struct fitting {
    htp_arena *arena;
    htp_replacement *r;
    const htp_replacing_part *part;
    htp_replaced *replaced;
    htp_map bound; /* names of dims of the part: of `sizes` */
    HTP_VECTOR(const char *) sizes;
};

static const char *name_of(const htp_view *view, uint32_t value)
{
    return htp_view_text(view, view->values.items[value].name);
}

/* Inputs of the part's graph that have no default. */
static htp_numbers list_inputs(htp_arena *arena, const htp_view *view)
{
    htp_numbers inputs = {0};
    htp_view_range range = view->graphs.items[0].inputs;
    for (uint32_t i = range.first; i < range.first + range.count; i++) {
        if (view->values.items[view->operands.items[i]].initializer == HTP_NONE) {
            HTP_PUSH(arena, &inputs, view->operands.items[i]);
        }
    }
    return inputs;
}

static htp_numbers list_outputs(htp_arena *arena, const htp_view *view)
{
    htp_numbers outputs = {0};
    htp_view_range range = view->graphs.items[0].outputs;
    for (uint32_t i = range.first; i < range.first + range.count; i++) {
        HTP_PUSH(arena, &outputs, view->operands.items[i]);
    }
    return outputs;
}

/* ---- values ---- */

static const char *list_names(htp_arena *arena, const htp_view *view, const htp_numbers *values)
{
    htp_text text = {.arena = arena};
    for (size_t i = 0; i < values->count; i++) {
        htp_text_addf(&text, "%s%s", i ? ", " : "", name_of(view, values->items[i]));
    }
    return values->count > 0 ? htp_text_string(&text) : "none";
}

/* Pairs the values of the part with those of the border: by name if the border has all of their
 * names, else in order if that contradicts no name. @return false: neither */
static bool pair(struct fitting *f, const htp_numbers *of_part, const htp_numbers *border,
                 bool needs_all, uint32_t *paired)
{
    htp_map places = {0};
    size_t named = 0;
    bool is_in_order = of_part->count == border->count;
    for (uint32_t i = 0; i < border->count; i++) {
        htp_map_set(f->arena, &places, name_of(f->r->view, border->items[i]), i);
    }
    for (uint32_t i = 0; i < of_part->count; i++) {
        uint32_t place = i;
        bool has_name = htp_map_get(&places, name_of(f->part->view, of_part->items[i]), &place);
        named += has_name;
        is_in_order = is_in_order && place == i;
        paired[i] = border->count > place ? border->items[place] : HTP_NONE;
    }
    if (named == of_part->count && (!needs_all || of_part->count == border->count)) {
        return true;
    }
    for (size_t i = 0; is_in_order && i < of_part->count; i++) {
        paired[i] = border->items[i];
    }
    return is_in_order;
}

static htp_status refuse_border(const struct fitting *f, const char *what,
                                const htp_numbers *of_part, const htp_numbers *border)
{
    htp_slice address = htp_tree_address(&f->r->tree->modules[f->replaced->module]);
    return htp_status_make(HTP_CODE_USAGE,
                           "%s: its %s are %s, and those of '%.*s' are %s: they match neither by "
                           "name nor in order",
                           f->part->view->path, what, list_names(f->arena, f->part->view, of_part),
                           (int)address.length, address.at,
                           list_names(f->arena, f->r->view, border));
}

/* ---- types ---- */

static const char *dim_text(htp_arena *arena, const htp_value_dim *dim)
{
    return dim->symbol ? dim->symbol : htp_arena_printf(arena, "%lld", (long long)dim->size);
}

/* A number must be the same number; a name stands for one size of the model. */
static bool unify_dim(struct fitting *f, const htp_value_dim *of_part,
                      const htp_value_dim *of_model)
{
    bool is_open = !of_part->symbol && of_part->size < 0;
    if (is_open || (!of_model->symbol && of_model->size < 0)) {
        return true;
    }
    if (!of_part->symbol) {
        return !of_model->symbol && of_part->size == of_model->size;
    }
    uint32_t number = (uint32_t)f->sizes.count;
    const char *size = dim_text(f->arena, of_model);
    if (htp_map_get(&f->bound, of_part->symbol, &number)) {
        return strcmp(f->sizes.items[number], size) == 0;
    }
    htp_map_set(f->arena, &f->bound, of_part->symbol, number);
    HTP_PUSH(f->arena, &f->sizes, size);
    return true;
}

static bool unify(struct fitting *f, const htp_value_type *of_part, const htp_value_type *of_model)
{
    if (!of_part->is_known || !of_model->is_known) {
        return true;
    }
    bool fits = of_part->data_type == of_model->data_type &&
                strcmp(of_part->container, of_model->container) == 0;
    bool has_dims = of_part->has_dims && of_model->has_dims;
    fits = fits && (!has_dims || of_part->rank == of_model->rank);
    for (size_t i = 0; fits && has_dims && i < of_part->rank; i++) {
        fits = unify_dim(f, &of_part->dims[i], &of_model->dims[i]);
    }
    return fits;
}

static htp_status check_types(struct fitting *f, const htp_numbers *of_part, const uint32_t *paired)
{
    for (size_t i = 0; i < of_part->count; i++) {
        htp_value_type mine = htp_view_types_find(f->part->types, f->arena, of_part->items[i]);
        htp_value_type theirs = htp_view_types_find(f->r->types, f->arena, paired[i]);
        if (!unify(f, &mine, &theirs)) {
            htp_slice address = htp_tree_address(&f->r->tree->modules[f->replaced->module]);
            return htp_status_make(HTP_CODE_USAGE,
                                   "%s: '%s' is %s, and '%s' of '%.*s' is %s; sizes must be as "
                                   "dynamic, and a name stands for one size",
                                   f->part->view->path, name_of(f->part->view, of_part->items[i]),
                                   htp_value_type_text(f->arena, &mine),
                                   name_of(f->r->view, paired[i]), (int)address.length, address.at,
                                   htp_value_type_text(f->arena, &theirs));
        }
    }
    return HTP_OK;
}

/* ---- what the model has, too ---- */

/* Whether two initializers have the same elements; those beside a model are not read. */
static bool is_same_weight(const htp_view *a, uint32_t x, const htp_view *b, uint32_t y)
{
    const htp_view_tensor *one = &a->tensors.items[x];
    const htp_view_tensor *other = &b->tensors.items[y];
    bool is_same = one->data_type == other->data_type && one->dims.count == other->dims.count &&
                   one->location == 0 && other->location == 0 && !one->sparse.at &&
                   !other->sparse.at && one->data_field == other->data_field &&
                   one->data_field != 0;
    for (uint32_t i = 0; is_same && i < one->dims.count; i++) {
        is_same = a->dims.items[one->dims.first + i] == b->dims.items[other->dims.first + i];
    }
    return is_same && htp_replace_is_equal(one->data, other->data);
}

static void take_weights(struct fitting *f, const htp_map *known)
{
    const htp_view *part = f->part->view;
    const htp_view *view = f->r->view;
    for (uint32_t v = 0; v < part->values.count; v++) {
        const htp_view_value *weight = &part->values.items[v];
        uint32_t value;
        if (weight->graph == 0 && weight->maker == HTP_VIEW_BY_INITIALIZER &&
            htp_map_get(known, name_of(part, v), &value) &&
            view->values.items[value].maker == HTP_VIEW_BY_INITIALIZER &&
            is_same_weight(part, weight->initializer, view,
                           view->values.items[value].initializer)) {
            f->replaced->same[v] = value;
            HTP_PUSH(f->arena, &f->replaced->inputs, value);
        }
    }
}

/* Whether a node of the part reads what its equal in the model reads. */
static bool reads_same(const struct fitting *f, uint32_t node)
{
    const htp_view *part = f->part->view;
    htp_view_range inputs = part->nodes.items[node].inputs;
    for (uint32_t i = inputs.first; i < inputs.first + inputs.count; i++) {
        uint32_t value = part->operands.items[i];
        uint32_t same = value == HTP_NONE ? HTP_NONE : f->replaced->same[value];
        if (value != HTP_NONE &&
            (same == HTP_NONE || strcmp(name_of(part, value), name_of(f->r->view, same)) != 0)) {
            return false;
        }
    }
    return true;
}

/* Whether all that a node says is in the file: it has no bodies, and no data beside the model. */
static bool is_whole(const htp_view *view, uint32_t node)
{
    htp_view_range attributes = view->nodes.items[node].attributes;
    for (uint32_t a = attributes.first; a < attributes.first + attributes.count; a++) {
        const htp_view_attribute *attribute = &view->attributes.items[a];
        htp_view_range tensors = attribute->tensors;
        for (uint32_t t = tensors.first; t < tensors.first + tensors.count; t++) {
            if (view->tensors.items[t].location != 0) {
                return false;
            }
        }
        if (attribute->graphs.count > 0 && view->data_files.count > 0) {
            return false;
        }
    }
    return true;
}

static void take_nodes(struct fitting *f, const htp_map *known)
{
    const htp_view *part = f->part->view;
    const htp_view *view = f->r->view;
    htp_view_range nodes = part->graphs.items[0].nodes;
    for (uint32_t n = nodes.first; n < nodes.first + nodes.count; n++) {
        const htp_view_node *node = &part->nodes.items[n];
        uint32_t value =
            node->outputs.count == 1 ? part->operands.items[node->outputs.first] : HTP_NONE;
        uint32_t same;
        if (value != HTP_NONE && htp_map_get(known, name_of(part, value), &same) &&
            view->values.items[same].maker == HTP_VIEW_BY_NODE &&
            htp_replace_is_equal(node->whole,
                                 view->nodes.items[view->values.items[same].node].whole) &&
            is_whole(part, n) && reads_same(f, n)) {
            f->replaced->same[value] = same;
            HTP_PUSH(f->arena, &f->replaced->inputs, same);
        }
    }
}

static void find_same(struct fitting *f, const htp_numbers *inputs)
{
    const htp_part *whole = &f->replaced->part;
    const htp_view *view = f->r->view;
    htp_map known = {0};
    f->replaced->same = HTP_NEW_ARRAY(f->arena, uint32_t, f->part->view->values.count + 1);
    for (uint32_t v = 0; v < f->part->view->values.count; v++) {
        f->replaced->same[v] = HTP_NONE;
    }
    for (size_t i = 0; i < inputs->count; i++) {
        f->replaced->same[inputs->items[i]] = f->replaced->part_inputs[i];
    }
    for (size_t i = 0; i < whole->weights.count; i++) {
        uint32_t value = whole->weights.items[i];
        htp_map_set(f->arena, &known, name_of(view, value), value);
    }
    for (size_t i = 0; i < whole->constants.count; i++) {
        htp_view_range made = view->nodes.items[whole->constants.items[i]].outputs;
        for (uint32_t k = made.first; k < made.first + made.count; k++) {
            uint32_t value = view->operands.items[k];
            if (value != HTP_NONE) {
                htp_map_set(f->arena, &known, name_of(view, value), value);
            }
        }
    }
    take_weights(f, &known);
    take_nodes(f, &known);
}

/* ---- the whole ---- */

static void keep_symbols(struct fitting *f, const htp_numbers *values)
{
    for (size_t i = 0; i < values->count; i++) {
        htp_value_type type = htp_view_types_find(f->part->types, f->arena, values->items[i]);
        for (size_t k = 0; type.has_dims && k < type.rank; k++) {
            const char *symbol = type.dims[k].symbol;
            uint32_t number;
            if (symbol && htp_map_get(&f->bound, symbol, &number) &&
                strcmp(f->sizes.items[number], symbol) == 0) {
                htp_map_set(f->arena, &f->replaced->kept_symbols, symbol, 0);
            }
        }
    }
}

/* What the model has for one module, it has for all. */
static void share_weights(htp_arena *arena, htp_replacement *r, const htp_view *part)
{
    for (uint32_t v = 0; v < part->values.count; v++) {
        uint32_t same = HTP_NONE;
        bool is_weight = part->values.items[v].maker == HTP_VIEW_BY_INITIALIZER;
        for (size_t i = 0; i < r->list.count && is_weight && same == HTP_NONE; i++) {
            uint32_t value = r->list.items[i].same[v];
            bool is_seen = value != HTP_NONE && r->view->values.items[value].graph == 0;
            same = is_seen ? value : HTP_NONE;
        }
        for (size_t i = 0; i < r->list.count && same != HTP_NONE; i++) {
            htp_replaced *replaced = &r->list.items[i];
            if (replaced->same[v] == HTP_NONE) {
                replaced->same[v] = same;
                HTP_PUSH(arena, &replaced->inputs, same);
            }
        }
    }
}

htp_status htp_replace_fit_part(htp_arena *arena, htp_replacement *r,
                                const htp_replacing_part *part)
{
    const htp_numbers inputs = list_inputs(arena, part->view);
    const htp_numbers outputs = list_outputs(arena, part->view);
    HTP_TRY(htp_replace_check_part(arena, r, part->view));
    for (size_t i = 0; i < r->list.count; i++) {
        htp_replaced *replaced = &r->list.items[i];
        struct fitting f = {.arena = arena, .r = r, .part = part, .replaced = replaced};
        replaced->part_inputs = HTP_NEW_ARRAY(arena, uint32_t, inputs.count + 1);
        replaced->part_outputs = HTP_NEW_ARRAY(arena, uint32_t, outputs.count + 1);
        if (!pair(&f, &inputs, &replaced->part.inputs, false, replaced->part_inputs)) {
            return refuse_border(&f, "inputs", &inputs, &replaced->part.inputs);
        }
        if (!pair(&f, &outputs, &replaced->part.outputs, true, replaced->part_outputs)) {
            return refuse_border(&f, "outputs", &outputs, &replaced->part.outputs);
        }
        HTP_TRY(check_types(&f, &inputs, replaced->part_inputs));
        HTP_TRY(check_types(&f, &outputs, replaced->part_outputs));
        for (size_t k = 0; k < inputs.count; k++) {
            HTP_PUSH(arena, &replaced->inputs, replaced->part_inputs[k]);
        }
        replaced->border_count = replaced->inputs.count;
        find_same(&f, &inputs);
        keep_symbols(&f, &inputs);
        keep_symbols(&f, &outputs);
    }
    share_weights(arena, r, part->view);
    return HTP_OK;
}
