// Objects, and data known before a run: constants of the code, and attributes.
#include "program.h"

namespace htp
{

uint32_t Program::object(const c10::intrusive_ptr<c10::ivalue::Object> &object)
{
    const auto known = object_numbers_.find(object.get());
    const uint32_t number = known == object_numbers_.end() ? add_object(object) : known->second;
    renew();
    return number;
}

uint32_t Program::add_object(const c10::intrusive_ptr<c10::ivalue::Object> &object)
{
    objects_.push_back({class_number(object->type())});
    kept_objects_.push_back(object);
    slots_.resize(slots_.size() + object->type()->numAttributes(), HTP_NONE);
    slot_ends_.push_back(slots_.size());
    return object_numbers_[object.get()] = last_of(objects_);
}

uint32_t Program::make_object(uint32_t class_number)
{
    const c10::ClassTypePtr &type = kept_classes_.at(class_number);
    const uint32_t number = add_object(c10::ivalue::Object::create(type, type->numAttributes()));
    renew();
    return number;
}

uint32_t Program::load_slot(uint32_t object, uint32_t slot)
{
    const size_t first = object > 0 ? slot_ends_.at(object - 1) : 0;
    if (slot >= slot_ends_.at(object) - first) {
        throw std::out_of_range("no such slot");
    }
    if (slots_[first + slot] == HTP_NONE) {
        const uint32_t number = data(kept_objects_[object]->getSlot(slot));
        slots_[first + slot] = number;
        renew();
    }
    return slots_[first + slot];
}

uint32_t Program::load_traced_inputs(const std::string &method)
{
    std::vector<c10::IValue> inputs = model_.archive.traced_inputs(method);
    if (inputs.empty()) {
        return HTP_NONE;
    }
    const uint32_t number = data(c10::ivalue::Tuple::create(std::move(inputs)));
    renew();
    return number;
}

uint32_t Program::keep(const at::Tensor &tensor)
{
    const uint32_t number = data(tensor);
    renew();
    return number;
}

const at::Tensor *Program::tensor_of(uint32_t data) const
{
    const htp_program_data &found = data_.at(data);
    return found.kind == HTP_DATA_TENSOR
               ? &static_cast<const c10::IValue *>(found.other)->toTensor()
               : nullptr;
}

namespace
{

// The parts of a value; keys and values of a dict alternate.
std::vector<c10::IValue> parts_of(const c10::IValue &value)
{
    if (value.isTuple()) {
        return value.toTupleRef().elements().vec();
    }
    if (value.isList()) {
        return value.toListRef().vec();
    }
    std::vector<c10::IValue> parts;
    for (const auto &entry : value.toGenericDict()) {
        parts.push_back(entry.key());
        parts.push_back(entry.value());
    }
    return parts;
}

} // namespace

// Shared parts of a value are described once.
uint32_t Program::container(const c10::IValue &value)
{
    const auto known = container_numbers_.find(value.internalToPointer());
    if (known != container_numbers_.end()) {
        return known->second;
    }
    std::vector<uint32_t> elements;
    for (const c10::IValue &part : parts_of(value)) {
        elements.push_back(data(part));
    }
    htp_program_data described = {};
    described.kind = value.isTuple()  ? HTP_DATA_TUPLE
                     : value.isList() ? HTP_DATA_LIST
                                      : HTP_DATA_DICT;
    described.object = HTP_NONE;
    described.element_count = static_cast<uint32_t>(elements.size());
    described.elements = model_.keep.array(elements);
    described.other = &kept_values_.emplace_back(value);
    data_.push_back(described);
    const auto number = last_of(data_);
    container_numbers_[value.internalToPointer()] = number;
    return number;
}

// A tensor that is not strided has no accessible memory.
htp_tensor_view Program::describe(const at::Tensor &tensor)
{
    const bool is_lazy = tensor.is_conj() || tensor.is_neg(); // its bytes differ from its numbers
    htp_tensor_view view = {};
    view.type = static_cast<int32_t>(tensor.scalar_type());
    view.rank = static_cast<uint32_t>(tensor.dim());
    view.dims = model_.keep.array(tensor.sizes().vec());
    view.is_plain = tensor.layout() == at::kStrided && !tensor.is_quantized() && !is_lazy;
    view.strides = view.is_plain ? model_.keep.array(tensor.strides().vec()) : nullptr;
    view.requires_grad = tensor.requires_grad();
    if (tensor.has_storage()) {
        view.storage = reinterpret_cast<uintptr_t>(storage_identity(tensor));
        view.offset = tensor.storage_offset();
        model_.archive.find_bytes(tensor, view);
    }
    return view;
}

void Program::describe_plain(const c10::IValue &value, htp_program_data &described)
{
    if (value.isNone() || value.isTensor()) { // an undefined one
        described.kind = HTP_DATA_NONE;
    } else if (value.isInt() || value.isBool()) {
        described.kind = value.isInt() ? HTP_DATA_INT : HTP_DATA_BOOL;
        described.number = value.isInt() ? value.toInt() : static_cast<int64_t>(value.toBool());
    } else if (value.isDouble()) {
        described.kind = HTP_DATA_FLOAT;
        described.real = value.toDouble();
    } else if (value.isString() || value.isDevice()) {
        const std::string text = value.isString() ? value.toStringRef() : value.toDevice().str();
        described.kind = value.isString() ? HTP_DATA_STRING : HTP_DATA_DEVICE;
        described.string = model_.keep.string(text);
        described.bytes = text.size();
    } else if (value.isObject()) {
        described.kind = HTP_DATA_OBJECT;
        described.object = object(value.toObject());
    } else {
        described.kind = HTP_DATA_OTHER;
        described.other = &kept_values_.emplace_back(value);
    }
}

uint32_t Program::data(const c10::IValue &value)
{
    if (value.isList() || value.isTuple() || value.isGenericDict()) {
        return container(value);
    }
    htp_program_data described = {};
    described.object = HTP_NONE;
    if (value.isTensor() && value.toTensor().defined()) {
        const std::vector<htp_tensor_view> view = {describe(value.toTensor())};
        described.kind = HTP_DATA_TENSOR;
        described.tensor = model_.keep.array(view);
        described.other = &kept_values_.emplace_back(value);
    } else {
        describe_plain(value, described);
    }
    data_.push_back(described);
    return last_of(data_);
}

} // namespace htp
