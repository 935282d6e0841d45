#include "lower/refusal.h"

#include "lower/custom.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Operators that draw numbers, without overloads; their in-place forms have a "_" behind. */
static const char *const random_operators[] = {
    "aten::_fused_dropout",  "aten::_sample_dirichlet",
    "aten::_standard_gamma", "aten::bernoulli",
    "aten::binomial",        "aten::cauchy",
    "aten::exponential",     "aten::geometric",
    "aten::log_normal",      "aten::multinomial",
    "aten::normal",          "aten::normal_functional",
    "aten::poisson",         "aten::rand",
    "aten::rand_like",       "aten::randint",
    "aten::randint_like",    "aten::randn",
    "aten::randn_like",      "aten::random",
    "aten::randperm",        "aten::rrelu_with_noise",
    "aten::uniform",
};

/** Whether @p kind is @p name, in place or not, with any overload. */
static bool is_form_of(const char *kind, const char *name)
{
    size_t length = strlen(name);
    if (strncmp(kind, name, length) != 0) {
        return false;
    }
    kind += length;
    kind += *kind == '_';
    return *kind == '\0' || *kind == '.';
}

const char *htp_refusal_reason(const char *kind)
{
    for (size_t i = 0; i < sizeof(random_operators) / sizeof(*random_operators); i++) {
        if (is_form_of(kind, random_operators[i])) {
            return "it draws random numbers, so that no two runs of the model agree";
        }
    }
    return htp_custom_is_foreign(kind) ? "there is no lowering for it: --custom-op names the ONNX "
                                         "operator to write it as"
                                       : "there is no lowering for it";
}
