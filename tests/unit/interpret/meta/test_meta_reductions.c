/*
 * Meta kernels of reductions, losses, and of tensors made from numbers and positions.
 */
#include "meta_fixture.h"

/* ---- dims ---- */

UNIT_TEST(dims_are_left_out_or_kept)
{
    GIVES("aten::var", "correction", "Float[]", FLOATS(2, 3), NONE, INT(1), BOOL(false));
    GIVES("aten::var", "correction", "Float[]", FLOATS(2, 3), NO_INTS, INT(1), BOOL(false));
    GIVES("aten::var", "correction", "Float[1,1]", FLOATS(2, 3), NONE, INT(1), BOOL(true));
    GIVES("aten::std", "correction", "Float[2,4]", FLOATS(2, 3, 4), INTS(-2), NONE, BOOL(false));
    GIVES("aten::std", "correction", "Double[]",
          tensor_of(arena, HTP_SCALAR_COMPLEX_DOUBLE, NULL, 0), INTS(-1), NONE, BOOL(false));
    GIVES("aten::std_mean", "correction", "Float[2,1,1]; ComplexFloat[2,1,1]",
          OF(COMPLEX_FLOAT, 2, 3, 4), INTS(2, 1), NONE, BOOL(true));
    REFUSES("aten::var", "correction", "std and var only support floating point and complex dtypes",
            OF(LONG, 2), NONE, NONE, BOOL(false));
    REFUSES("aten::var", "correction", "dim 1 appears multiple times in the list of dims",
            FLOATS(2, 3), INTS(1, -1), NONE, BOOL(false));
    REFUSES("aten::var", "correction",
            "Dimension out of range (expected to be in range of [-2, 1], but got 2)", FLOATS(2, 3),
            INTS(2), NONE, BOOL(false));
}

UNIT_TEST(sums_of_integers_are_long)
{
    GIVES("aten::nansum", "", "Long[2]", OF(BOOL, 2, 3), INTS(1), BOOL(false), NONE);
    GIVES("aten::nansum", "", "Half[2]", OF(HALF, 2, 3), INTS(1), BOOL(false), NONE);
    GIVES("aten::prod", "", "Long[]", OF(INT, 2, 3), NONE);
    GIVES("aten::prod", "", "Double[]", OF(INT, 2, 3), INT(HTP_SCALAR_DOUBLE));
    GIVES("aten::count_nonzero", "dim_IntList", "Long[3]", FLOATS(2, 3), INTS(0));
    REFUSES("aten::nansum", "", "nansum does not support complex inputs", OF(COMPLEX_FLOAT, 2),
            NONE, BOOL(false), NONE);
}

UNIT_TEST(both_extremes_have_the_sizes_of_one)
{
    const char *name = "aten::aminmax";
    GIVES(name, "", "Float[]; Float[]", FLOATS(2, 3), NONE, BOOL(false));
    GIVES(name, "", "Float[1,1]; Float[1,1]", FLOATS(2, 3), NONE, BOOL(true));
    GIVES(name, "", "Bool[2]; Bool[2]", OF(BOOL, 2, 3), INT(-1), BOOL(false));
    GIVES(name, "", "Float[0]; Float[0]", FLOATS(0, 3), INT(1), BOOL(false));
    GIVES(name, "", "Float[]; Float[]", SCALAR, INT(0), BOOL(true));
    GIVES_BY(1, false, name, "", "Float[1]; Float[1]", SCALAR, INT(0), BOOL(true));
    GIVES_BY(1, false, name, "", "Float[]; Float[]", SCALAR, NONE, BOOL(true));
    REFUSES(name, "",
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no "
            "identity",
            FLOATS(0, 3), INT(0), BOOL(false));
    REFUSES(name, "", "it is not implemented for 'ComplexFloat'", OF(COMPLEX_FLOAT, 2), NONE,
            BOOL(false));
}

