/*
 * Messages of protobuf changed as trees of fields: a field is a key, and a number or bytes. Bytes
 * that are a message themselves have fields, too.
 */
#include "mutators.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 1 << 13, MOST_DEPTH = 16, NONE = 0 };
enum { VARINT = 0, FIXED_64 = 1, BYTES = 2, FIXED_32 = 5 };

struct field {
    uint64_t key;
    const uint8_t *at; /* without key and length */
    size_t size;       /* of these bytes; with fields, as they are now */
    uint32_t parent;
    uint32_t first; /* of its fields; NONE: it is written as bytes */
    uint32_t next;
};

/* Field 0 is the whole. */
struct tree {
    struct field fields[MOST_FIELDS];
    uint32_t count;
    uint32_t chance;
};

static uint32_t draw(struct tree *tree, uint32_t end)
{
    return fuzz_draw(&tree->chance, end);
}

/* ---- reading ---- */

static bool read_varint(const uint8_t **at, const uint8_t *end, uint64_t *number)
{
    *number = 0;
    for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
        const uint8_t byte = *(*at)++;
        *number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            return true;
        }
    }
    return false;
}

static bool read_field(const uint8_t **at, const uint8_t *end, struct field *field)
{
    uint64_t size = 0;
    if (!read_varint(at, end, &field->key) || field->key >> 3 == 0 || field->key >> 14 > 0) {
        return false;
    }
    field->at = *at;
    switch (field->key & 7) {
    case VARINT: {
        uint64_t number;
        bool is_read = read_varint(at, end, &number);
        field->size = (size_t)(*at - field->at);
        return is_read;
    }
    case BYTES:
        if (!read_varint(at, end, &size)) {
            return false;
        }
        field->at = *at;
        break;
    case FIXED_64:
        size = 8;
        break;
    case FIXED_32:
        size = 4;
        break;
    default:
        return false;
    }
    if (size > (uint64_t)(end - *at)) {
        return false;
    }
    field->size = (size_t)size;
    *at += size;
    return true;
}

static void read_message(struct tree *tree, uint32_t message, int depth)
{
    const uint8_t *at = tree->fields[message].at;
    const uint8_t *end = at + tree->fields[message].size;
    const uint32_t first = tree->count;
    uint32_t last = NONE;
    bool is_message = at < end && depth < MOST_DEPTH;
    while (is_message && at < end) {
        struct field field = {.parent = message};
        is_message = tree->count < MOST_FIELDS && read_field(&at, end, &field);
        if (is_message) {
            const uint32_t number = tree->count++;
            tree->fields[number] = field;
            tree->fields[last == NONE ? number : last].next = last == NONE ? NONE : number;
            last = number;
            if ((field.key & 7) == BYTES) {
                read_message(tree, number, depth + 1);
            }
        }
    }
    tree->fields[message].first = is_message ? first : NONE;
    tree->count = is_message ? tree->count : first;
}

static bool read_tree(struct tree *tree, const uint8_t *data, size_t size, uint32_t seed)
{
    tree->fields[0] = (struct field){.key = BYTES, .at = data, .size = size};
    tree->count = 1;
    tree->chance = seed;
    read_message(tree, 0, 0);
    return tree->fields[0].first != NONE;
}

/* ---- writing ---- */

static size_t varint_size(uint64_t number)
{
    size_t size = 1;
    for (; number >= 128; number >>= 7) {
        size++;
    }
    return size;
}

static uint8_t *put_varint(uint8_t *out, uint64_t number)
{
    for (; number >= 128; number >>= 7) {
        *out++ = (uint8_t)(number | 128);
    }
    *out++ = (uint8_t)number;
    return out;
}

static size_t whole_size(const struct field *field)
{
    const bool has_length = (field->key & 7) == BYTES;
    return varint_size(field->key) + (has_length ? varint_size(field->size) : 0) + field->size;
}

static void measure(struct tree *tree, uint32_t number)
{
    struct field *field = &tree->fields[number];
    if (field->first != NONE) {
        field->size = 0;
        for (uint32_t i = field->first; i != NONE; i = tree->fields[i].next) {
            measure(tree, i);
            field->size += whole_size(&tree->fields[i]);
        }
    }
}

static uint8_t *put_content(const struct tree *tree, uint32_t number, uint8_t *out)
{
    const struct field *field = &tree->fields[number];
    if (field->first == NONE) {
        if (field->size > 0) {
            memcpy(out, field->at, field->size);
        }
        return out + field->size;
    }
    for (uint32_t i = field->first; i != NONE; i = tree->fields[i].next) {
        out = put_varint(out, tree->fields[i].key);
        if ((tree->fields[i].key & 7) == BYTES) {
            out = put_varint(out, tree->fields[i].size);
        }
        out = put_content(tree, i, out);
    }
    return out;
}

