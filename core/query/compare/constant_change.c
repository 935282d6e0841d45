#include "query/compare/constant_change.h"

#include "base/input_file.h"
#include "onnx/proto/tensor_type.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum {
    BLOCK = 1024, /* elements at a time */
    WIDEST = 8,   /* bytes of one */
    TENSOR_FLOAT_DATA = 4,
    TENSOR_RAW_DATA = 9,
    TENSOR_DOUBLE_DATA = 10,
};

/* ---- elements ---- */

/* The elements of a tensor: in the file, or in an open data file. */
struct source {
    const htp_view_tensor *tensor;
    htp_input_file file;
};

/* Nothing is allocated until close_source(). */
static bool open_source(const htp_view *view, uint32_t tensor, struct source *source)
{
    uint32_t number = 0;
    *source = (struct source){.tensor = &view->tensors.items[tensor]};
    if (!source->tensor->location) {
        uint32_t field = source->tensor->data_field;
        return field == TENSOR_RAW_DATA || field == TENSOR_FLOAT_DATA ||
               field == TENSOR_DOUBLE_DATA;
    }
    if (!htp_map_get(&view->data_numbers, htp_view_text(view, source->tensor->location), &number)) {
        return false;
    }
    htp_status status = htp_input_file_open(&source->file, view->data_files.items[number].path);
    bool is_open = !status;
    htp_status_free(status);
    return is_open;
}

static void close_source(struct source *source)
{
    htp_input_file_close(&source->file);
}

static bool read_source(const struct source *source, uint64_t at, size_t bytes, unsigned char *into)
{
    const htp_view_tensor *tensor = source->tensor;
    if (!tensor->location) {
        bool is_there = at + bytes <= tensor->data.bytes;
        memcpy(into, tensor->data.at + (is_there ? at : 0), is_there ? bytes : 0);
        return is_there;
    }
    for (size_t done = 0; done < bytes;) {
        ssize_t got =
            pread(source->file.fd, into + done, bytes - done, (off_t)(tensor->offset + at + done));
        if (got <= 0 && !(got < 0 && errno == EINTR)) {
            return false;
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* ---- pairs of tensors ---- */

static bool are_alike(const htp_fingerprint fingerprints[2], const uint32_t tensors[2])
{
    const htp_view_tensor *a = &fingerprints[0].view->tensors.items[tensors[0]];
    const htp_view_tensor *b = &fingerprints[1].view->tensors.items[tensors[1]];
    return htp_digest_equals(fingerprints[0].tensors[tensors[0]].type,
                             fingerprints[1].tensors[tensors[1]].type) &&
           htp_elements_are_numbers(a->data_type) && !a->sparse.at && !b->sparse.at;
}

static void add_block(const double *a, const double *b, size_t count, htp_constant_change *change,
                      double *scale)
{
    for (size_t i = 0; i < count; i++) {
        bool is_same = a[i] == b[i] || (isnan(a[i]) && isnan(b[i]));
        double apart = is_same ? 0 : fabs(a[i] - b[i]);
        apart = isnan(apart) ? (double)INFINITY : apart;
        change->largest = apart > change->largest ? apart : change->largest;
        *scale = isfinite(a[i]) && fabs(a[i]) > *scale ? fabs(a[i]) : *scale;
    }
}

static htp_constant_change measure(struct source sources[2])
{
    static _Thread_local unsigned char bytes[BLOCK * WIDEST];
    static _Thread_local double numbers[2][BLOCK];
    int32_t data_type = sources[0].tensor->data_type;
    size_t width = htp_tensor_type_bits(data_type) / 8;
    uint64_t count = sources[0].tensor->bytes / width;
    htp_constant_change change = {.is_known = sources[0].tensor->bytes == sources[1].tensor->bytes};
    double scale = 0;
    for (uint64_t at = 0; at < count && change.is_known; at += BLOCK) {
        size_t now = count - at < BLOCK ? (size_t)(count - at) : BLOCK;
        for (int m = 0; m < 2 && change.is_known; m++) {
            change.is_known = read_source(&sources[m], at * width, now * width, bytes);
            htp_elements_read(data_type, bytes, now, numbers[m]);
        }
        add_block(numbers[0], numbers[1], now, &change, &scale);
    }
    change.relative = scale > 0 ? change.largest / scale : (double)INFINITY;
    return change;
}

static htp_constant_change measure_tensors(const htp_fingerprint fingerprints[2],
                                           const uint32_t tensors[2])
{
    struct source sources[2];
    htp_constant_change change = {0};
    if (!are_alike(fingerprints, tensors)) {
        return change;
    }
    bool is_open[2];
    for (int m = 0; m < 2; m++) {
        is_open[m] = open_source(fingerprints[m].view, tensors[m], &sources[m]);
    }
    if (is_open[0] && is_open[1]) {
        change = measure(sources);
    }
    close_source(&sources[0]);
    close_source(&sources[1]);
    return change;
}

static htp_constant_change find_pair(htp_arena *arena, htp_constant_changes *changes,
                                     const htp_fingerprint fingerprints[2],
                                     const uint32_t tensors[2])
{
    uint32_t place = (uint32_t)changes->items.count;
    if (htp_map_add_bytes(arena, &changes->known, tensors, 2 * sizeof(*tensors), &place)) {
        HTP_PUSH(arena, &changes->items, measure_tensors(fingerprints, tensors));
    }
    return changes->items.items[place];
}

/* ---- operands ---- */

/* The tensor of a constant operand; HTP_NONE: it is no constant, or has no tensor. */
static uint32_t find_tensor(const htp_fingerprint *fingerprint, uint32_t value)
{
    const htp_view *view = fingerprint->view;
    if (value == HTP_NONE) {
        return HTP_NONE;
    }
    const htp_view_value *made = &view->values.items[value];
    if (made->maker != HTP_VIEW_BY_NODE || !fingerprint->is_constant[made->node]) {
        return made->initializer;
    }
    htp_view_range attributes = view->nodes.items[made->node].attributes;
    for (uint32_t i = 0; i < attributes.count; i++) {
        const htp_view_attribute *attribute = &view->attributes.items[attributes.first + i];
        if (attribute->kind == HTP_VIEW_TENSOR && attribute->tensors.count == 1) {
            return attribute->tensors.first;
        }
    }
    return HTP_NONE;
}

htp_constant_change htp_constant_change_find(htp_arena *arena, htp_constant_changes *changes,
                                             const htp_fingerprint fingerprints[2], uint32_t a,
                                             uint32_t b)
{
    const uint32_t nodes[2] = {a, b};
    htp_view_range inputs[2];
    htp_constant_change worst = {0};
    for (int m = 0; m < 2; m++) {
        inputs[m] = fingerprints[m].view->nodes.items[nodes[m]].inputs;
    }
    for (uint32_t i = 0; i < inputs[0].count && i < inputs[1].count; i++) {
        uint32_t tensors[2];
        for (int m = 0; m < 2; m++) {
            const htp_view *view = fingerprints[m].view;
            tensors[m] = find_tensor(&fingerprints[m], view->operands.items[inputs[m].first + i]);
        }
        bool are_constant = tensors[0] != HTP_NONE && tensors[1] != HTP_NONE;
        if (are_constant && !htp_digest_equals(fingerprints[0].tensors[tensors[0]].value,
                                               fingerprints[1].tensors[tensors[1]].value)) {
            htp_constant_change change = find_pair(arena, changes, fingerprints, tensors);
            bool is_worse =
                change.is_known && (!worst.is_known || change.relative > worst.relative);
            worst = is_worse ? change : worst;
        }
    }
    return worst;
}
