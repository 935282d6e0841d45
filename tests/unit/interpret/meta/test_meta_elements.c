/*
 * Meta kernels of element-wise operators: type promotion, and the layout of a loop's output.
 */
#include "meta_fixture.h"

#define BY(...) NUMBERS(__VA_ARGS__)

/* A tensor with these strides, one per dim. */
static htp_operand laid_out(htp_arena *arena, int32_t type, const int64_t *dims, uint32_t rank,
                            const int64_t *strides, uint32_t count)
{
    ck_assert_uint_eq(rank, count);
    return strided(arena, type, dims, strides, rank);
}

#define LAID(type, dims, by) laid_out(arena, HTP_SCALAR_##type, dims, by)
#define FLOAT_NUMBER(number) ((htp_operand){.kind = HTP_OPERAND_FLOAT, .as.f = (number)})
#define COMPLEX_NUMBER ((htp_operand){.kind = HTP_OPERAND_OTHER})

/* A 0-d tensor in the place of a number. */
static htp_operand number_of(htp_arena *arena, int32_t type)
{
    htp_operand operand = tensor_of(arena, type, NULL, 0);
    htp_runner_tensor *tensor = HTP_NEW(arena, htp_runner_tensor);
    *tensor = *operand.as.tensor;
    tensor->is_number = true;
    operand.as.tensor = tensor;
    return operand;
}

/* ---- types ---- */

UNIT_TEST(types_follow_what_an_operator_computes)
{
    GIVES("aten::abs", "", "Long[2] by [1]", OF(LONG, 2));
    GIVES("aten::abs", "", "Float[2] by [1]", OF(COMPLEX_FLOAT, 2));
    GIVES("aten::angle", "", "Float[2] by [1]", OF(INT, 2));
    GIVES("aten::angle", "", "Double[2]", OF(COMPLEX_DOUBLE, 2));
    GIVES("aten::isnan", "", "Bool[2] by [1]", OF(DOUBLE, 2));
    GIVES("aten::logit", "", "Float[2] by [1]", OF(BOOL, 2), NONE);
    GIVES("aten::complex", "", "ComplexDouble[2] by [1]", OF(DOUBLE, 2), OF(DOUBLE, 2));
    GIVES("aten::frexp", "Tensor", "Half[2] by [1]; Int[2] by [1]", OF(HALF, 2));
    REFUSES("aten::abs", "", "it is not implemented for 'Bool'", OF(BOOL, 2));
    REFUSES("aten::hardswish", "", "it is not implemented for 'Long'", OF(LONG, 2));
    REFUSES("aten::complex", "", "it is not implemented for 'BFloat16'", OF(BFLOAT16, 2),
            OF(BFLOAT16, 2));
    REFUSES("aten::complex", "", "Expected object of scalar type Float but got scalar type Double",
            OF(FLOAT, 2), OF(DOUBLE, 2));
}

UNIT_TEST(dims_decide_types_then_none_then_numbers)
{
    const htp_operand scalar = tensor_of(arena, HTP_SCALAR_DOUBLE, NULL, 0);
    GIVES("aten::floor_divide", "", "Float[2] by [1]", OF(LONG, 2), OF(FLOAT, 2));
    GIVES("aten::floor_divide", "", "Half[2] by [1]", OF(HALF, 2), scalar);
    GIVES("aten::floor_divide", "", "Double[2] by [1]", OF(LONG, 2), scalar);
    GIVES("aten::floor_divide", "", "Float[2] by [1]", OF(LONG, 2),
          number_of(arena, HTP_SCALAR_DOUBLE));
    GIVES("aten::floor_divide", "", "Short[2] by [1]", OF(BYTE, 2), OF(CHAR, 2));
    GIVES("aten::floor_divide", "", "Float[2] by [1]", OF(HALF, 2), OF(BFLOAT16, 2));
    GIVES("aten::remainder", "Scalar_Tensor", "Float[2] by [1]", FLOAT_NUMBER(2.5), OF(INT, 2));
    GIVES("aten::remainder", "Scalar_Tensor", "Int[2] by [1]", INT(7), OF(INT, 2));
    REFUSES("aten::remainder", "Scalar_Tensor", "it is not implemented for 'ComplexFloat'",
            COMPLEX_NUMBER, OF(INT, 2));
    GIVES("aten::where", "self", "ComplexDouble[2] by [1]", OF(BOOL, 2), OF(DOUBLE, 2),
          tensor_of(arena, HTP_SCALAR_COMPLEX_FLOAT, NULL, 0));
    REFUSES("aten::where", "self",
            "where expected condition to be a boolean tensor, but got a tensor with dtype Float",
            FLOATS(2), FLOATS(2), FLOATS(2));
}

