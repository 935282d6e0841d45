#include "recording.h"

#include <algorithm>
#include <cstring>

namespace htp
{

namespace
{

constexpr int kMaxNesting = 64;

std::string bytes_of(const at::Tensor &tensor)
{
    const at::Tensor packed = tensor.resolve_conj().resolve_neg().contiguous();
    return {static_cast<const char *>(packed.data_ptr()), packed.nbytes()};
}

} // namespace

at::Tensor meta_like(const at::Tensor &tensor)
{
    return at::empty_strided(tensor.sizes(), tensor.strides(),
                             tensor.options().device(at::kMeta).requires_grad(false));
}

void settle_empty(Item &item, uint32_t lane_count)
{
    for (uint32_t lane = 0; lane < lane_count; lane++) {
        if (item.tensor(lane).numel() != 0) {
            return;
        }
    }
    for (uint32_t lane = 0; lane < lane_count; lane++) {
        const at::Tensor &tensor = item.tensor(lane);
        item.lane[lane] = at::empty(tensor.sizes(), tensor.options().device(at::kCPU));
    }
    item.is_real = true;
}

void note_contents(Item &item, uint32_t lane_count)
{
    const std::string bytes = bytes_of(item.tensor(0));
    for (uint32_t lane = 1; lane < lane_count; lane++) {
        const at::Tensor &other = item.tensor(lane);
        if (other.sizes() != item.tensor(0).sizes() || bytes_of(other) != bytes) {
            item.is_constant = false;
            return;
        }
    }
    item.contents = bytes;
}

Ref Recording::make(Item::Kind kind)
{
    auto item = std::make_shared<Item>();
    item->kind = kind;
    item->id = static_cast<uint32_t>(items.size());
    item->epoch = epoch;
    item->birth = item->id;
    items.push_back(item);
    return item;
}

Ref Recording::plain(c10::IValue value, bool is_constant)
{
    Ref item = make(Item::Kind::Plain);
    for (uint32_t lane = 0; lane < lane_count; lane++) {
        item->lane[lane] = value;
    }
    item->is_constant = is_constant;
    return item;
}

namespace
{

int64_t next_prime(int64_t number)
{
    const auto is_prime = [](int64_t candidate) {
        for (int64_t divisor = 2; divisor * divisor <= candidate; divisor++) {
            if (candidate % divisor == 0) {
                return false;
            }
        }
        return true;
    };
    do {
        number++;
    } while (!is_prime(number));
    return number;
}

} // namespace

const htp_shim_size &Recording::new_size(const std::string &name)
{
    // Many numbers divide it: programs split what they select into equal parts.
    constexpr int64_t kManyDivisors = 5040;
    if (lane_count == 1) {
        throw NeedsLanes();
    }
    htp_shim_size size = {model.keep.string(name), {}};
    for (uint32_t lane = 0; lane < lane_count; lane++) {
        last_prime_ = next_prime(last_prime_);
        size.sizes[lane] = kManyDivisors * last_prime_;
    }
    return data_sizes.emplace_back(size);
}

Ref Recording::sequence(Item::Kind kind, std::vector<Ref> elements)
{
    Ref item = make(kind);
    item->elements = std::move(elements);
    return item;
}

void Recording::before_change(const Ref &list)
{
    if (list->is_state) {
        throw Unsupported(model.method +
                          "() changes a list or dict of its code, which the next call would read");
    }
    if (list->is_late) {
        throw NeedsEarlier();
    }
    if (list->is_merged) {
        throw Unsupported("a list that comes out of a branch or loop on the data is changed");
    }
    if (!journals.empty() && list->birth < journals.back()->first_item) {
        auto &noted = journals.back()->lists;
        if (std::none_of(noted.begin(), noted.end(),
                         [&](const auto &one) { return one.first == list; })) {
            noted.emplace_back(list, contents_of(*list));
        }
    }
    let_go(list);
}

// Nodes that were given the list keep what it held.
void Recording::let_go(const Ref &list)
{
    if (list->is_used) {
        items[list->id] = std::make_shared<Item>(*list);
        list->id = static_cast<uint32_t>(items.size());
        list->is_used = false;
        items.push_back(list);
    }
    list->producer = HTP_SHIM_NONE;
}

Contents contents_of(const Item &list)
{
    return {list.elements, list.stacked};
}

void Recording::restore(const Ref &list, Contents contents)
{
    let_go(list);
    list->elements = std::move(contents.elements);
    list->stacked = std::move(contents.stacked);
}

void Recording::fill(const Ref &list, Contents contents)
{
    before_change(list);
    list->elements = std::move(contents.elements);
    list->stacked = std::move(contents.stacked);
}

Mark Recording::mark() const
{
    return {items.size(),      nodes.size(),  scopes.size(), blocks.size(),
            calls_made.size(), passed.size(), looks_};
}

void Recording::discard(const Mark &mark)
{
    for (size_t i = mark.items; i < items.size(); i++) {
        items[i]->producer = HTP_SHIM_NONE;
    }
    for (size_t i = mark.scopes; i < scopes.size(); i++) {
        calls[scopes[i].module]--;
    }
    nodes.resize(mark.nodes);
    scopes.resize(mark.scopes);
    blocks.resize(mark.blocks);
    calls_made.resize(mark.calls);
    passed.resize(mark.passed);
    looks_ = mark.looks;
}

static void require_rank(const at::Tensor &tensor)
{
    if (tensor.dim() > HTP_SHIM_MAX_RANK) {
        throw Unsupported("a weight or constant has " + std::to_string(tensor.dim()) +
                          " dims; up to " + std::to_string(HTP_SHIM_MAX_RANK) + " can be exported");
    }
}

static Ref state(Ref item)
{
    item->is_state = true;
    return item;
}

Ref Recording::constant(const c10::IValue &value)
{
    if (value.isTensor() && value.toTensor().defined()) {
        const at::Tensor &tensor = value.toTensor();
        require_rank(tensor);
        Ref item = make(Item::Kind::Tensor);
        item->is_constant = true;
        item->is_real = tensor.numel() <= kRealElements && model.archive.is_readable(tensor);
        const at::Tensor held = item->is_real ? tensor : meta_like(tensor);
        for (uint32_t lane = 0; lane < lane_count; lane++) {
            // A copy for each lane: operators may change it in place.
            item->lane[lane] = item->is_real ? held.detach().clone() : held;
        }
        if (item->is_real) {
            note_contents(*item, lane_count);
        } else {
            const auto index = static_cast<uint32_t>(model.weights.size());
            model.weights.push_back(model.describe(tensor, "constant_" + std::to_string(index)));
            model.weight_tensors.push_back(tensor);
            item->weight = index;
        }
        note_state(*item);
        return item;
    }
    std::vector<Ref> elements;
    if (value.isList()) {
        for (const c10::IValue &element : value.toListRef()) {
            elements.push_back(constant(element));
        }
        return state(sequence(Item::Kind::List, std::move(elements)));
    }
    if (value.isTuple()) {
        for (const c10::IValue &element : value.toTupleRef().elements()) {
            elements.push_back(constant(element));
        }
        return sequence(Item::Kind::Tuple, std::move(elements));
    }
    if (value.isGenericDict()) {
        for (const auto &entry : value.toGenericDict()) {
            elements.push_back(constant(entry.key()));
            elements.push_back(constant(entry.value()));
        }
        return state(sequence(Item::Kind::Dict, std::move(elements)));
    }
    if (value.isObject()) {
        Ref item = make(Item::Kind::Object);
        item->object = value.toObject();
        item->module = model.module_of(item->object.get());
        return item;
    }
    return plain(value);
}

void Recording::note_state(const Item &item)
{
    for (uint32_t lane = 0; lane < lane_count; lane++) {
        state_.insert(storage_identity(item.tensor(lane)));
    }
}

void Recording::let_change(Item &item)
{
    item.is_state = false;
    for (uint32_t lane = 0; item.is_tensor() && lane < lane_count; lane++) {
        state_.erase(storage_identity(item.tensor(lane)));
    }
}

bool Recording::is_state(const void *storage) const
{
    return state_.count(storage) != 0;
}

Ref Recording::weight(uint32_t index)
{
    Ref &known = weights_[index];
    if (known) {
        return known;
    }
    const at::Tensor &tensor = model.weight_tensors[index];
    const htp_shim_weight &facts = model.weights[index];
    require_rank(tensor);
    known = make(Item::Kind::Tensor);
    known->weight = index;
    known->is_real =
        !facts.is_parameter && tensor.numel() <= 1 && model.archive.is_readable(tensor);
    known->is_constant = known->is_real;
    if (known->is_real) {
        for (uint32_t lane = 0; lane < lane_count; lane++) {
            known->lane[lane] = tensor.detach().clone();
        }
        note_contents(*known, lane_count);
        note_state(*known);
        return known;
    }
    if (facts.dtype == HTP_DTYPE_OTHER) {
        throw Unsupported(
            std::string("the weight ") + facts.name +
            " is sparse, quantised, conjugated, or of a type that ONNX has no plain form for");
    }
    // Tied weights share a meta storage, so that aliases are seen.
    at::Tensor &base = meta_storages_[storage_identity(tensor)];
    if (!base.defined()) {
        const auto elements =
            static_cast<int64_t>(tensor.storage().nbytes() / tensor.dtype().itemsize());
        base = at::empty({elements}, tensor.options().device(at::kMeta).requires_grad(false));
    }
    const bool same_type = base.scalar_type() == tensor.scalar_type();
    const at::Tensor view =
        same_type ? base.as_strided(tensor.sizes(), tensor.strides(), tensor.storage_offset())
                  : meta_like(tensor);
    for (uint32_t lane = 0; lane < lane_count; lane++) {
        known->lane[lane] = view;
    }
    note_state(*known);
    return known;
}

namespace
{

// What the elements of a list are: by its declared type, else by what it holds.
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

c10::IValue join(const Ref &item, size_t lane, const c10::TypePtr &type, int depth)
{
    if (depth > kMaxNesting) {
        throw Unsupported("a list or tuple is nested too deeply");
    }
    std::vector<c10::IValue> values;
    switch (item->kind) {
    case Item::Kind::List: {
        for (const Ref &element : item->elements) {
            values.push_back(join(element, lane, nullptr, depth + 1));
        }
        c10::impl::GenericList list(element_type(type, values));
        list.reserve(values.size());
        for (c10::IValue &value : values) {
            list.push_back(std::move(value));
        }
        return list;
    }
    case Item::Kind::Tuple:
        for (const Ref &element : item->elements) {
            values.push_back(join(element, lane, nullptr, depth + 1));
        }
        return c10::ivalue::Tuple::create(std::move(values));
    case Item::Kind::Object:
        return item->object;
    case Item::Kind::Dict:
        throw Unsupported("a dict goes to an operator");
    default:
        return item->lane[lane];
    }
}

} // namespace

c10::IValue Recording::value(const Ref &item, size_t lane, const c10::TypePtr &type)
{
    return join(item, lane, type, 0);
}

bool Recording::is_fixed(const Item &tensor, int64_t dim) const
{
    bool is_same = true;
    for (uint32_t lane = 1; lane < lane_count; lane++) {
        is_same = is_same && tensor.tensor(lane).size(dim) == tensor.tensor(0).size(dim);
    }
    return is_same;
}

bool Recording::has_same_size(const Item &a, int64_t dim_a, const Item &b, int64_t dim_b) const
{
    bool is_same = true;
    for (uint32_t lane = 0; lane < lane_count; lane++) {
        is_same = is_same && a.tensor(lane).size(dim_a) == b.tensor(lane).size(dim_b);
    }
    return is_same;
}

std::string Recording::describe(const Place &place) const
{
    const uint32_t module = scopes.empty() ? 0 : scopes[place.scope].module;
    const std::string path = model.modules[module].path;
    std::string text = path.empty() ? "in the root module" : "in " + path;
    if (!place.file.empty()) {
        text += " (" + place.file + ":" + std::to_string(place.line) + ")";
    }
    return text;
}

} // namespace htp
