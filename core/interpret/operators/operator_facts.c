#include "interpret/operators/operator_facts.h"

#include "interpret/operators/facts.h"

#include <htp/runner.h>

#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static bool begins_with(const char *name, const char *beginning)
{
    return strncmp(name, beginning, strlen(beginning)) == 0;
}

/* Whether an operator's namespace is in a list. */
static bool is_in_space(const char *name, const char *const *spaces, size_t count)
{
    const char *colons = strstr(name, "::");
    size_t length = colons ? (size_t)(colons - name) : strlen(name);
    for (size_t i = 0; i < count; i++) {
        if (strlen(spaces[i]) == length && strncmp(name, spaces[i], length) == 0) {
            return true;
        }
    }
    return false;
}

static bool holds_any(const char *name, const char *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strstr(name, parts[i])) {
            return true;
        }
    }
    return false;
}

/* Whether an operator returns nothing and writes nothing: it has side effects, or is a check. */
static bool is_only_effect(const htp_program_schema *schema)
{
    return schema->return_count == 0 && !schema->has_any_returns && !schema->is_mutable &&
           !htp_has_fact(schema->name, HTP_FACT_CHECKS);
}

bool htp_operator_may_run(const htp_program_schema *schema)
{
    static const char *const language[] = {"prim"};
    static const char *const spaces[] = {"aten", "quantized", "_quantized", "torchvision"};
    if (schema->is_loaded) {
        return true;
    }
    if (is_in_space(schema->name, language, COUNT_OF(language))) {
        return htp_has_fact(schema->name, HTP_FACT_COMPUTES);
    }
    return is_in_space(schema->name, spaces, COUNT_OF(spaces)) &&
           !htp_has_fact(schema->name, HTP_FACT_REACHES_OUT) && !is_only_effect(schema);
}

bool htp_operator_is_size_operand(const htp_program_schema *schema, size_t argument)
{
    static const struct {
        const char *kind;
        size_t argument;
    } operands[] = {
        {"aten::tensor_split.tensor_indices_or_sections", 1},
        {"aten::_reshape_from_tensor", 1},
    };
    for (size_t i = 0; i < COUNT_OF(operands); i++) {
        if (argument == operands[i].argument && strcmp(schema->kind, operands[i].kind) == 0) {
            return true;
        }
    }
    return false;
}

bool htp_operator_is_uninitialised(const char *name)
{
    static const char *const beginnings[] = {"aten::empty",  "aten::_empty",  "aten::new_empty",
                                             "aten::resize", "aten::_resize", "aten::_make_dep"};
    for (size_t i = 0; i < COUNT_OF(beginnings); i++) {
        if (begins_with(name, beginnings[i])) {
            return true;
        }
    }
    return false;
}

bool htp_operator_makes_nested(const htp_program_schema *schema)
{
    return begins_with(schema->name, "aten::_nested_tensor_from");
}

bool htp_operator_is_unchecked(const htp_program_schema *schema)
{
    /* libtorch's namespaces for programs; others belong to its backends. */
    static const char *const spaces[] = {"aten", "prim", "quantized"};
    static const char *const own[] = {"aten"};
    static const char *const parts[] = {
        /* Gradients are scattered by indices. */
        "_backward",
        /* Sparse, nested and packed forms, which are read by their own indices. */
        "sparse", "csr", "coo_", "coalesce", "_nested_from", "_nested_view", "_nested_get",
        "jagged", "fbgemm", "mkldnn", "cudnn", "miopen", "_cslt", "_wrapped_",
        /* Labels, lengths, samples, pivots as positions. */
        "ctc_loss", "segment_reduce", "fractional_max_pool", "histogramdd", "embedding_renorm",
        "ldl_solve",
        /* Unchecked parameters of attention. */
        "_transform_bias_rescale"};
    if (!is_in_space(schema->name, spaces, COUNT_OF(spaces))) {
        return !schema->is_loaded;
    }
    return is_in_space(schema->name, own, COUNT_OF(own)) &&
           holds_any(schema->name, parts, COUNT_OF(parts));
}

bool htp_operator_is_sized_alone(const htp_program_schema *schema)
{
    return htp_has_fact(schema->name, HTP_FACT_SIZED_ALONE);
}

bool htp_operator_trusts_contents(const htp_program_schema *schema)
{
    static const char *const parts[] = {
        "embedding_bag",       "max_unpool",           "searchsorted", "::roi_", "::ps_roi_",
        "_native_multi_head_", "_transformer_encoder", "::gru",        "::lstm", "::rnn_"};
    return holds_any(schema->name, parts, COUNT_OF(parts)) || htp_operator_is_sized_alone(schema);
}

bool htp_operator_has_fact(const char *name, unsigned facts)
{
    char room[HTP_OPERATOR_NAME_ROOM];
    const char *functional = htp_operator_functional_name(name, room);
    return htp_has_fact(name, facts) || (functional && htp_has_fact(functional, facts));
}

bool htp_operator_takes_data_numbers(const char *name)
{
    return htp_operator_has_fact(name, HTP_FACT_TAKES_SIZE | HTP_FACT_TAKES_OPERAND |
                                           HTP_FACT_TAKES_POSITION);
}

bool htp_operator_takes_constants_as_numbers(const htp_program_schema *schema)
{
    return strcmp(schema->overload, "Tensor") == 0 &&
           htp_has_fact(schema->name, HTP_FACT_CONSTANT_AS_NUMBER);
}

bool htp_type_is_whole(int32_t type)
{
    /* Only PyTorch 2.3 and later. */
    enum { UINT16 = 27, UINT32 = 28, UINT64 = 29 };
    switch (type) {
    case HTP_SCALAR_BYTE:
    case HTP_SCALAR_CHAR:
    case HTP_SCALAR_SHORT:
    case HTP_SCALAR_INT:
    case HTP_SCALAR_LONG:
    case UINT16:
    case UINT32:
    case UINT64:
        return true;
    default:
        return false;
    }
}
