#include "lower/refusal/refusal.h"

#include "lower/custom/custom.h"

#include <stddef.h>
#include <string.h>

static const char random_numbers[] =
    "it draws random numbers, so that no two runs of the model agree";
static const char singular_values[] =
    "it needs singular values, for which ONNX has no operator: they are found by steps that go on "
    "until they no longer change anything";
static const char eigenvalues[] = "it needs eigenvalues, for which ONNX has no operator: they are "
                                  "found by steps that go on until "
                                  "they no longer change anything";
static const char bits[] = "it needs the bits of numbers, which no ONNX operator returns";
static const char pivots[] =
    "it factorizes with pivots of one or two rows, which ONNX has no operator for";
static const char halves[] = "it makes complex numbers of two float16, which are not exported";
static const char cancelling[] =
    "libtorch adds terms that cancel each other, so that its own rounding decides the digits";
static const char sparse[] = "it makes sparse tensors, which ONNX Runtime has no operators for";

static const char double_scales[] =
    "eager mode gives scales of float32, where the program says float64; choose them by "
    "choose_qparams_per_token_asymmetric";

static const char resized[] = "it changes the sizes of a tensor in its place; make another tensor "
                              "instead, by reshape() or pad()";
static const char written[] =
    "it writes into a tensor that it is given (out=); take what it returns "
    "instead, or save program.run_decompositions()";

static const char autocast[] =
    "the casts of autocast are not in the file; save program.run_decompositions() instead";

static const char vmap[] =
    "PyTorch leaves torch.vmap in the program; save program.run_decompositions() instead";

/** Why an operator cannot be exported, by any exporter. */
typedef struct refusal {
    const char *name; /* without overload; the in-place form appends "_" */
    const char *reason;
} refusal;

static const refusal refusals[] = {
    {"aten::_fused_dropout", random_numbers},
    {"aten::_sample_dirichlet", random_numbers},
    {"aten::_standard_gamma", random_numbers},
    {"aten::bernoulli", random_numbers},
    {"aten::binomial", random_numbers},
    {"aten::cauchy", random_numbers},
    {"aten::exponential", random_numbers},
    {"aten::geometric", random_numbers},
    {"aten::log_normal", random_numbers},
    {"aten::multinomial", random_numbers},
    {"aten::normal", random_numbers},
    {"aten::normal_functional", random_numbers},
    {"aten::poisson", random_numbers},
    {"aten::rand", random_numbers},
    {"aten::rand_like", random_numbers},
    {"aten::randint", random_numbers},
    {"aten::randint_like", random_numbers},
    {"aten::randn", random_numbers},
    {"aten::randn_like", random_numbers},
    {"aten::random", random_numbers},
    {"aten::randperm", random_numbers},
    {"aten::rrelu_with_noise", random_numbers},
    {"aten::uniform", random_numbers},
    {"aten::_linalg_svd", singular_values},
    {"aten::linalg_cond", singular_values},
    {"aten::linalg_matrix_rank", singular_values},
    {"aten::linalg_pinv", singular_values},
    {"aten::linalg_svd", singular_values},
    {"aten::linalg_svdvals", singular_values},
    {"aten::nuclear_norm", singular_values},
    {"aten::pinverse", singular_values},
    {"aten::svd", singular_values},
    {"aten::_linalg_eigh", eigenvalues},
    {"aten::_linalg_eigvals", eigenvalues},
    {"aten::linalg_eig", eigenvalues},
    {"aten::linalg_eigh", eigenvalues},
    {"aten::linalg_eigvals", eigenvalues},
    {"aten::linalg_eigvalsh", eigenvalues},
    {"aten::hash_tensor", bits},
    {"aten::chalf", halves},
    {"aten::linalg_matrix_exp", cancelling},
    {"aten::matrix_exp", cancelling},
    {"aten::linalg_ldl_factor", pivots},
    {"aten::linalg_ldl_factor_ex", pivots},
    {"aten::linalg_ldl_solve", pivots},
    {"aten::to_sparse", sparse},
    {"aten::resize", resized},
    {"aten::resize_as", resized},
    {"quantized_decomposed::choose_qparams_per_token", double_scales},
    {"higher_order::wrap_with_autocast", autocast},
    {"torch._functorch.predispatch", vmap},
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

bool htp_refusal_is_of_layout(const char *kind)
{
    static const char *const names[] = {"aten::stride", "aten::storage_offset",
                                        "aten::is_contiguous"};
    bool is = false;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        is = is || is_form_of(kind, names[i]);
    }
    return is;
}

/** Whether an overload writes into a tensor argument: "out", "Tensor_out". */
static bool is_written(const char *kind)
{
    const char *overload = strchr(kind, '.');
    const char *behind = overload ? strrchr(overload, '_') : NULL;
    const char *word = behind ? behind : overload;
    return word && strcmp(word + 1, "out") == 0;
}

const char *htp_refusal_find(const char *kind)
{
    for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
        if (is_form_of(kind, refusals[i].name)) {
            return refusals[i].reason;
        }
    }
    return is_written(kind) ? written : NULL;
}

const char *htp_refusal_reason(const char *kind)
{
    const char *reason = htp_refusal_find(kind);
    if (reason) {
        return reason;
    }
    return htp_custom_is_foreign(kind) ? "there is no lowering for it: --custom-op names the ONNX "
                                         "operator to write it as"
                                       : "there is no lowering for it";
}

bool htp_refusal_is_of_matrices(const char *kind)
{
    static const char beginning[] = "aten::linalg_";
    const char *reason = htp_refusal_find(kind);
    return strncmp(kind, beginning, strlen(beginning)) == 0 || reason == singular_values ||
           reason == eigenvalues || reason == cancelling || reason == pivots;
}
