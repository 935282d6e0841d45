/*
 * The oracle of weights: the module encoder.layer.1.x owns `encoder.layer.1.x.weight`, and its
 * readers belong to that module or an ancestor.
 *
 * The owner follows from the name. Records add the aliases and the parameters of modules. A
 * parameter without an initializer may be tied to a weight of equal dims, which its module may
 * read, too. A module may call a module that it does not hold; then the chain of calls ends in the
 * owner. Initializers that are computed or laid out list their source weights. A computed one of
 * another rank than its first source may be a value that the owner passed on, such as the sines of
 * positions, and so may be a single integer, of which sizes are made; other readers of it are not
 * judged. Weights that were folded or renamed have no known
 * owner, and are not judged. Nor is a scalar that is named after a weight and is in no record: the
 * scale of a quantised weight belongs to its reader.
 */
#include "quality/parts.h"

#include "base/dtype.h"
#include "base/text.h"
#include "onnx/builder/builder.h"
#include "quality/places.h"

#include <cjson/cJSON.h>
#include <string.h>

/* The owner of a weight. */
struct holder {
    uint32_t module;  /* HTP_NONE: unknown */
    uint32_t ran;     /* the module in the reference; HTP_NONE: unknown */
    bool is_ancestor; /* `module` is only an ancestor of the owner, which is unknown */
    bool is_value;    /* the initializer may be one that the owner passed on */
};

struct oracle {
    htp_measuring *m;
    struct holder *holders; /* by tensor */
    htp_map open;           /* by dims and module: it or a descendant has a parameter without an
                               initializer */
    htp_map recorded;       /* names of parameters and buffers in records */
    htp_map ranks;          /* names of parameters in records: their ranks */
    htp_view_name chain_key;
    uint64_t seed;
};

typedef enum verdict { VERDICT_UNKNOWN, VERDICT_RIGHT, VERDICT_WRONG } verdict;

/* ---- records ---- */

/* A weight's dims and a module that may read it, as a key. */
struct open_key {
    htp_digest dims;
    uint64_t module;
};

static void add_open(struct oracle *o, uint32_t module, htp_digest dims)
{
    const htp_tree *tree = o->m->subject->tree;
    for (uint32_t at = module; at != HTP_NONE; at = tree->modules[at].parent) {
        struct open_key *key = HTP_NEW(o->m->arena, struct open_key);
        *key = (struct open_key){dims, at};
        if (htp_map_get_bytes(&o->open, key, sizeof(*key), NULL)) {
            return; /* its ancestors have it, too */
        }
        htp_map_set_bytes(o->m->arena, &o->open, key, sizeof(*key), 0);
    }
}

static htp_digest dims_of_record(const struct oracle *o, const cJSON *dims)
{
    htp_digest digest = {0, 0};
    const cJSON *dim;
    cJSON_ArrayForEach(dim, dims)
    {
        uint64_t size = cJSON_IsNumber(dim) && dim->valuedouble >= 0 && dim->valuedouble < 1e18
                            ? (uint64_t)dim->valuedouble
                            : UINT64_MAX;
        digest = htp_digest_mix(o->seed, size, digest, digest);
    }
    return digest;
}

static htp_digest dims_of_tensor(const struct oracle *o, const htp_view_tensor *tensor)
{
    htp_digest digest = {0, 0};
    for (uint32_t i = 0; i < tensor->dims.count; i++) {
        uint64_t size = (uint64_t)o->m->subject->view->dims.items[tensor->dims.first + i];
        digest = htp_digest_mix(o->seed, size, digest, digest);
    }
    return digest;
}

static const char *full_name(const struct oracle *o, uint32_t module, const char *own)
{
    htp_slice path = o->m->subject->paths[module];
    htp_text name = {.arena = o->m->arena};
    htp_text_add_bytes(&name, path.at, path.length);
    htp_text_addf(&name, "%s%s", path.length > 0 ? "." : "", own);
    return htp_text_string(&name);
}

static const cJSON *shapes_of(const cJSON *record)
{
    const cJSON *parameters = cJSON_GetObjectItemCaseSensitive(record, "parameters");
    const cJSON *shapes = cJSON_GetObjectItemCaseSensitive(parameters, "shapes");
    return cJSON_IsObject(shapes) ? shapes : NULL;
}

