#include "api/export/result.h"

#include "base/dtype.h"
#include "onnx/builder/ir_version.h"
#include "onnx/metadata/state_pairs.h"
#include "report/tree/tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct htp_result {
    char *json;
    char *tree;
    char *external_path; /* or NULL */
    uint64_t node_count;
};

static void add_string(htp_text *text, const char *key, const char *value)
{
    htp_text_add_json(text, key);
    htp_text_add(text, ": ");
    htp_text_add_json(text, value);
    htp_text_add(text, ", ");
}

static void add_count(htp_text *text, const char *key, uint64_t value)
{
    htp_text_add_json(text, key);
    htp_text_addf(text, ": %" PRIu64 ", ", value);
}

/* {"name": "ids", "dtype": "int64", "dims": [2, 8], "axes": ["batch", null]}, and "complex": true
 * if the last dim holds real and imaginary parts */
static void add_tensor(htp_text *text, const htp_tensor *tensor)
{
    htp_text_add(text, "{");
    add_string(text, "name", tensor->name);
    add_string(text, "dtype", htp_dtype_name(tensor->dtype));
    htp_text_add(text, "\"dims\": [");
    for (uint32_t i = 0; i < tensor->rank; i++) {
        htp_text_addf(text, "%s%" PRId64, i ? ", " : "", tensor->dims[i].size);
    }
    htp_text_add(text, "], \"axes\": [");
    for (uint32_t i = 0; i < tensor->rank; i++) {
        htp_text_add(text, i ? ", " : "");
        if (tensor->dims[i].symbol) {
            htp_text_add_json(text, tensor->dims[i].symbol);
        } else {
            htp_text_add(text, "null");
        }
    }
    htp_text_add(text, tensor->is_complex ? "], \"complex\": true}" : "]}");
}

static void add_tensors(htp_text *text, const char *key, const htp_builder *model,
                        const htp_tensor_id *ids, size_t count)
{
    htp_text_add_json(text, key);
    htp_text_add(text, ": [");
    for (size_t i = 0; i < count; i++) {
        htp_text_add(text, i ? ", " : "");
        add_tensor(text, &model->tensors.items[ids[i]]);
    }
    htp_text_add(text, "], ");
}

/* Inputs that the caller did not give, as specifications for the next call. */
static void add_assumed_inputs(htp_text *text, htp_session *session)
{
    const char *separator = "";
    htp_text_add(text, "\"assumed_inputs\": [");
    for (uint32_t i = 0; i < session->inputs.count; i++) {
        const char *input = htp_session_describe_input(session, i);
        if (input && session->inputs_origin != HTP_INPUTS_GIVEN) {
            htp_text_add(text, separator);
            htp_text_add_json(text, input);
            separator = ", ";
        }
    }
    htp_text_add(text, "], ");
}

static void add_notes(htp_text *text, const htp_session *session)
{
    htp_text_add(text, "\"notes\": [");
    for (size_t i = 0; i < session->notes.count; i++) {
        htp_text_add(text, i ? ", " : "");
        htp_text_add_json(text, session->notes.items[i]);
    }
    htp_text_add(text, "], ");
}

static void add_seconds(htp_text *text, const htp_session *session)
{
    htp_text_add(text, "\"seconds\": {");
    for (int stage = 0; stage < HTP_STAGE_COUNT; stage++) {
        htp_text_addf(text, "%s\"%s\": %.6f", stage ? ", " : "", htp_stage_name((htp_stage)stage),
                      session->stage_seconds[stage]);
    }
    htp_text_add(text, "}");
}

static uint64_t count_tagged(const htp_finished *finished)
{
    uint64_t untagged = 0;
    for (size_t i = 0; i < finished->written->nodes.count; i++) {
        const htp_node_annotation *node = &finished->annotations->nodes[i];
        untagged += !node->attribute_count && !node->metadata.count && !node->doc_string;
    }
    return untagged ? finished->written->nodes.count - untagged : finished->model->nodes.count;
}

