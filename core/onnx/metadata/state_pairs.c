#include "onnx/metadata/state_pairs.h"

#include "base/json/json.h"
#include "base/json/json_items.h"
#include "base/map.h"

#include <cjson/cJSON.h>
#include <string.h>

htp_state_pairs htp_state_pairs_of(htp_arena *arena, const htp_builder *model)
{
    htp_state_pairs pairs = {0};
    for (size_t i = 0; i < model->states.count; i++) {
        const htp_builder_state *state = &model->states.items[i];
        htp_state_pair pair = {.attribute = state->attribute,
                               .input = model->tensors.items[state->input].name,
                               .output = model->tensors.items[state->output].name,
                               .first = state->number,
                               .rank = state->rank,
                               .dims = state->dims};
        HTP_PUSH(arena, &pairs, pair);
    }
    return pairs;
}

/* ---- writing ---- */

/* Whether a number is NaN or infinity, which JSON lacks. */
static bool is_word(const char *first)
{
    return strcmp(first, "nan") == 0 || strcmp(first, "inf") == 0 || strcmp(first, "-inf") == 0;
}

const char *htp_state_pairs_json(htp_arena *arena, const htp_state_pairs *pairs)
{
    htp_json json = {.text.arena = arena};
    htp_json_begin(&json, NULL, '[');
    for (size_t i = 0; i < pairs->count; i++) {
        const htp_state_pair *pair = &pairs->items[i];
        htp_json_begin(&json, NULL, '{');
        htp_json_string(&json, "attribute", pair->attribute);
        htp_json_string(&json, "input", pair->input);
        htp_json_string(&json, "output", pair->output);
        htp_json_begin(&json, "dims", '[');
        for (uint32_t dim = 0; dim < pair->rank; dim++) {
            htp_json_number(&json, NULL, pair->dims[dim]);
        }
        htp_json_end(&json, ']');
        if (!pair->first) {
            htp_json_null(&json, "first");
        } else if (is_word(pair->first)) {
            htp_json_string(&json, "first", pair->first);
        } else {
            htp_json_raw(&json, "first", pair->first);
        }
        htp_json_end(&json, '}');
    }
    htp_json_end(&json, ']');
    return htp_text_string(&json.text);
}

const char *htp_state_pair_first_text(htp_arena *arena, const htp_state_pair *pair)
{
    for (uint32_t dim = 0; dim < pair->rank; dim++) {
        if (pair->dims[dim] == 0) {
            return "empty";
        }
    }
    if (!pair->first || pair->rank == 0) {
        return pair->first ? pair->first : "as saved";
    }
    if (strcmp(pair->first, "0") == 0) {
        return "zeros";
    }
    if (strcmp(pair->first, "1") == 0) {
        return "ones";
    }
    return htp_arena_printf(arena, "all %s", pair->first);
}

/* ---- reading ---- */

static const char *text_of(htp_arena *arena, const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? htp_arena_strdup(arena, item->valuestring) : NULL;
}

/* The text of a first value as we write it; anything else counts as differing elements. */
static const char *first_of(htp_arena *arena, const cJSON *object)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, "first");
    if (cJSON_IsString(item) && is_word(item->valuestring)) {
        return htp_arena_strdup(arena, item->valuestring);
    }
    if (cJSON_IsBool(item)) {
        return cJSON_IsTrue(item) ? "true" : "false";
    }
    return cJSON_IsNumber(item) ? htp_arena_printf(arena, "%.17g", item->valuedouble) : NULL;
}

static void read_dims(htp_arena *arena, const cJSON *object, htp_state_pair *pair)
{
    const cJSON *dims = cJSON_GetObjectItemCaseSensitive(object, "dims");
    int count = cJSON_GetArraySize(dims);
    int64_t *sizes = HTP_NEW_ARRAY(arena, int64_t, (size_t)count + 1);
    const cJSON *dim;
    cJSON_ArrayForEach(dim, dims)
    {
        bool is_size = cJSON_IsNumber(dim) && dim->valuedouble >= 0 && dim->valuedouble < 0x1p53;
        sizes[pair->rank++] = is_size ? (int64_t)dim->valuedouble : 1;
    }
    pair->dims = sizes;
}

/* Names of the file's inputs or outputs. */
static htp_map names_of(htp_arena *arena, const htp_view *view, htp_view_range values)
{
    htp_map names = {0};
    for (uint32_t i = values.first; i < values.first + values.count; i++) {
        uint32_t value = view->operands.items[i];
        htp_map_set(arena, &names, htp_view_text(view, view->values.items[value].name), i);
    }
    return names;
}

htp_state_pairs htp_state_pairs_read(htp_arena *arena, const htp_view *view)
{
    htp_state_pairs pairs = {0};
    const htp_view_property *property =
        htp_view_find_property(view, view->properties, htp_view_find_name(view, HTP_STATES_KEY));
    if (!property) {
        return pairs;
    }
    const htp_map inputs = names_of(arena, view, view->graphs.items[0].inputs);
    const htp_map outputs = names_of(arena, view, view->graphs.items[0].outputs);
    htp_json_items items;
    htp_json_items_begin(&items, arena, (const char *)property->value.at, property->value.bytes);
    while (htp_json_items_next(&items)) {
        htp_state_pair pair = {.attribute = text_of(arena, items.item, "attribute"),
                               .input = text_of(arena, items.item, "input"),
                               .output = text_of(arena, items.item, "output"),
                               .first = first_of(arena, items.item)};
        read_dims(arena, items.item, &pair);
        if (pair.attribute && pair.input && pair.output && htp_map_get(&inputs, pair.input, NULL) &&
            htp_map_get(&outputs, pair.output, NULL)) {
            HTP_PUSH(arena, &pairs, pair);
        }
    }
    htp_json_items_end(&items);
    return pairs;
}
