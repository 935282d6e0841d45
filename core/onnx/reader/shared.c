#include "onnx/reader/shared.h"

#include <stdlib.h>
#include <string.h>

struct row {
    const char *op_type;
    htp_shareable rule;
};

/* Sorted by name. All of them are deterministic, with one output. */
static const struct row rows[] = {
    {"Abs", HTP_SHAREABLE_WITH_OPERANDS},
    {"Add", HTP_SHAREABLE_WITH_OPERANDS},
    {"And", HTP_SHAREABLE_WITH_OPERANDS},
    {"ArgMax", HTP_SHAREABLE_WITH_OPERANDS},
    {"ArgMin", HTP_SHAREABLE_WITH_OPERANDS},
    {"BitShift", HTP_SHAREABLE_WITH_OPERANDS},
    {"BitwiseAnd", HTP_SHAREABLE_WITH_OPERANDS},
    {"BitwiseNot", HTP_SHAREABLE_WITH_OPERANDS},
    {"BitwiseOr", HTP_SHAREABLE_WITH_OPERANDS},
    {"BitwiseXor", HTP_SHAREABLE_WITH_OPERANDS},
    {"Cast", HTP_SHAREABLE_WITH_OPERANDS},
    {"Ceil", HTP_SHAREABLE_WITH_OPERANDS},
    {"Clip", HTP_SHAREABLE_WITH_OPERANDS},
    {"Concat", HTP_SHAREABLE_WITH_OPERANDS},
    {"ConstantOfShape", HTP_SHAREABLE_WITH_OPERANDS},
    {"Cos", HTP_SHAREABLE_WITH_OPERANDS},
    {"CumSum", HTP_SHAREABLE_WITH_OPERANDS},
    {"Div", HTP_SHAREABLE_WITH_OPERANDS},
    {"Equal", HTP_SHAREABLE_WITH_OPERANDS},
    {"Expand", HTP_SHAREABLE_WITH_OPERANDS},
    {"EyeLike", HTP_SHAREABLE_WITH_OPERANDS},
    {"Flatten", HTP_SHAREABLE_WITH_OPERANDS},
    {"Floor", HTP_SHAREABLE_WITH_OPERANDS},
    {"Gather", HTP_SHAREABLE_WITH_OPERANDS},
    {"GatherElements", HTP_SHAREABLE_WITH_OPERANDS},
    {"GatherND", HTP_SHAREABLE_WITH_OPERANDS},
    {"Greater", HTP_SHAREABLE_WITH_OPERANDS},
    {"GreaterOrEqual", HTP_SHAREABLE_WITH_OPERANDS},
    {"IsInf", HTP_SHAREABLE_WITH_OPERANDS},
    {"IsNaN", HTP_SHAREABLE_WITH_OPERANDS},
    {"Less", HTP_SHAREABLE_WITH_OPERANDS},
    {"LessOrEqual", HTP_SHAREABLE_WITH_OPERANDS},
    {"Log", HTP_SHAREABLE_WITH_OPERANDS},
    {"Max", HTP_SHAREABLE_WITH_OPERANDS},
    {"Min", HTP_SHAREABLE_WITH_OPERANDS},
    {"Mod", HTP_SHAREABLE_WITH_OPERANDS},
    {"Mul", HTP_SHAREABLE_WITH_OPERANDS},
    {"Neg", HTP_SHAREABLE_WITH_OPERANDS},
    {"NonZero", HTP_SHAREABLE_WITH_OPERANDS},
    {"Not", HTP_SHAREABLE_WITH_OPERANDS},
    {"OneHot", HTP_SHAREABLE_WITH_OPERANDS},
    {"Or", HTP_SHAREABLE_WITH_OPERANDS},
    {"Pow", HTP_SHAREABLE_WITH_OPERANDS},
    {"Range", HTP_SHAREABLE_WITH_OPERANDS},
    {"Reciprocal", HTP_SHAREABLE_WITH_OPERANDS},
    {"ReduceMax", HTP_SHAREABLE_WITH_OPERANDS},
    {"ReduceMin", HTP_SHAREABLE_WITH_OPERANDS},
    {"ReduceProd", HTP_SHAREABLE_WITH_OPERANDS},
    {"ReduceSum", HTP_SHAREABLE_WITH_OPERANDS},
    {"Reshape", HTP_SHAREABLE_WITH_OPERANDS},
    {"Round", HTP_SHAREABLE_WITH_OPERANDS},
    {"ScatterElements", HTP_SHAREABLE_WITH_OPERANDS},
    {"ScatterND", HTP_SHAREABLE_WITH_OPERANDS},
    {"Shape", HTP_SHAREABLE_ALWAYS},
    {"Sign", HTP_SHAREABLE_WITH_OPERANDS},
    {"Sin", HTP_SHAREABLE_WITH_OPERANDS},
    {"Size", HTP_SHAREABLE_ALWAYS},
    {"Slice", HTP_SHAREABLE_WITH_OPERANDS},
    {"Sqrt", HTP_SHAREABLE_WITH_OPERANDS},
    {"Squeeze", HTP_SHAREABLE_WITH_OPERANDS},
    {"Sub", HTP_SHAREABLE_WITH_OPERANDS},
    {"Tile", HTP_SHAREABLE_WITH_OPERANDS},
    {"Transpose", HTP_SHAREABLE_WITH_OPERANDS},
    {"Trilu", HTP_SHAREABLE_WITH_OPERANDS},
    {"Unsqueeze", HTP_SHAREABLE_WITH_OPERANDS},
    {"Where", HTP_SHAREABLE_WITH_OPERANDS},
    {"Xor", HTP_SHAREABLE_WITH_OPERANDS},
};

static int compare_rows(const void *op_type, const void *row)
{
    return strcmp(op_type, ((const struct row *)row)->op_type);
}

htp_shareable htp_shareable_rule(const char *op_type)
{
    const struct row *row =
        bsearch(op_type, rows, sizeof(rows) / sizeof(rows[0]), sizeof(rows[0]), compare_rows);
    return row ? row->rule : HTP_SHAREABLE_NEVER;
}