/* ---- sizes and strides ---- */

UNIT_TEST(operands_are_broadcast)
{
    GIVES("aten::logical_and", "", "Bool[2,3,4] by [12,4,1]", FLOATS(2, 1, 4), FLOATS(3, 1));
    GIVES("aten::logical_and", "", "Bool[0,3] by [3,1]", FLOATS(0, 1), FLOATS(3));
    REFUSES(
        "aten::logical_and", "",
        "The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension "
        "1",
        FLOATS(2, 4), FLOATS(3));
}

UNIT_TEST(what_is_dense_keeps_its_strides)
{
    GIVES("aten::abs", "", "Float[2,3] by [1,2]", LAID(FLOAT, BY(2, 3), BY(1, 2)));
    GIVES("aten::abs", "", "Float[2,3,4,5] by [60,1,15,3]",
          LAID(FLOAT, BY(2, 3, 4, 5), BY(60, 1, 15, 3)));
    /* A tensor that is both gets the order of its dims. */
    GIVES("aten::abs", "", "Float[2,1,4,5] by [20,20,5,1]",
          LAID(FLOAT, BY(2, 1, 4, 5), BY(20, 1, 5, 1)));
    GIVES("aten::nan_to_num", "", "Float[2,1,4,5] by [20,1,5,1]",
          LAID(FLOAT, BY(2, 1, 4, 5), BY(20, 1, 5, 1)), NONE, NONE, NONE);
}

UNIT_TEST(what_has_gaps_keeps_the_order_of_its_dims)
{
    GIVES("aten::abs", "", "Float[2,3] by [1,2]", LAID(FLOAT, BY(2, 3), BY(1, 8)));
    GIVES("aten::abs", "", "Float[2,3] by [3,1]", LAID(FLOAT, BY(2, 3), BY(0, 1)));
    GIVES("aten::abs", "", "Float[2,3] by [3,1]", LAID(FLOAT, BY(2, 3), BY(1, 0)));
    GIVES("aten::abs", "", "Float[2,3,4] by [1,8,2]", LAID(FLOAT, BY(2, 3, 4), BY(1, 100, 7)));
}

UNIT_TEST(the_first_operand_that_tells_dims_apart_orders_them)
{
    const htp_operand across = LAID(FLOAT, BY(2, 3), BY(1, 2));
    GIVES("aten::floor_divide", "", "Float[2,3] by [3,1]", FLOATS(2, 3), across);
    GIVES("aten::floor_divide", "", "Float[2,3] by [1,2]", across, FLOATS(2, 3));
    GIVES("aten::floor_divide", "", "Float[2,3] by [1,2]", FLOATS(3), across);
    GIVES("aten::rsub", "Tensor", "Float[2,3] by [1,2]", FLOATS(2, 3), across, INT(1));
    /* A converted one is a copy, without the strides of a broadcast operand. */
    GIVES("aten::floor_divide", "", "Float[2,3] by [3,1]", LAID(LONG, BY(2, 3), BY(0, 1)), across);
}

/* ---- forms ---- */

