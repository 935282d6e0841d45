#include "operands.h"

namespace htp
{

namespace
{

constexpr int kMaxNesting = 64;
constexpr size_t kMaxParts = 1u << 16; // of nested parts: shared ones are described repeatedly

// The element type of a list: declared, or of its contents.
c10::TypePtr element_type(const c10::TypePtr &declared, const std::vector<c10::IValue> &values)
{
    c10::TypePtr type = declared;
    if (type && type->kind() == c10::TypeKind::OptionalType) {
        type = type->expectRef<c10::OptionalType>().getElementType();
    }
    if (type && type->kind() == c10::TypeKind::ListType) {
        const c10::TypePtr element = type->expectRef<c10::ListType>().getElementType();
        if (!element->hasFreeVariables()) {
            return element;
        }
    }
    c10::TypePtr common;
    for (const c10::IValue &value : values) {
        const c10::TypePtr own = value.isTensor() ? c10::TensorType::get() : value.type();
        if (common && *common != *own) {
            return c10::AnyType::get();
        }
        common = own;
    }
    return common ? common : c10::AnyType::get();
}

std::string text_of(const htp_operand &operand)
{
    return {operand.as.text, operand.bytes};
}

c10::IValue join(const Program &program, const htp_operand &operand, const c10::TypePtr &declared,
                 int depth);

std::vector<c10::IValue> join_elements(const Program &program, const htp_operand &operand,
                                       int depth)
{
    std::vector<c10::IValue> values;
    values.reserve(operand.count);
    for (uint32_t i = 0; i < operand.count; i++) {
        values.push_back(join(program, operand.as.elements[i], nullptr, depth + 1));
    }
    return values;
}

c10::IValue join_list(const Program &program, const htp_operand &operand,
                      const c10::TypePtr &declared, int depth)
{
    std::vector<c10::IValue> values = join_elements(program, operand, depth);
    c10::impl::GenericList list(element_type(declared, values));
    list.reserve(values.size());
    for (c10::IValue &value : values) {
        list.push_back(std::move(value));
    }
    return list;
}

c10::IValue join(const Program &program, const htp_operand &operand, const c10::TypePtr &declared,
                 int depth)
{
    if (depth > kMaxNesting) {
        throw Unsupported("a list or tuple is nested too deeply");
    }
    switch (operand.kind) {
    case HTP_OPERAND_NONE:
        return {};
    case HTP_OPERAND_INT:
        return operand.as.i;
    case HTP_OPERAND_FLOAT:
        return operand.as.f;
    case HTP_OPERAND_BOOL:
        return operand.as.b;
    case HTP_OPERAND_STRING:
        return text_of(operand);
    case HTP_OPERAND_DEVICE:
        return at::Device(text_of(operand));
    case HTP_OPERAND_OTHER:
        return *static_cast<const c10::IValue *>(operand.as.other);
    case HTP_OPERAND_TENSOR:
        return tensor_of(operand.as.tensor);
    case HTP_OPERAND_LIST:
        return join_list(program, operand, declared, depth);
    case HTP_OPERAND_TUPLE:
        return c10::ivalue::Tuple::create(join_elements(program, operand, depth));
    case HTP_OPERAND_OBJECT:
        return program.object_of(operand.as.object);
    }
    throw std::runtime_error("there is no such operand");
}

} // namespace

c10::IValue Operands::value(const htp_operand &operand, const c10::TypePtr &declared) const
{
    const bool is_complete = declared && !declared->hasFreeVariables();
    const bool has_type = operand.kind == HTP_OPERAND_LIST && operand.type != HTP_NONE;
    return join(program_, operand,
                is_complete || !has_type ? declared : program_.type_of(operand.type), 0);
}

c10::IValue Operands::value(const htp_operand &operand) const
{
    return join(program_, operand, nullptr, 0);
}

namespace
{

// Values without a description, such as objects made by a kernel, are passed through.
// @param left  how many nested parts are allowed
htp_operand describe(const c10::IValue &value, Handouts &handouts, int depth, size_t &left)
{
    htp_operand made = {};
    made.type = HTP_NONE;
    if (value.isNone() || (value.isTensor() && !value.toTensor().defined())) {
        made.kind = HTP_OPERAND_NONE; // an output that was not requested
    } else if (value.isTensor()) {
        made.kind = HTP_OPERAND_TENSOR;
        made.as.tensor = handouts.add(value.toTensor());
    } else if (value.isInt()) {
        made.kind = HTP_OPERAND_INT;
        made.as.i = value.toInt();
    } else if (value.isDouble()) {
        made.kind = HTP_OPERAND_FLOAT;
        made.as.f = value.toDouble();
    } else if (value.isBool()) {
        made.kind = HTP_OPERAND_BOOL;
        made.as.b = value.toBool();
    } else if (value.isString() || value.isDevice()) {
        const std::string &text =
            handouts.add(value.isString() ? value.toStringRef() : value.toDevice().str());
        made.kind = value.isString() ? HTP_OPERAND_STRING : HTP_OPERAND_DEVICE;
        made.as.text = text.c_str();
        made.bytes = text.size();
    } else if (value.isList() || value.isTuple()) {
        const std::vector<c10::IValue> parts =
            value.isList() ? value.toListRef().vec() : value.toTupleRef().elements().vec();
        const size_t counted = depth > 0 ? parts.size() : 0;
        if (depth > kMaxNesting || counted > left) {
            throw Unsupported("a list or tuple is nested too deeply");
        }
        left -= counted;
        std::vector<htp_operand> elements;
        for (const c10::IValue &part : parts) {
            elements.push_back(describe(part, handouts, depth + 1, left));
        }
        made.kind = value.isList() ? HTP_OPERAND_LIST : HTP_OPERAND_TUPLE;
        made.count = static_cast<uint32_t>(elements.size());
        made.as.elements = handouts.add(std::move(elements));
    } else {
        made.kind = HTP_OPERAND_OTHER;
        made.as.other = handouts.add(value);
    }
    return made;
}

} // namespace

htp_operand describe(const c10::IValue &value, Handouts &handouts)
{
    size_t left = kMaxParts;
    return describe(value, handouts, 0, left);
}

htp_operand Operands::hand_out(const c10::IValue &value) const
{
    htp_operand made = {};
    if (value.isObject()) {
        made.kind = HTP_OPERAND_OBJECT;
        made.as.object = program_.object(value.toObject());
    } else if (value.isTensor() || value.isList() || value.isTuple()) {
        made.kind = HTP_OPERAND_OTHER;
        made.as.other = handouts_.add(value);
    } else {
        made = describe(value, handouts_);
    }
    return made;
}

} // namespace htp