UNIT_TEST(an_element_of_a_dim_has_a_place)
{
    GIVES("aten::median", "", "Bool[]", OF(BOOL, 0));
    GIVES("aten::median", "dim", "Float[2]; Long[2]", FLOATS(2, 3), INT(-1), BOOL(false));
    GIVES("aten::mode", "", "Float[2,1]; Long[2,1]", FLOATS(2, 3), INT(1), BOOL(true));
    GIVES("aten::mode", "", "ComplexFloat[]; Long[]",
          tensor_of(arena, HTP_SCALAR_COMPLEX_FLOAT, NULL, 0), INT(0), BOOL(true));
    GIVES("aten::kthvalue", "", "Float[3]; Long[3]", FLOATS(2, 3), INT(2), INT(0), BOOL(false));
    REFUSES("aten::kthvalue", "", "kthvalue(): selected number k out of range for dimension 0",
            FLOATS(2, 3), INT(3), INT(0), BOOL(false));
    REFUSES("aten::median", "dim", "Expected reduction dim 1 to have non-zero size.", FLOATS(2, 0),
            INT(1), BOOL(false));
    REFUSES("aten::median", "dim", "it is not implemented for 'Bool'", OF(BOOL, 2, 3), INT(1),
            BOOL(false));
    REFUSES("aten::max", "",
            "Expected reduction dim to be specified for input.numel() == 0. Specify the reduction "
            "dim with the 'dim' argument.",
            FLOATS(0));
    GIVES("aten::min", "", "Bool[]", OF(BOOL, 3));
    GIVES("aten::nanmedian", "", "Float[]", FLOATS(0));
}

UNIT_TEST(what_goes_along_a_dim_keeps_sizes)
{
    GIVES("aten::cummax", "", "Float[2,3]; Long[2,3]", FLOATS(2, 3), INT(-1));
    GIVES("aten::cummin", "", "Float[0]; Long[0]", FLOATS(0), INT(5));
    GIVES("aten::logcumsumexp", "", "Float[2,3]", FLOATS(2, 3), INT(0));
    GIVES("aten::argsort", "stable", "Long[2,3] by [1,2]",
          strided(arena, HTP_SCALAR_FLOAT, (const int64_t[]){2, 3}, (const int64_t[]){1, 2}, 2),
          BOOL(true), INT(-1), BOOL(false));
    REFUSES("aten::cummax", "",
            "Dimension out of range (expected to be in range of [-2, 1], but got 2)", FLOATS(2, 3),
            INT(2));
    REFUSES("aten::logcumsumexp", "", "it is not implemented for 'Long'", OF(LONG, 2), INT(0));
}

UNIT_TEST(counts_are_as_many_as_bins)
{
    GIVES("aten::histc", "", "Float[5]", FLOATS(2, 3), INT(5), INT(0), INT(1));
    REFUSES("aten::histc", "", "bins must be > 0, but got 0", FLOATS(2, 3), INT(0), INT(0), INT(1));
    GIVES("aten::histogram", "bin_ct", "Float[5]; Float[6]", FLOATS(2, 3), INT(5), NONE,
          FLOATS(2, 3));
    GIVES("aten::histogram", "bins_tensor", "Float[3]; Float[4]", FLOATS(2, 3), FLOATS(4), NONE);
    REFUSES("aten::histogram", "bin_ct", "histogram: weights do not fit the input of [2, 3]",
            FLOATS(2, 3), INT(5), NONE, FLOATS(5));
    REFUSES("aten::histogram", "bins_tensor", "bins must be > 0, but got 0", FLOATS(2, 3),
            FLOATS(1), NONE);
    GIVES("aten::cov", "", "Float[2,2]", OF(LONG, 2, 3), INT(1), NONE, NONE);
    GIVES("aten::cov", "", "Double[]", FLOATS(3), INT(1), NONE, OF(DOUBLE, 3));
    GIVES("aten::cov", "", "Float[2,2]", FLOATS(2, 3), INT(1), OF(INT, 3), NONE);
    REFUSES("aten::cov", "",
            "cov(): expected fweights, which are integers, of one dim for each of 3 observations, "
            "got Long of [2]",
            FLOATS(2, 3), INT(1), OF(LONG, 2), NONE);
    REFUSES("aten::cov", "",
            "cov(): expected aweights, which are floats, of one dim for each of 1 observations, "
            "got Long of [1]",
            SCALAR, INT(1), NONE, OF(LONG, 1));
    REFUSES("aten::corrcoef", "", "expected input to have two or fewer dimensions, got [2, 3, 4]",
            FLOATS(2, 3, 4));
}

/* ---- losses and distances ---- */