/* Fields lie in the old bytes, which @p out may be. */
static size_t write_tree(struct tree *tree, uint8_t *out, size_t most)
{
    measure(tree, 0);
    const size_t size = tree->fields[0].size;
    uint8_t *bytes = size > 0 && size <= most ? malloc(size) : NULL;
    if (!bytes) {
        return 0;
    }
    (void)put_content(tree, 0, bytes);
    memcpy(out, bytes, size);
    free(bytes);
    return size;
}

/* ---- changes ---- */

/* The place that leads to a field. */
static uint32_t *link_of(struct tree *tree, uint32_t number)
{
    uint32_t *place = &tree->fields[tree->fields[number].parent].first;
    while (*place != number) {
        place = &tree->fields[*place].next;
    }
    return place;
}

static void remove_field(struct tree *tree, uint32_t number)
{
    *link_of(tree, number) = tree->fields[number].next;
}

/* Puts a copy of a field's bytes before another one. */
static void insert_copy(struct tree *tree, const struct field *copied, uint32_t before)
{
    if (tree->count < MOST_FIELDS) {
        const uint32_t number = tree->count++;
        tree->fields[number] = *copied;
        tree->fields[number].first = NONE;
        tree->fields[number].parent = tree->fields[before].parent;
        tree->fields[number].next = before;
        *link_of(tree, before) = number;
    }
}

/* A field gets the bytes of another one, and its key unless both have bytes. */
static void replace_by(struct field *field, const struct field *by)
{
    const bool are_bytes = (field->key & 7) == BYTES && (by->key & 7) == BYTES;
    field->key = are_bytes ? field->key : by->key;
    field->at = by->at;
    field->size = by->size;
    field->first = NONE;
}

static void replace_number(struct tree *tree, struct field *field)
{
    static const uint64_t numbers[] = {0,
                                       1,
                                       2,
                                       3,
                                       7,
                                       8,
                                       10,
                                       16,
                                       17,
                                       255,
                                       65536,
                                       INT32_MAX,
                                       UINT32_MAX,
                                       (uint64_t)INT64_MAX,
                                       (uint64_t)INT64_MIN,
                                       (uint64_t)-1,
                                       (uint64_t)-2};
    static uint8_t bytes[10];
    uint64_t number;
    const uint8_t *at = field->at;
    (void)read_varint(&at, field->at + field->size, &number);
    number = draw(tree, 2) ? number + draw(tree, 5) - 2
                           : numbers[draw(tree, sizeof(numbers) / sizeof(*numbers))];
    field->size = (size_t)(put_varint(bytes, number) - bytes);
    field->at = bytes;
}

static void replace_bytes(struct field *field)
{
    static uint8_t bytes[512];
    if (field->size < sizeof(bytes)) {
        memcpy(bytes, field->at, field->size);
        field->size = LLVMFuzzerMutate(bytes, field->size, sizeof(bytes));
        field->at = bytes;
        field->first = NONE;
    }
}

static uint32_t draw_field(struct tree *tree)
{
    return 1 + draw(tree, tree->count - 1);
}

static void change(struct tree *tree)
{
    const uint32_t number = draw_field(tree);
    const struct field other = tree->fields[draw_field(tree)];
    struct field *field = &tree->fields[number];
    switch (draw(tree, 8)) {
    case 0:
        remove_field(tree, number);
        break;
    case 1:
        insert_copy(tree, field, number);
        break;
    case 2:
        insert_copy(tree, &other, number);
        break;
    case 3:
        replace_by(field, &other);
        break;
    case 4:
        field->key = (field->key & 7) | (uint64_t)(1 + draw(tree, 24)) << 3;
        break;
    default:
        for (uint32_t i = 0; i < 16 && field->first != NONE; i++) {
            field = &tree->fields[draw_field(tree)];
        }
        if ((field->key & 7) == VARINT) {
            replace_number(tree, field);
        } else {
            replace_bytes(field);
        }
    }
}

size_t fuzz_wire_mutate(uint8_t *data, size_t size, size_t most, uint32_t seed)
{
    static struct tree tree;
    if (!read_tree(&tree, data, size, seed)) {
        return 0;
    }
    change(&tree);
    return write_tree(&tree, data, most);
}

/* At best the field has the same number. */
size_t fuzz_wire_cross(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size,
                       uint8_t *out, size_t most, uint32_t seed)
{
    static struct tree tree;
    static struct tree from;
    if (!read_tree(&tree, data, size, seed) || !read_tree(&from, other, other_size, seed)) {
        return 0;
    }
    const uint32_t number = draw_field(&tree);
    const struct field *by = &from.fields[1 + draw(&tree, from.count - 1)];
    for (uint32_t i = 0; i < 32 && by->key != tree.fields[number].key; i++) {
        by = &from.fields[1 + draw(&tree, from.count - 1)];
    }
    if (draw(&tree, 2) == 0) {
        insert_copy(&tree, by, number);
    } else {
        replace_by(&tree.fields[number], by);
    }
    return write_tree(&tree, out, most);
}