static void note_recorded(struct oracle *o)
{
    const htp_tree *tree = o->m->subject->tree;
    for (uint32_t i = 0; tree->has_records && i < tree->module_count; i++) {
        const cJSON *record = htp_tree_hold_record(o->m->arena, tree, i);
        const cJSON *item;
        cJSON_ArrayForEach(item, shapes_of(record))
        {
            const char *name = full_name(o, i, item->string);
            htp_map_set(o->m->arena, &o->recorded, name, i);
            htp_map_set(o->m->arena, &o->ranks, name, (uint32_t)cJSON_GetArraySize(item));
        }
        cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(record, "buffers"))
        {
            if (cJSON_IsString(item)) {
                htp_map_set(o->m->arena, &o->recorded, full_name(o, i, item->valuestring), i);
            }
        }
    }
}

static void read_records(struct oracle *o, const htp_map *names)
{
    const htp_tree *tree = o->m->subject->tree;
    for (uint32_t i = 0; tree->has_records && i < tree->module_count; i++) {
        const cJSON *shape;
        cJSON_ArrayForEach(shape, shapes_of(htp_tree_hold_record(o->m->arena, tree, i)))
        {
            if (!htp_map_get(names, full_name(o, i, shape->string), NULL)) {
                add_open(o, i, dims_of_record(o, shape));
            }
        }
    }
}

/* ---- names ---- */

/* The module of the longest prefix of a name that is a path. The root owns only names in its
 * record.
 */
static struct holder find_holder(const struct oracle *o, const char *name)
{
    const char *end = name + strlen(name);
    bool is_ancestor = false;
    for (const char *dot = memrchr(name, '.', (size_t)(end - name)); dot;
         dot = memrchr(name, '.', (size_t)(dot - name))) {
        struct holder holder = {.is_ancestor = is_ancestor};
        if (dot > name && htp_places_find(o->m, (htp_slice){name, (size_t)(dot - name)},
                                          &holder.module, &holder.ran)) {
            return holder;
        }
        is_ancestor = true;
    }
    bool is_root = !strchr(name, '.') && htp_map_get(&o->recorded, name, NULL);
    return (struct holder){.module = is_root ? 0 : HTP_NONE, .ran = HTP_NONE};
}

/* Whether an initializer has the rank that records give a parameter. */
static bool has_rank_of(const struct oracle *o, uint32_t tensor, const char *parameter)
{
    uint32_t rank = 0;
    return htp_map_get(&o->ranks, parameter, &rank) &&
           rank == o->m->subject->view->tensors.items[tensor].dims.count;
}

/* The owner of an initializer's sources: the first source decides. Files of other tools have none;
 * NAME.T may mean NAME there. */
static struct holder find_made_of(const struct oracle *o, uint32_t tensor, htp_map *names)
{
    const htp_view *view = o->m->subject->view;
    const char *name = htp_view_text(view, view->tensors.items[tensor].name);
    const htp_made_of made_of = htp_tree_made_of(o->m->subject->tree, view, tensor);
    for (size_t i = 0; i < made_of.count; i++) {
        htp_map_set(o->m->arena, names, made_of.names[i], tensor);
    }
    if (made_of.count > 0) {
        struct holder source = find_holder(o, made_of.names[0]);
        source.is_value = made_of.is_computed && !has_rank_of(o, tensor, made_of.names[0]);
        return source;
    }
    struct holder holder = find_holder(o, name);
    size_t length = strlen(name);
    bool is_direct = holder.module != HTP_NONE && !holder.is_ancestor;
    if (is_direct || length < 3 || strcmp(name + length - 2, ".T") != 0) {
        return holder;
    }
    const char *stored = htp_arena_printf(o->m->arena, "%.*s", (int)(length - 2), name);
    struct holder other = find_holder(o, stored);
    if (other.module == HTP_NONE) {
        return holder;
    }
    htp_map_set(o->m->arena, names, stored, tensor);
    return other;
}

/* Whether a tensor has one element. */
static bool is_single(const htp_view *view, const htp_view_tensor *tensor)
{
    for (uint32_t i = 0; i < tensor->dims.count; i++) {
        if (view->dims.items[tensor->dims.first + i] != 1) {
            return false;
        }
    }
    return true;
}