UNIT_TEST(losses_are_one_or_as_many_as_elements)
{
    GIVES("aten::binary_cross_entropy", "", "like 0", FLOATS(2, 3), FLOATS(2, 3), NONE, INT(0));
    GIVES("aten::binary_cross_entropy", "", "like 0", FLOATS(2, 1), FLOATS(2), FLOATS(1), INT(0));
    REFUSES("aten::binary_cross_entropy", "", "a target of [3] does not fit the input of []",
            SCALAR, FLOATS(3), NONE, INT(0));
    REFUSES("aten::binary_cross_entropy", "",
            "a target's weight of [2, 3] does not fit the input of [3]", FLOATS(3), FLOATS(3),
            FLOATS(2, 3), INT(0));
    GIVES("aten::binary_cross_entropy", "", "Float[]", FLOATS(2, 3), FLOATS(2, 3), NONE, INT(1));
    REFUSES("aten::binary_cross_entropy", "", "Found dtype Double but expected Float", FLOATS(2),
            OF(DOUBLE, 2), NONE, INT(0));
    GIVES("aten::huber_loss", "", "Float[2,3] by [3,1]", FLOATS(3), FLOATS(2, 3), INT(0), FLOAT(1));
    REFUSES("aten::huber_loss", "", "huber_loss does not support non-positive values for delta.",
            FLOATS(3), FLOATS(3), INT(0), FLOAT(0));
    GIVES("aten::log_sigmoid_forward", "", "Float[2]; Float[2]", FLOATS(2));
}

UNIT_TEST(losses_of_classes_have_a_target_for_each_row)
{
    GIVES("aten::nll_loss2d_forward", "", "Float[2,4,5]; Float[]", FLOATS(2, 3, 4, 5),
          OF(LONG, 2, 4, 5), FLOATS(3), INT(0), INT(-100));
    REFUSES("aten::nll_loss2d_forward", "",
            "size mismatch (got input: [2, 3, 4, 5] , target: [2, 4, 6])", FLOATS(2, 3, 4, 5),
            OF(LONG, 2, 4, 6), NONE, INT(0), INT(-100));
    REFUSES("aten::nll_loss2d_forward", "", "expected scalar type Long but found Byte",
            FLOATS(2, 3, 4, 5), OF(BYTE, 2, 4, 5), NONE, INT(0), INT(-100));
    GIVES("aten::multi_margin_loss", "", "Float[2]", FLOATS(2, 3), OF(LONG, 2), INT(1), INT(1),
          NONE, INT(0));
    REFUSES("aten::multi_margin_loss", "", "expected scalar type Long but found Int", FLOATS(2, 3),
            OF(INT, 2), INT(1), INT(1), NONE, INT(0));
    REFUSES("aten::multi_margin_loss", "", "inconsistent target size, expected 2 but got [3]",
            FLOATS(2, 3), OF(LONG, 3), INT(1), INT(1), NONE, INT(0));
    GIVES("aten::multilabel_margin_loss_forward", "", "Float[2]; Float[2,3]", FLOATS(2, 3),
          OF(LONG, 2, 3), INT(0));
    REFUSES("aten::multi_margin_loss", "", "only p == 1 and p == 2 supported", FLOATS(2, 3),
            OF(LONG, 2), INT(3), INT(1), NONE, INT(0));
    REFUSES("aten::nll_loss2d_forward", "", "expected scalar type Float but found Double",
            FLOATS(2, 3, 4, 5), OF(LONG, 2, 4, 5), OF(DOUBLE, 3), INT(0), INT(-100));
    REFUSES("aten::multilabel_margin_loss_forward", "", "expected scalar type Long but found Int",
            FLOATS(2, 3), OF(INT, 2, 3), INT(0));
    REFUSES("aten::multilabel_margin_loss_forward", "", "inconsistent target size: [3, 2]",
            FLOATS(2, 3), OF(LONG, 3, 2), INT(0));
}

#define REDUCED INT(1), INT(-100), FLOAT(0)
#define EACH INT(0), INT(-100), FLOAT(0.1)