static const char *make_json(htp_session *session, const htp_finished *finished)
{
    const htp_builder *model = finished->model;
    htp_text text = {.arena = &session->arena};
    htp_text_add(&text, "{");
    add_string(&text, "model", session->model_path);
    add_string(&text, "output", finished->onnx_path);
    add_string(&text, "status", "ok");
    add_count(&text, "nodes", model->nodes.count);
    add_count(&text, "tagged_nodes", count_tagged(finished));
    add_count(&text, "initializers", model->initializers.count);
    add_count(&text, "functions", finished->written->functions.count);
    add_count(&text, "function_calls", finished->functions ? finished->functions->calls : 0);
    add_count(&text, "modules", session->source.module_count);
    add_tensors(&text, "inputs", model, model->inputs.items, model->inputs.count);
    add_tensors(&text, "outputs", model, model->outputs.items, model->outputs.count);
    const htp_state_pairs states = htp_state_pairs_of(&session->arena, model);
    htp_text_addf(&text, "\"states\": %s, ", htp_state_pairs_json(&session->arena, &states));
    add_assumed_inputs(&text, session);
    add_notes(&text, session);
    add_count(&text, "opset", (uint64_t)model->opset);
    add_count(&text, "ir_version", (uint64_t)htp_ir_version_of(finished->written));
    add_count(&text, "bytes", finished->sizes.model_bytes);
    add_count(&text, "external_bytes", finished->sizes.external_bytes);
    if (finished->sizes.external_path) {
        add_string(&text, "external_file", finished->sizes.external_path);
    } else {
        htp_text_add(&text, "\"external_file\": null, ");
    }
    if (finished->sidecar_path) {
        add_string(&text, "sidecar", finished->sidecar_path);
    } else {
        htp_text_add(&text, "\"sidecar\": null, ");
    }
    if (session->options.state_file) {
        add_string(&text, "state_file", session->options.state_file);
    } else {
        htp_text_add(&text, "\"state_file\": null, ");
    }
    if (session->source.libtorch_version) {
        add_string(&text, "libtorch", session->source.libtorch_version);
    } else {
        htp_text_add(&text, "\"libtorch\": null, ");
    }
    add_seconds(&text, session);
    htp_text_add(&text, "}");
    return htp_text_string(&text);
}

htp_status htp_result_assemble(char *json, char *tree, char *external_path, uint64_t node_count,
                               htp_result **result)
{
    htp_result *made = calloc(1, sizeof(*made));
    if (!made || !json || !tree) {
        free(made);
        free(json);
        free(tree);
        free(external_path);
        return htp_status_make(HTP_CODE_INTERNAL, "out of memory");
    }
    *made = (htp_result){json, tree, external_path, node_count};
    *result = made;
    return HTP_OK;
}

/* After the first malloc() nothing uses the arena, which may jump. */
htp_status htp_result_make(htp_session *session, const htp_finished *finished, htp_result **result)
{
    const char *json = make_json(session, finished);
    const char *tree = htp_report_tree(&session->arena, finished->hierarchy, finished->annotations,
                                       session->graph);
    const char *data = finished->sizes.external_path;
    char *external_path = data ? strdup(data) : NULL;
    if (data && !external_path) {
        return htp_status_make(HTP_CODE_INTERNAL, "out of memory");
    }
    return htp_result_assemble(strdup(json), strdup(tree), external_path,
                               finished->model->nodes.count, result);
}

const char *htp_result_json(const htp_result *result)
{
    return result ? result->json : "";
}

const char *htp_result_tree(const htp_result *result)
{
    return result ? result->tree : "";
}

const char *htp_result_external_path(const htp_result *result)
{
    return result->external_path;
}

uint64_t htp_result_node_count(const htp_result *result)
{
    return result ? result->node_count : 0;
}

void htp_result_free(htp_result *result)
{
    if (result) {
        free(result->json);
        free(result->tree);
        free(result->external_path);
        free(result);
    }
}
