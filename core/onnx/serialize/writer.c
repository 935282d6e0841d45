#include "onnx/serialize/writer.h"

#include "onnx/files/delivery.h"
#include "onnx/serialize/encode.h"
#include "onnx/serialize/payload.h"
#include "onnx/serialize/repeated_bytes.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "ONNX stores little-endian numbers, and weights are written as they lie in memory");

#define NOT_EXTERNAL UINT64_MAX

enum {
    EXTERNAL_ALIGNMENT = 64,
    EXTERNAL_SMALLEST = 1024, /* bytes of an initializer worth external storage */
    STEP = 4 << 20,           /* bytes between two reports of progress */
};

/* State of a write. One pass without a file counts the bytes, then one writes; both run the same
 * code. */
typedef struct htp_writer {
    const htp_builder *model;
    const htp_writer_options *options;
    const char *path;
    htp_external_data external_data; /* the request, then the choice */
    htp_encoder *encoder;
    uint64_t *payloads;      /* bytes, by initializer */
    uint64_t *offsets;       /* in the external file, by initializer, or NOT_EXTERNAL */
    bool *stays;             /* by initializer: its data remain in the source file */
    char location[PATH_MAX]; /* the data file's name in the model */
    uint64_t graph_bytes;
    htp_delivery_sizes sizes;
    htp_output *output; /* NULL: counting */
    uint64_t counted;
    uint64_t done, reported; /* bytes */
    struct timespec begin;
    bool stopped;         /* the caller asked to stop */
    bool is_cut;          /* the source was truncated; its weights must not be read */
    unsigned char *block; /* for non-contiguous payloads */
    uint64_t block_bytes;
    htp_payload payload;
} htp_writer;

/* ---- putting bytes into the file, or only into the count ---- */

static bool may_go_on(const htp_writer *w)
{
    return !w->stopped && !w->is_cut && w->output->failure == 0;
}

static void report_progress(htp_writer *w, uint64_t bytes)
{
    w->done += bytes;
    if (!w->options->progress || w->done - w->reported < STEP) {
        return;
    }
    w->reported = w->done;
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    htp_progress progress = {
        .stage = HTP_STAGE_WRITTEN,
        .done = w->done,
        .total = w->sizes.model_bytes + w->sizes.data_bytes,
        .seconds = (double)(now.tv_sec - w->begin.tv_sec) +
                   (double)(now.tv_nsec - w->begin.tv_nsec) * 1e-9,
        .label = "bytes",
    };
    w->stopped = !w->options->progress(w->options->user, &progress);
}

static void put_message(htp_writer *w, const ProtobufCMessage *message)
{
    if (!w->output) {
        w->counted += protobuf_c_message_get_packed_size(message);
    } else if (may_go_on(w)) {
        report_progress(w, protobuf_c_message_pack_to_buffer(message, &w->output->base));
    }
}

static void put_prefix(htp_writer *w, htp_encoded_field field, uint64_t bytes)
{
    uint8_t prefix[HTP_ENCODE_PREFIX_SIZE];
    size_t size = htp_encode_prefix(field, bytes, prefix);
    if (w->output) {
        htp_output_append(w->output, prefix, size);
    } else {
        w->counted += size;
    }
}

static void put_bytes(htp_writer *w, const unsigned char *bytes, uint64_t count)
{
    for (uint64_t at = 0; at < count && may_go_on(w); at += STEP) {
        size_t step = count - at < STEP ? (size_t)(count - at) : STEP;
        if (w->payload.is_mapped) {
            htp_output_copy(w->output, bytes + at, step);
            htp_input_file_drop(bytes + at, step);
        } else {
            htp_output_append(w->output, bytes + at, step);
        }
        report_progress(w, step);
    }
}

/* The next bytes of the payload. Gathering reads a mapped source, so the file is checked first. A
 * truncation at this very moment cannot be noticed. */
static uint64_t next_bytes(htp_writer *w, const unsigned char **bytes)
{
    if (w->payload.reads_mapped && w->options->source) {
        w->is_cut = w->is_cut || htp_input_file_is_cut(w->options->source);
    }
    return may_go_on(w) ? htp_payload_next(&w->payload, bytes) : 0;
}

static void put_payload(htp_writer *w, uint32_t initializer)
{
    if (!w->output) {
        w->counted += w->payloads[initializer];
        return;
    }
    htp_payload_begin(&w->payload, w->model, &w->model->initializers.items[initializer]);
    w->payload.block = w->block;
    w->payload.block_bytes = w->block_bytes;
    const unsigned char *bytes;
    uint64_t count = next_bytes(w, &bytes);
    while (count > 0) {
        put_bytes(w, bytes, count);
        count = next_bytes(w, &bytes);
    }
}

/* ---- walking the model ---- */

