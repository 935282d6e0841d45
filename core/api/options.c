#include "api/options.h"

#include "functions/choose.h"
#include "graph/passes.h"
#include "onnx/builder/ir_version.h"

#include <string.h>

enum {
    OLDEST_OPSET = 17,
    NEWEST_OPSET = 23,
    FUNCTIONS_OPSET = 15, /* of IR version 8 */
    PREFIX_LIMIT = 64,
};

#define ALL_TAG_PLACES                                                                             \
    ((unsigned)(HTP_TAG_ATTRIBUTE | HTP_TAG_METADATA | HTP_TAG_DOC_STRING | HTP_TAG_LAYER_ANN))

void htp_options_init(htp_options *options)
{
    if (!options) {
        return;
    }
    *options = (htp_options){
        .struct_size = sizeof(*options),
        .tags = HTP_TAG_ATTRIBUTE | HTP_TAG_METADATA,
        .tag_attribute_prefix = "__",
        .tree_depth = -1,
    };
}

/* The prefix begins an attribute name, which is an identifier. */
static bool is_prefix(const char *prefix)
{
    size_t length = strlen(prefix);
    return length <= PREFIX_LIMIT &&
           strspn(prefix, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") ==
               length;
}

static bool is_list(const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!texts || !texts[i]) {
            return false;
        }
    }
    return true;
}

static htp_status check_functions(const htp_options *options)
{
    if (!options->functions) {
        return options->functions_per_instance
                   ? htp_status_make(HTP_CODE_USAGE,
                                     "functions per instance are asked for, and no functions")
                   : HTP_OK;
    }
    if (options->opset != 0 && options->opset < FUNCTIONS_OPSET) {
        return htp_status_make(HTP_CODE_USAGE,
                               "opset %d is not supported: functions need opset %d, and models are "
                               "written with %d to %d",
                               options->opset, FUNCTIONS_OPSET, OLDEST_OPSET, NEWEST_OPSET);
    }
    return htp_functions_check(options->functions);
}

static htp_status check_ir_version(const htp_options *options)
{
    int opset = options->opset != 0 ? options->opset : OLDEST_OPSET;
    int lowest = htp_ir_version_of_opset(opset);
    if (options->ir_version != 0 &&
        (options->ir_version < lowest || options->ir_version > HTP_IR_VERSION_LATEST)) {
        return htp_status_make(HTP_CODE_USAGE,
                               "IR version %d is not supported; %d to %d are with opset %d",
                               options->ir_version, lowest, HTP_IR_VERSION_LATEST, opset);
    }
    return HTP_OK;
}

static htp_status check(const htp_options *options)
{
    HTP_TRY(check_functions(options));
    bool is_chosen = options->opset != 0;
    if (is_chosen && (options->opset < OLDEST_OPSET || options->opset > NEWEST_OPSET)) {
        return htp_status_make(HTP_CODE_USAGE, "opset %d is not supported; %d to %d are",
                               options->opset, OLDEST_OPSET, NEWEST_OPSET);
    }
    HTP_TRY(check_ir_version(options));
    if (options->tags & ~ALL_TAG_PLACES) {
        return htp_status_make(HTP_CODE_USAGE, "unknown place of tags in %#x", options->tags);
    }
    if (!is_prefix(options->tag_attribute_prefix)) {
        return htp_status_make(HTP_CODE_USAGE,
                               "tag attribute prefix \"%s\": at most %d letters, digits, _ and . "
                               "are possible",
                               options->tag_attribute_prefix, PREFIX_LIMIT);
    }
    if ((unsigned)options->external_data > HTP_EXTERNAL_NEVER) {
        return htp_status_make(HTP_CODE_USAGE, "unknown choice of external data: %d",
                               (int)options->external_data);
    }
    if (options->dump_after && !htp_pass_exists(options->dump_after)) {
        return htp_status_make(HTP_CODE_USAGE,
                               "there is no pass \"%s\"; there are trace, aliases, constants and "
                               "dead-code",
                               options->dump_after);
    }
    if (options->input_count > 0 && options->inputs_file) {
        return htp_status_make(HTP_CODE_USAGE,
                               "inputs are given one by one and in a file; pass one of both");
    }
    if (!is_list(options->inputs, options->input_count)) {
        return htp_status_make(HTP_CODE_USAGE, "the list of inputs is missing");
    }
    if (!is_list(options->libraries, options->library_count) ||
        !is_list(options->custom_operators, options->custom_operator_count)) {
        return htp_status_make(HTP_CODE_USAGE,
                               "the list of libraries or custom operators is missing");
    }
    return is_list(options->limits, options->limit_count)
               ? HTP_OK
               : htp_status_make(HTP_CODE_USAGE, "the list of limits is missing");
}

htp_status htp_given_copy(void *defaults, size_t bytes, const void *given, const char *what,
                          const char *maker)
{
    size_t size = 0;
    if (given) {
        memcpy(&size, given, sizeof(size));
    }
    if (size == 0 || size > bytes) {
        return htp_status_make(HTP_CODE_USAGE,
                               "%s not made with %s() of this version of the library", what, maker);
    }
    memcpy(defaults, given, size);
    return HTP_OK;
}

htp_status htp_options_copy(const htp_options *given, htp_options *options)
{
    htp_options_init(options);
    if (given) {
        HTP_TRY(htp_given_copy(options, sizeof(*options), given, "the options were",
                               "htp_options_init"));
        options->struct_size = sizeof(*options);
    }
    if (!options->tag_attribute_prefix) {
        options->tag_attribute_prefix = "__";
    }
    if (!options->method) {
        options->method = "forward";
    }
    if (!options->module) {
        options->module = "";
    }
    return check(options);
}

void htp_write_options_init(htp_write_options *options)
{
    if (options) {
        *options = (htp_write_options){.struct_size = sizeof(*options)};
    }
}