UNIT_TEST(cross_entropies_are_one_or_as_many_as_places)
{
    const char *name = "aten::cross_entropy_loss";
    const htp_operand classes = tensor_of(arena, HTP_SCALAR_LONG, NULL, 0);
    GIVES(name, "", "Float[2,4]", FLOATS(2, 3, 4), OF(LONG, 2, 4), FLOATS(3), EACH);
    GIVES(name, "", "Float[]", FLOATS(2, 3, 4), OF(LONG, 2, 4), NONE, REDUCED);
    GIVES(name, "", "Float[2]", FLOATS(2, 3), OF(BYTE, 2), NONE, EACH);
    GIVES(name, "", "Float[]", FLOATS(3), classes, NONE, EACH);
    GIVES(name, "", "Double[2,4]", FLOATS(2, 3, 4), OF(DOUBLE, 2, 3, 4), NONE, EACH);
    GIVES(name, "", "Double[2]", OF(HALF, 2, 3), OF(HALF, 2, 3), OF(DOUBLE, 3), EACH);
    GIVES(name, "", "Float[]", FLOATS(3), OF(LONG, 1), NONE, REDUCED);
    REFUSES(name, "", "Expected target of a class for each place of [3], got [1]", FLOATS(3),
            OF(LONG, 1), NONE, EACH);
    REFUSES(name, "", "Expected target of a class for each place of [2, 3, 4], got [2, 5]",
            FLOATS(2, 3, 4), OF(LONG, 2, 5), NONE, REDUCED);
    REFUSES(name, "",
            "expected classes of scalar type Long and weights of Float, but found Int and Float",
            FLOATS(2, 3), OF(INT, 2), NONE, REDUCED);
    REFUSES(name, "",
            "expected classes of scalar type Long and weights of Float, but found Long and Double",
            FLOATS(2, 3), OF(LONG, 2), OF(DOUBLE, 3), REDUCED);
    REFUSES(name, "",
            "cross_entropy: weight tensor should be defined either for all 3 classes or no classes "
            "but got weight tensor of shape: [4]",
            FLOATS(2, 3), OF(LONG, 2), FLOATS(4), REDUCED);
    REFUSES(name, "",
            "cross_entropy_loss: expected scores of classes, which are floats, got Long of [2, 3]",
            OF(LONG, 2, 3), OF(LONG, 2), NONE, REDUCED);
    REFUSES(name, "", "Expected floating point type for target with class probabilities, got Long",
            FLOATS(2, 3), OF(LONG, 2, 3), NONE, REDUCED);
    REFUSES(name, "", "ignore_index is not supported for floating point target", FLOATS(2, 3),
            FLOATS(2, 3), NONE, INT(1), INT(0), FLOAT(0));
    REFUSES(name, "", "label_smoothing must be between 0.0 and 1.0. Got: 1.5", FLOATS(2, 3),
            OF(LONG, 2), NONE, INT(1), INT(-100), FLOAT(1.5));
    REFUSES(name, "", "Invalid reduction type encountered in cross_entropy: 3", FLOATS(2, 3),
            OF(LONG, 2), NONE, INT(3), INT(-100), FLOAT(0));
}

UNIT_TEST(distances_are_of_each_two_rows)
{
    GIVES("aten::_cdist_forward", "", "Float[5,2,4]", FLOATS(1, 2, 3), FLOATS(5, 4, 3), FLOAT(2),
          NONE);
    REFUSES("aten::_cdist_forward", "",
            "X1 and X2 must have the same number of columns. X1: 3 X2: 4", FLOATS(2, 3),
            FLOATS(4, 4), FLOAT(2), NONE);
    REFUSES("aten::_cdist_forward", "", "cdist only supports non-negative p values", FLOATS(2, 3),
            FLOATS(4, 3), FLOAT(-1), NONE);
    GIVES("aten::_pdist_forward", "", "Float[6]", FLOATS(4, 3), FLOAT(2));
    GIVES("aten::_pdist_forward", "", "Float[0]", FLOATS(0, 3), FLOAT(2));
    REFUSES("aten::_pdist_forward", "", "pdist only supports 2D tensors, got: 1D", FLOATS(3),
            FLOAT(2));
}

/* ---- numbers and positions ---- */

UNIT_TEST(triangles_have_as_many_places_as_they_hold)
{
    GIVES("aten::tril_indices", "", "Long[2,6]", INT(3), INT(3), INT(0), NONE);
    GIVES("aten::tril_indices", "", "Long[2,2]", INT(3), INT(1), INT(-1), NONE);
    GIVES("aten::triu_indices", "", "Int[2,3]", INT(3), INT(3), INT(1), INT(HTP_SCALAR_INT));
    GIVES("aten::triu_indices", "", "Long[2,0]", INT(0), INT(3), INT(INT64_MIN), NONE);
    REFUSES("aten::tril_indices", "",
            "row and col must be non-negative, and their triangle of a size that a tensor may have",
            INT(-1), INT(2), INT(0), NONE);
}