static void put_initializer(htp_writer *w, uint32_t index)
{
    uint64_t bytes = w->payloads[index];
    if (w->offsets[index] != NOT_EXTERNAL) {
        const char *location = w->stays[index] ? w->options->source_location : w->location;
        put_message(w, htp_encode_external(w->encoder, index, location, w->offsets[index], bytes));
        return;
    }
    const ProtobufCMessage *head = htp_encode_tensor_head(w->encoder, index);
    const ProtobufCMessage *tail = htp_encode_tensor_tail(w->encoder, index);
    uint8_t prefix[HTP_ENCODE_PREFIX_SIZE];
    uint64_t prefix_bytes = htp_encode_prefix(HTP_ENCODED_RAW_DATA, bytes, prefix);
    put_prefix(w, HTP_ENCODED_INITIALIZER,
               protobuf_c_message_get_packed_size(head) + prefix_bytes + bytes +
                   protobuf_c_message_get_packed_size(tail));
    put_message(w, head);
    put_prefix(w, HTP_ENCODED_RAW_DATA, bytes);
    put_payload(w, index);
    put_message(w, tail);
}

/* Adds types of node outputs of the main graph, in order. */
static void put_types(htp_writer *w)
{
    const htp_builder *model = w->model;
    for (size_t i = 0; i < model->nodes.count; i++) {
        const htp_onnx_node *node = &model->nodes.items[i];
        for (uint32_t k = 0; k < node->output_count && node->graph == 0; k++) {
            if (htp_encode_has_value_info(model, node->outputs[k])) {
                put_message(w, htp_encode_value_info(w->encoder, node->outputs[k]));
            }
        }
    }
}

static void put_graph(htp_writer *w)
{
    const htp_builder *model = w->model;
    for (size_t i = 0; i < model->nodes.count; i++) {
        if (model->nodes.items[i].graph == 0) {
            put_message(w, htp_encode_node(w->encoder, (uint32_t)i));
        }
    }
    put_message(w, htp_encode_graph_name(w->encoder));
    for (size_t i = 0; i < model->initializers.count; i++) {
        put_initializer(w, (uint32_t)i);
    }
    for (size_t i = 0; i < model->inputs.count; i++) {
        put_message(w, htp_encode_input(w->encoder, model->inputs.items[i]));
    }
    for (size_t i = 0; i < model->outputs.count; i++) {
        put_message(w, htp_encode_output(w->encoder, model->outputs.items[i]));
    }
    put_types(w);
}

static void put_model(htp_writer *w)
{
    put_message(w, htp_encode_model_head(w->encoder));
    put_prefix(w, HTP_ENCODED_GRAPH, w->graph_bytes);
    if (w->output) {
        put_graph(w);
    } else {
        w->counted += w->graph_bytes;
    }
    put_message(w, htp_encode_model_tail(w->encoder));
}

static void put_external(htp_writer *w)
{
    static const unsigned char zeros[EXTERNAL_ALIGNMENT];
    for (size_t i = 0; i < w->model->initializers.count && may_go_on(w); i++) {
        if (w->offsets[i] != NOT_EXTERNAL && !w->stays[i]) {
            htp_output_append(w->output, zeros, (size_t)(w->offsets[i] - w->output->position));
            put_payload(w, (uint32_t)i);
        }
    }
}

/* ---- layout ---- */

static htp_status check_values(const htp_builder *model, const htp_tensor_id *ids, size_t count,
                               const char *what)
{
    for (size_t i = 0; i < count; i++) {
        const htp_tensor *tensor = &model->tensors.items[ids[i]];
        if (!tensor->has_type) {
            return htp_status_make(HTP_CODE_INTERNAL, "%s '%s' has no type", what, tensor->name);
        }
        if (htp_onnx_data_type(tensor->dtype) == 0) {
            return htp_status_make(HTP_CODE_UNSUPPORTED,
                                   "%s '%s' has a dtype that ONNX does not have: convert it in "
                                   "the model's forward()",
                                   what, tensor->name);
        }
    }
    return HTP_OK;
}

static htp_status check_model(htp_writer *w)
{
    const htp_builder *model = w->model;
    HTP_TRY(check_values(model, model->inputs.items, model->inputs.count, "input"));
    HTP_TRY(check_values(model, model->outputs.items, model->outputs.count, "output"));
    uint64_t total = 0;
    for (size_t i = 0; i < model->initializers.count; i++) {
        HTP_TRY(htp_payload_check(model, &model->initializers.items[i], &w->payloads[i]));
        if (w->payloads[i] > INT64_MAX - EXTERNAL_ALIGNMENT - total) {
            return htp_status_make(HTP_CODE_BAD_INPUT,
                                   "the weights are larger than any file can be: the archive is "
                                   "damaged, save the model again");
        }
        total += w->payloads[i] + EXTERNAL_ALIGNMENT;
        uint64_t block = htp_payload_block(model, &model->initializers.items[i]);
        w->block_bytes = block > w->block_bytes ? block : w->block_bytes;
    }
    w->block = htp_arena_alloc(model->arena, (size_t)w->block_bytes);
    return htp_repeated_bytes_check(model);
}