/* Whether a tensor may be a scale or zero point of a quantised weight. */
static bool is_scale(const struct oracle *o, uint32_t tensor)
{
    const htp_view *view = o->m->subject->view;
    const htp_view_tensor *facts = &view->tensors.items[tensor];
    return is_single(view, facts) && o->m->subject->tree->has_records &&
           htp_tree_made_of(o->m->subject->tree, view, tensor).count == 0 &&
           !htp_map_get(&o->recorded, htp_view_text(view, facts->name), NULL);
}

/* Whether a tensor is an integer, which may be a size of a tensor that the owner passed on. */
static bool is_number(const htp_view *view, const htp_view_tensor *tensor)
{
    htp_dtype dtype;
    return is_single(view, tensor) && htp_dtype_of_onnx(tensor->data_type, &dtype) &&
           htp_dtype_is_integer(dtype);
}

static void find_holders(struct oracle *o)
{
    const htp_view *view = o->m->subject->view;
    htp_map names = {0};
    note_recorded(o);
    for (uint32_t t = 0; t < view->tensors.count; t++) {
        const htp_view_tensor *tensor = &view->tensors.items[t];
        o->holders[t].module = HTP_NONE;
        if (tensor->attribute == HTP_NONE && tensor->name && !is_scale(o, t)) {
            const char *name = htp_view_text(view, tensor->name);
            htp_map_set(o->m->arena, &names, name, t);
            o->holders[t] = find_made_of(o, t, &names);
            o->holders[t].is_value = o->holders[t].is_value || is_number(view, tensor);
        }
    }
    if (o->m->subject->has_paths) {
        read_records(o, &names);
    }
}

/* ---- judging ---- */

/* Whether a module calls one that it does not hold: the node's chain of calls, "path: Class/path:
 * Class/operation: target", ends in the owner of the weight, and the node has the tag of the
 * deepest tagged module in the chain. */
static bool is_called_elsewhere(const struct oracle *o, uint32_t node, uint32_t holder)
{
    const htp_subject *s = o->m->subject;
    const htp_view_property *chain =
        htp_view_find_property(s->view, s->view->nodes.items[node].properties, o->chain_key);
    const char *at = chain ? (const char *)chain->value.at : "";
    size_t left = chain ? chain->value.bytes : 0;
    uint32_t tagged = HTP_NONE;
    uint32_t last = HTP_NONE;
    for (const char *slash = memchr(at, '/', left); slash; slash = memchr(at, '/', left)) {
        const char *colon = memmem(at, (size_t)(slash - at), ": ", 2);
        if (!colon || !htp_subject_find_path(s, (htp_slice){at, (size_t)(colon - at)}, &last)) {
            return false;
        }
        tagged = s->tree->modules[last].has_tag ? last : tagged;
        left -= (size_t)(slash - at) + 1;
        at = slash + 1;
    }
    return last == holder && tagged != HTP_NONE && tagged == s->module_of[node];
}

static bool may_read(const struct oracle *o, uint32_t node, uint32_t tensor)
{
    const htp_subject *s = o->m->subject;
    const htp_aliases *aliases = &o->m->aliases;
    for (uint32_t i = aliases->first[o->holders[tensor].module]; i != HTP_NONE;
         i = aliases->list.items[i].next) {
        if (htp_subject_is_tagged_above(s, node, aliases->list.items[i].module)) {
            return true;
        }
    }
    if (is_called_elsewhere(o, node, o->holders[tensor].module)) {
        return true;
    }
    htp_view_range tags = s->tree->places[node].tags;
    htp_digest dims = dims_of_tensor(o, &s->view->tensors.items[tensor]);
    for (uint32_t i = tags.first; i < tags.first + tags.count; i++) {
        const struct open_key key = {dims, s->tree->owners.items[i]};
        if (htp_map_get_bytes(&o->open, &key, sizeof(key), NULL)) {
            return true;
        }
    }
    return false;
}