UNIT_TEST(numbers_are_as_many_as_are_asked_for)
{
    GIVES("aten::randperm", "", "Long[7]", INT(7), NONE);
    GIVES("aten::randperm", "generator", "Int[7]", INT(7), NONE, INT(HTP_SCALAR_INT));
    GIVES("aten::linspace", "Tensor_Scalar", "Float[5]", SCALAR, INT(1), INT(5), NONE);
    GIVES("aten::logspace", "Scalar_Tensor", "Double[5]", INT(1), SCALAR, INT(5), FLOAT(10),
          INT(HTP_SCALAR_DOUBLE));
    REFUSES("aten::linspace", "Tensor_Tensor",
            "it only supports 0-dimensional start and end tensors", FLOATS(1), SCALAR, INT(5),
            NONE);
    GIVES("aten::multinomial", "", "Long[2,9]", FLOATS(2, 3), INT(9), BOOL(true));
    REFUSES("aten::multinomial", "",
            "cannot sample n_sample 9 > prob_dist.size(-1) samples without replacement, or <= 0",
            FLOATS(2, 3), INT(9), BOOL(false));
    GIVES("aten::native_dropout", "", "Float[2] by [1]; Bool[2] by [1]", FLOATS(2), FLOAT(0.5),
          BOOL(true));
    GIVES("aten::native_dropout", "", "operand 0; like 0", FLOATS(0), FLOAT(0.5), BOOL(true));
}

UNIT_TEST(positions_are_those_of_numbers)
{
    GIVES("aten::bucketize", "Tensor", "Long[2,3]", FLOATS(2, 3), FLOATS(4), BOOL(false),
          BOOL(false));
    GIVES("aten::bucketize", "Scalar", "Int[]", INT(3), FLOATS(4), BOOL(true), BOOL(false));
    REFUSES("aten::bucketize", "Tensor", "boundaries tensor must be 1 dimension, but got dim(2)",
            FLOATS(2), FLOATS(2, 4), BOOL(false), BOOL(false));
    GIVES("aten::searchsorted", "Tensor", "Long[2,3]", FLOATS(2, 5), FLOATS(2, 3), BOOL(false),
          BOOL(false), TEXT("right"), NONE);
    REFUSES("aten::searchsorted", "Tensor",
            "torch.searchsorted(): side can only be 'left' or 'right'", FLOATS(5), FLOATS(3),
            BOOL(false), BOOL(false), TEXT("middle"), NONE);
    REFUSES(
        "aten::searchsorted", "Tensor",
        "torch.searchsorted(): side and right can't be set to opposites, got side of left while "
        "right was True",
        FLOATS(5), FLOATS(3), BOOL(false), BOOL(true), TEXT("left"), NONE);
    GIVES("aten::one_hot", "", "Long[2,7]", OF(LONG, 2), INT(7));
    REFUSES("aten::one_hot", "", "num_classes is needed: its output's size depends on the data",
            OF(LONG, 2), INT(-1));
}

UNIT_TEST(choices_are_counted)
{
    GIVES("aten::combinations", "", "Float[10,2]", FLOATS(5), INT(2), BOOL(false));
    GIVES("aten::combinations", "", "Float[15,2]", FLOATS(5), INT(2), BOOL(true));
    GIVES("aten::combinations", "", "Float[0,6]", FLOATS(5), INT(6), BOOL(false));
    GIVES("aten::combinations", "", "Float[0]", FLOATS(5), INT(0), BOOL(false));
    GIVES("aten::combinations", "", "Float[9223372036854775807,500]", FLOATS(1000), INT(500),
          BOOL(false));
}

UNIT_MAIN("meta kernels of reductions", dims_are_left_out_or_kept, sums_of_integers_are_long,
          both_extremes_have_the_sizes_of_one, an_element_of_a_dim_has_a_place,
          what_goes_along_a_dim_keeps_sizes, counts_are_as_many_as_bins,
          losses_are_one_or_as_many_as_elements, losses_of_classes_have_a_target_for_each_row,
          cross_entropies_are_one_or_as_many_as_places, distances_are_of_each_two_rows,
          triangles_have_as_many_places_as_they_hold, numbers_are_as_many_as_are_asked_for,
          positions_are_those_of_numbers, choices_are_counted)