/* Whether an initializer is contiguous in the source, and may stay there. */
static bool find_in_source(htp_writer *w, uint32_t index, uint64_t *offset)
{
    if (!w->options->source_location || w->payloads[index] < EXTERNAL_SMALLEST) {
        return false;
    }
    htp_payload_begin(&w->payload, w->model, &w->model->initializers.items[index]);
    return htp_payload_lies_in_file(&w->payload, offset);
}

/* Assigns offsets to initializers, and counts bytes. */
static void lay_out(htp_writer *w, bool external)
{
    w->sizes = (htp_delivery_sizes){0};
    for (size_t i = 0; i < w->model->initializers.count; i++) {
        w->offsets[i] = NOT_EXTERNAL;
        w->stays[i] = find_in_source(w, (uint32_t)i, &w->offsets[i]);
        if (external && !w->stays[i] && w->payloads[i] >= EXTERNAL_SMALLEST) {
            uint64_t end = w->sizes.data_bytes + EXTERNAL_ALIGNMENT - 1;
            w->offsets[i] = end - end % EXTERNAL_ALIGNMENT;
            w->sizes.data_bytes = w->offsets[i] + w->payloads[i];
        }
    }
    w->counted = 0;
    put_graph(w);
    w->graph_bytes = w->counted;
    w->counted = 0;
    put_model(w);
    w->sizes.model_bytes = w->counted;
}

static htp_status check_size(const htp_writer *w)
{
    if (w->sizes.model_bytes <= HTP_DELIVERY_LARGEST_MODEL) {
        return HTP_OK;
    }
    return htp_status_make(HTP_CODE_CANNOT_WRITE,
                           "cannot write '%s': it would have %llu bytes, and an ONNX file may "
                           "have %llu: %s",
                           w->path, (unsigned long long)w->sizes.model_bytes,
                           (unsigned long long)HTP_DELIVERY_LARGEST_MODEL,
                           w->options->external_data == HTP_EXTERNAL_NEVER
                               ? "allow weights in an external file"
                               : "export a part of the model");
}

/* Chooses the layout once; later calls keep the choice. */
static htp_status choose_layout(htp_writer *w)
{
    lay_out(w, w->external_data == HTP_EXTERNAL_ALWAYS);
    if (w->external_data == HTP_EXTERNAL_AUTO &&
        w->sizes.model_bytes > HTP_DELIVERY_LARGEST_MODEL) {
        w->external_data = HTP_EXTERNAL_ALWAYS;
        lay_out(w, true);
    }
    return check_size(w);
}

/* ---- files ---- */

static htp_status lay_out_beside(void *user, const char *location, htp_delivery_sizes *sizes)
{
    htp_writer *w = user;
    (void)snprintf(w->location, sizeof(w->location), "%s", location);
    HTP_TRY(choose_layout(w));
    *sizes = w->sizes;
    return HTP_OK;
}

static htp_delivery_end put_into(htp_writer *w, htp_output *output, void (*put)(htp_writer *w))
{
    w->output = output;
    put(w);
    w->output = NULL;
    return w->stopped ? HTP_DELIVERY_STOPPED : w->is_cut ? HTP_DELIVERY_CUT : HTP_DELIVERY_DONE;
}

static htp_delivery_end put_model_into(void *user, htp_output *output)
{
    return put_into(user, output, put_model);
}

static htp_delivery_end put_external_into(void *user, htp_output *output)
{
    return put_into(user, output, put_external);
}

static htp_status check_source(void *user)
{
    const htp_writer *w = user;
    return w->options->source ? htp_input_file_check(w->options->source) : HTP_OK;
}

htp_status htp_builder_write(const htp_builder *model, const htp_annotations *annotations,
                             const char *path, const htp_writer_options *options,
                             htp_writer_result *result)
{
    htp_arena *arena = model->arena;
    size_t count = model->initializers.count;
    htp_writer writer = {
        .model = model,
        .options = options,
        .path = path,
        .external_data = options->external_data,
        .payloads = HTP_NEW_ARRAY(arena, uint64_t, count),
        .offsets = HTP_NEW_ARRAY(arena, uint64_t, count),
        .stays = HTP_NEW_ARRAY(arena, bool, count),
        .encoder = htp_encoder_new(model, annotations),
    };
    const htp_delivery delivery = {&writer, lay_out_beside, put_model_into, put_external_into,
                                   check_source};
    htp_delivered delivered = {.data_path = NULL};
    (void)clock_gettime(CLOCK_MONOTONIC, &writer.begin);
    HTP_TRY(check_model(&writer));
    htp_status status = htp_deliver(arena, &delivery, path, &delivered);
    *result = (htp_writer_result){
        .model_bytes = delivered.sizes.model_bytes,
        .external_bytes = delivered.sizes.data_bytes,
        .external_number = delivered.data_number,
        .external_path = delivered.data_path,
    };
    return status;
}

void htp_builder_write_abandon(void)
{
    htp_temporary_abandon();
}
