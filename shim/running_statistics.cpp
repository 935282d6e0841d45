// Normalization by the statistics of a batch, in training mode: operators that also move running
// statistics, in place and without saying so in their schemas.
#include "interpreter.h"

namespace htp
{

namespace
{

// Arguments that aten::batch_norm and aten::instance_norm have in common.
enum Argument : size_t { kInput, kWeight, kBias, kMean, kVariance, kUsesBatch, kMomentum, kCount };

bool moves_statistics(const std::vector<Ref> &inputs)
{
    const Ref &uses_batch = inputs.at(kUsesBatch);
    return inputs[kInput]->is_tensor() && inputs[kMean]->is_tensor() &&
           inputs[kVariance]->is_tensor() && uses_batch->is_number() && uses_batch->is_constant &&
           uses_batch->lane[0].toBool();
}

} // namespace

// running = (1 - momentum) * running + momentum * of_batch, see ATen's native/Normalization.cpp.
void Interpreter::move_statistic(const Ref &running, const Ref &of_batch, const Ref &momentum,
                                 const Place &place)
{
    const Ref rest =
        executor_.run_named("aten::sub", "float", {recording_.plain(1.0), momentum}, place);
    const Ref kept = executor_.run_named("aten::mul", "Scalar",
                                         {executor_.current(running, place), rest}, place);
    const Ref moved = executor_.run_named("aten::mul", "Scalar", {of_batch, momentum}, place);
    const Ref sum =
        executor_.run_named("aten::add", "Tensor", {kept, moved, recording_.plain(1)}, place);
    executor_.run_named("aten::copy_", "", {running, sum, recording_.plain(false)}, place);
}

// Moves both by the mean and the unbiased variance over the dims from @p first on, but for that of
// channels; where that leaves dim 0, its mean counts.
void Interpreter::move_statistics(const std::vector<Ref> &inputs, int64_t first, const Place &place)
{
    const at::Tensor &running = inputs[kMean]->tensor(0);
    const Ref dtype = recording_.plain(static_cast<int64_t>(running.scalar_type()));
    const Ref no = recording_.plain(false);
    const Ref none = recording_.plain(c10::IValue());
    Ref input = inputs[kInput];
    if (input->tensor(0).scalar_type() != running.scalar_type()) {
        input = executor_.run_named("aten::to", "dtype", {input, dtype, no, no, none}, place);
    }
    std::vector<Ref> dims;
    for (int64_t dim = first; dim < input->tensor(0).dim(); dim++) {
        if (dim != 1) {
            dims.push_back(recording_.plain(dim));
        }
    }
    const auto over = [&](std::vector<Ref> of) {
        return recording_.sequence(Item::Kind::List, std::move(of));
    };
    Ref mean = executor_.run_named("aten::mean", "dim", {input, over(dims), no, none}, place);
    Ref variance = executor_.run_named("aten::var", "dim",
                                       {input, over(dims), recording_.plain(true), no}, place);
    for (Ref *statistic : {&mean, &variance}) {
        if ((*statistic)->tensor(0).dim() > 1) {
            *statistic = executor_.run_named(
                "aten::mean", "dim", {*statistic, over({recording_.plain(0)}), no, none}, place);
        }
    }
    move_statistic(inputs[kMean], mean, inputs[kMomentum], place);
    move_statistic(inputs[kVariance], variance, inputs[kMomentum], place);
}

// Those that return the statistics of the batch, too, are aten::native_batch_norm: another one that
// always moves the running ones, and returns memory of other devices' kernels, which is empty; and
// one that says in its schema what it moves, which no kernel tells sizes of.
std::vector<Ref> Interpreter::do_normalization(const Node &node, std::vector<Ref> &inputs,
                                               Frame &frame)
{
    const Place place = place_of(node, frame.scope);
    const std::string kind = node.kind().toQualString();
    const bool is_update = kind == "aten::_batch_norm_with_update";
    const bool is_native = is_update || kind == "aten::_native_batch_norm_legit";
    // Not those that are given the memory of their outputs.
    if ((is_native || kind == "aten::native_batch_norm") &&
        inputs.size() != (is_update ? kCount : kCount + 1)) {
        return executor_.run(node, inputs, place);
    }
    std::vector<Ref> alone = inputs;
    if (is_update) {
        alone.insert(alone.begin() + kUsesBatch, recording_.plain(true));
    }
    const bool moves = alone.size() > kCount && moves_statistics(alone);
    const std::vector<Ref> all = alone;
    if (moves) {
        alone[kMean] = recording_.plain(c10::IValue());
        alone[kVariance] = recording_.plain(c10::IValue());
        alone[kMomentum] = recording_.plain(0.0);
    }
    std::vector<Ref> outputs =
        is_native
            ? executor_.run_all(c10::OperatorName("aten::native_batch_norm", ""), alone, place)
            : executor_.run(node, alone, place);
    if (moves) {
        move_statistics(all, kind == "aten::instance_norm" ? 2 : 0, place);
    }
    if (is_update) {
        const Ref none = recording_.plain(c10::IValue());
        const Ref sizes = recording_.sequence(Item::Kind::List, {recording_.plain(int64_t{0})});
        const Ref dtype = recording_.plain(static_cast<int64_t>(at::kByte));
        outputs.push_back(
            executor_.run_named("aten::zeros", "", {sizes, dtype, none, none, none}, place));
    }
    return outputs;
}

} // namespace htp
