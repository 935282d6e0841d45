/*
 * JSON documents changed as trees.
 */
#include "mutators.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <string.h>

/* Values of a document, in the order of a walk. */
enum { MOST_VALUES = 1 << 14 };

struct values {
    cJSON *items[MOST_VALUES];
    uint32_t count;
    uint32_t chance;
};

static uint32_t draw(struct values *values, uint32_t end)
{
    return fuzz_draw(&values->chance, end);
}

/* cJSON bounds the depth. */
static void collect(struct values *values, cJSON *value)
{
    for (; value && values->count < MOST_VALUES; value = value->next) {
        values->items[values->count++] = value;
        collect(values, value->child);
    }
}

static cJSON *read_document(struct values *values, const uint8_t *data, size_t size, uint32_t seed)
{
    bool may_be = size > 1 && (*data == '{' || *data == '[');
    cJSON *root = may_be ? cJSON_ParseWithLength((const char *)data, size) : NULL;
    values->count = 0;
    values->chance = seed;
    collect(values, root);
    return root;
}

static size_t write_document(cJSON *root, uint8_t *out, size_t most)
{
    bool is_written = cJSON_PrintPreallocated(root, (char *)out, (int)most, false) != 0;
    cJSON_Delete(root);
    return is_written ? strlen((const char *)out) : 0;
}

/* Puts @p by, which is taken over, where @p value is. The name of a member stays. */
static void replace(cJSON *value, cJSON *by)
{
    if (!by) {
        return;
    }
    cJSON was = *value;
    char *name = by->string;
    *value = *by;
    value->next = was.next;
    value->prev = was.prev;
    value->string = was.string;
    *by = was;
    by->next = NULL;
    by->prev = NULL;
    by->string = name;
    cJSON_Delete(by);
}

static void replace_text(struct values *values, cJSON *value)
{
    char text[256];
    size_t size = strlen(value->valuestring);
    if (draw(values, 2) == 0 || size >= sizeof(text)) {
        cJSON *other = values->items[draw(values, values->count)];
        const char *name = cJSON_IsString(other) ? other->valuestring : other->string;
        replace(value, name ? cJSON_CreateString(name) : NULL);
        return;
    }
    memcpy(text, value->valuestring, size);
    text[LLVMFuzzerMutate((uint8_t *)text, size, sizeof(text) - 1)] = '\0';
    replace(value, cJSON_CreateString(text));
}

static void replace_scalar(struct values *values, cJSON *value)
{
    static const double numbers[] = {
        0,    1,          2,          3,     4,  5,  6,   7,   8,    -1,    -2,           0.5,
        1e18, 2147483647, 4294967296, 1e300, 64, 63, -64, 255, 1024, 65536, 1099511627776};
    enum { NUMBERS = sizeof(numbers) / sizeof(*numbers) };
    if (cJSON_IsString(value)) {
        replace_text(values, value);
    } else if (cJSON_IsNumber(value)) {
        const double near = value->valuedouble + draw(values, 5) - 2;
        replace(value, cJSON_CreateNumber(draw(values, 2) ? numbers[draw(values, NUMBERS)] : near));
    } else if (cJSON_IsBool(value)) {
        replace(value, cJSON_CreateBool(cJSON_IsFalse(value)));
    }
}

/* A value of the document's own is copied, removed, put elsewhere or changed. */
static void change(struct values *values)
{
    cJSON *value = values->items[draw(values, values->count)];
    cJSON *other = values->items[draw(values, values->count)];
    switch (draw(values, 8)) {
    case 0: {
        cJSON *copy = value->child ? cJSON_Duplicate(value->child, true) : NULL;
        bool is_taken = copy && cJSON_IsArray(value) &&
                        cJSON_InsertItemInArray(value, (int)draw(values, 8), copy);
        if (!is_taken) {
            cJSON_Delete(copy);
        }
        break;
    }
    case 1: {
        cJSON *child = value->child;
        for (uint32_t i = draw(values, 8); child && i > 0 && child->next; i--) {
            child = child->next;
        }
        cJSON_Delete(child ? cJSON_DetachItemViaPointer(value, child) : NULL);
        break;
    }
    case 2:
        replace(value, cJSON_Duplicate(other, true));
        break;
    case 3:
        replace(value, draw(values, 2) ? cJSON_CreateNull() : cJSON_CreateArray());
        break;
    default:
        for (uint32_t i = 0; i < 16 && value->child; i++) {
            value = values->items[draw(values, values->count)];
        }
        replace_scalar(values, value);
    }
}

size_t fuzz_json_mutate(uint8_t *data, size_t size, size_t most, uint32_t seed)
{
    static struct values values;
    cJSON *root = read_document(&values, data, size, seed);
    if (!root) {
        return 0;
    }
    /* One change at a time: those after it would meet values that are gone. */
    change(&values);
    return write_document(root, data, most);
}

/* At best the value has the same name. */
size_t fuzz_json_cross(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size,
                       uint8_t *out, size_t most, uint32_t seed)
{
    static struct values values;
    static struct values others;
    cJSON *root = read_document(&values, data, size, seed);
    cJSON *from = root ? read_document(&others, other, other_size, seed) : NULL;
    if (!from) {
        cJSON_Delete(root);
        return 0;
    }
    cJSON *value = values.items[draw(&values, values.count)];
    cJSON *by = others.items[draw(&values, others.count)];
    for (uint32_t i = 0;
         i < 32 && value->string && (!by->string || strcmp(by->string, value->string) != 0); i++) {
        by = others.items[draw(&values, others.count)];
    }
    replace(value, cJSON_Duplicate(by, true));
    cJSON_Delete(from);
    return write_document(root, out, most);
}