UNIT_TEST(what_is_written_into_is_the_output)
{
    GIVES("aten::abs_", "", "operand 0", FLOATS(2, 3));
    GIVES("aten::logical_and_", "", "operand 0", FLOATS(2, 3), OF(LONG, 3));
    GIVES("aten::floor_divide_", "Tensor", "operand 0", FLOATS(2, 3), FLOATS(3));
    REFUSES("aten::floor_divide_", "Tensor",
            "output with shape [3] doesn't match the broadcast shape [2, 3]", FLOATS(3),
            FLOATS(2, 3));
    REFUSES("aten::floor_divide_", "Tensor",
            "result type Float can't be cast to the desired output type Long", OF(LONG, 2),
            FLOATS(2));
    GIVES("aten::abs", "out", "operand 1", FLOATS(2, 3), LAID(DOUBLE, BY(2, 3), BY(1, 2)));
    GIVES("aten::abs", "out", "operand 1 as Float[2,3] by [1,2]", LAID(FLOAT, BY(2, 3), BY(1, 2)),
          FLOATS(0));
    REFUSES("aten::abs", "out", "expected a tensor to write into", FLOATS(2), NONE);
}

UNIT_TEST(limits_below_zero_are_none_of_bytes)
{
    GIVES("aten::hardtanh", "", "Byte[2] by [1]", OF(BYTE, 2), INT(0), INT(6));
    REFUSES("aten::hardtanh", "", "cannot do hardtanh on an unsigned type with negative limits",
            OF(BYTE, 2), FLOAT_NUMBER(-1), INT(6));
}

UNIT_TEST(slopes_are_as_many_as_channels)
{
    GIVES("aten::prelu", "", "Float[2,3,4,5] by [60,1,15,3]",
          LAID(FLOAT, BY(2, 3, 4, 5), BY(60, 1, 15, 3)), FLOATS(3));
    GIVES("aten::prelu", "", "Float[2,3]", LAID(FLOAT, BY(2, 3), BY(1, 2)), FLOATS(1));
    REFUSES("aten::prelu", "",
            "Mismatch of parameter numbers and input channel size. Found parameter numbers = 2 and "
            "channel size = 3",
            FLOATS(2, 3), FLOATS(2));
    REFUSES("aten::prelu", "", "prelu: Type promoting not supported. Got Float and Double",
            FLOATS(2, 3), OF(DOUBLE, 1));
    GIVES("aten::_prelu_kernel", "", "Float[2,3] by [1,2]", LAID(FLOAT, BY(2, 3), BY(1, 2)),
          FLOATS(1, 3));
    GIVES("aten::_prelu_kernel", "", "Float[3] by [1]", SCALAR, FLOATS(3));
}

#define SLOPES FLOAT(0.1), FLOAT(0.3), BOOL(false)

UNIT_TEST(drawn_slopes_are_as_many_as_elements)
{
    const char *name = "aten::rrelu_with_noise";
    GIVES(name, "", "Float[2,3]", LAID(FLOAT, BY(2, 3), BY(1, 2)), FLOATS(2, 3), SLOPES);
    GIVES_BY(1, false, name, "", "Float[2,3]", FLOATS(2, 3), FLOATS(3), SLOPES);
    REFUSES(name, "",
            "noise tensor shape must match self tensor shape. Got self.shape = [2, 3] noise.shape "
            "= [3]",
            FLOATS(2, 3), FLOATS(3), SLOPES);
    REFUSES(name, "", "it is not implemented for 'Long'", OF(LONG, 2), FLOATS(2), SLOPES);
}

UNIT_MAIN("meta kernels of elements", types_follow_what_an_operator_computes,
          dims_decide_types_then_none_then_numbers, operands_are_broadcast,
          what_is_dense_keeps_its_strides, what_has_gaps_keeps_the_order_of_its_dims,
          the_first_operand_that_tells_dims_apart_orders_them, what_is_written_into_is_the_output,
          limits_below_zero_are_none_of_bytes, slopes_are_as_many_as_channels,
          drawn_slopes_are_as_many_as_elements)