/* @param module  the owner, under the name that the node's tag uses */
static verdict judge_read(const struct oracle *o, uint32_t node, uint32_t tensor, uint32_t *module)
{
    const htp_subject *s = o->m->subject;
    struct holder holder = o->holders[tensor];
    htp_place place = {holder.module, true};
    bool is_right = holder.ran != HTP_NONE ? htp_places_find_node(o->m, node, holder.ran, &place)
                                           : htp_subject_is_tagged_above(s, node, holder.module);
    *module = place.module == HTP_NONE ? HTP_NONE : s->eligible[place.module];
    if (is_right) {
        return VERDICT_RIGHT;
    }
    if (holder.is_value ||
        (holder.is_ancestor && htp_subject_is_above(s, holder.module, s->module_of[node]))) {
        return VERDICT_UNKNOWN;
    }
    if (o->m->aliases.names[holder.module] > HTP_QUALITY_MAX_NAMES ||
        (holder.ran != HTP_NONE && htp_places_are_many(o->m, holder.ran))) {
        return VERDICT_UNKNOWN;
    }
    return may_read(o, node, tensor) ? VERDICT_RIGHT : VERDICT_WRONG;
}

/* Notes the module of a node that reads a weight with one owner. */
static void note_truth(struct oracle *o, uint32_t node, uint32_t module, verdict found)
{
    uint32_t *truth = &o->m->truth[HTP_ORACLE_WEIGHTS][node];
    bool is_own = *truth == HTP_NONE && module != HTP_NONE &&
                  htp_subject_is_tagged_above(o->m->subject, node, module);
    if (is_own || found == VERDICT_WRONG) {
        *truth = module;
    }
}

/* Judges a node and its weights by its reads. */
static void judge_node(struct oracle *o, uint32_t node, uint8_t *verdicts)
{
    const htp_view *view = o->m->subject->view;
    htp_view_range inputs = view->nodes.items[node].inputs;
    for (uint32_t i = inputs.first; i < inputs.first + inputs.count; i++) {
        uint32_t value = view->operands.items[i];
        uint32_t tensor = value == HTP_NONE ? HTP_NONE : view->values.items[value].initializer;
        if (tensor == HTP_NONE || o->holders[tensor].module == HTP_NONE) {
            continue;
        }
        uint32_t module;
        verdict found = judge_read(o, node, tensor, &module);
        if (found == VERDICT_UNKNOWN) {
            continue;
        }
        note_truth(o, node, module, found);
        htp_judge(o->m, node, HTP_METRIC_CONTAMINATION_WEIGHTS, found == VERDICT_WRONG);
        verdicts[tensor] = found > verdicts[tensor] ? (uint8_t)found : verdicts[tensor];
    }
}

static const char *find_reason(const struct oracle *o, bool has_holders)
{
    const htp_subject *s = o->m->subject;
    return s->tree->untagged == s->tree->nodes ? "no node has a tag"
           : !s->has_paths && !o->m->reference ? "the file has no paths of modules"
           : !has_holders                      ? "no initializer is named after its module"
                          : "no node with a tag reads a weight that a module is known to hold";
}

void htp_judge_weights(htp_measuring *m)
{
    const htp_subject *s = m->subject;
    size_t tensors = s->view->tensors.count;
    struct oracle o = {
        .m = m,
        .holders = HTP_NEW_ARRAY(m->arena, struct holder, tensors + 1),
        .chain_key = htp_view_find_name(s->view, "namespace"),
        .seed = htp_digest_seed(),
    };
    uint8_t *verdicts = HTP_NEW_ARRAY(m->arena, uint8_t, tensors + 1);
    find_holders(&o);
    for (uint32_t n = 0; n < s->node_count; n++) {
        if (s->module_of[n] != HTP_NONE) {
            judge_node(&o, n, verdicts);
        }
    }
    bool has_holders = false;
    for (size_t t = 0; t < tensors; t++) {
        has_holders = has_holders || o.holders[t].module != HTP_NONE;
        if (verdicts[t] != VERDICT_UNKNOWN) {
            htp_count(m, HTP_METRIC_WEIGHTS, s->eligible[o.holders[t].module],
                      verdicts[t] == VERDICT_RIGHT);
        }
    }
    if (m->quality->measures.of[HTP_METRIC_WEIGHTS].of == 0) {
        const char *reason = find_reason(&o, has_holders);
        htp_give_up(m, HTP_METRIC_WEIGHTS, reason);
        htp_give_up(m, HTP_METRIC_CONTAMINATION_WEIGHTS, reason);
    }
}
