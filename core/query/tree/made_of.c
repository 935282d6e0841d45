#include "query/tree/made_of.h"
#include "base/json/json_parse.h"

#include "onnx/metadata/annotate.h"

#include <cjson/cJSON.h>
#include <string.h>

/* Copies the strings of a JSON array to @p texts, which has room for its bytes. @return their
 * number; 0 if it is not an array of strings */
static size_t read_array(htp_arena *arena, htp_span json, char *texts, const char **names)
{
    size_t count = 0;
    cJSON *list = htp_json_parse(arena, (const char *)json.at, json.bytes);
    for (const cJSON *item = cJSON_IsArray(list) ? list->child : NULL; item; item = item->next) {
        if (cJSON_IsString(item)) {
            size_t length = strlen(item->valuestring) + 1;
            memcpy(texts, item->valuestring, length);
            names[count++] = texts;
            texts += length;
        }
    }
    cJSON_Delete(list);
    return count;
}

htp_made_of htp_made_of_find(const htp_view *view, uint32_t tensor)
{
    const htp_view_range properties = view->tensors.items[tensor].properties;
    const htp_view_property *told =
        htp_view_find_property(view, properties, htp_view_find_name(view, HTP_PARAMETER_KEY));
    if (!told || told->value.bytes == 0) {
        return (htp_made_of){.count = 0};
    }
    size_t bytes = told->value.bytes;
    size_t most = bytes / 3 + 1; /* a name takes two quotes and a comma at least */
    const char **found = HTP_NEW_ARRAY(view->arena, const char *, most);
    char *texts = htp_arena_alloc(view->arena, bytes + 1);
    size_t count = *told->value.at == '[' ? read_array(view->arena, told->value, texts, found) : 0;
    if (count == 0) {
        memcpy(texts, told->value.at, bytes);
        found[count++] = texts;
    }
    const htp_view_property *layout =
        htp_view_find_property(view, properties, htp_view_find_name(view, HTP_LAYOUT_KEY));
    return (htp_made_of){found, count, !layout};
}
