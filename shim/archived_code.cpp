#include "archived_code.h"

#include <torch/csrc/jit/mobile/type_parser.h>
#include <torch/csrc/jit/serialization/pickle.h>
#include <torch/csrc/jit/serialization/source_range_serialization.h>

#include <algorithm>
#include <map>
#include <vector>

namespace htp
{

namespace
{

using torch::jit::Source;
using torch::jit::SourceRange;

using Texts = std::vector<std::shared_ptr<std::string>>;

// A debug record: a tuple of (offset in the code, source range, tag), in order of offsets. Since
// version 6 of the format the texts stand in a table in front of them, behind this word.
constexpr const char *kWithTable = "FORMAT_WITH_STRING_TABLE";

// Reads source ranges: ((text, file, first line), begin, end). The same source is given to many of
// them, as one tuple.
class RangeReader
{
  public:
    explicit RangeReader(Texts texts) : texts_(std::move(texts)) {}

    SourceRange read(const c10::IValue &range)
    {
        const auto &parts = range.toTupleRef().elements();
        const auto source = source_of(parts.at(0));
        const auto size = static_cast<int64_t>(source->size());
        const int64_t begin = std::clamp<int64_t>(parts.at(1).toInt(), 0, size);
        const int64_t end = std::clamp<int64_t>(parts.at(2).toInt(), begin, size);
        return {source, static_cast<size_t>(begin), static_cast<size_t>(end)};
    }

  private:
    std::shared_ptr<Source> source_of(const c10::IValue &value)
    {
        auto tuple = value.toTuple();
        auto &known = sources_[tuple.get()];
        if (!known) {
            known = make_source(tuple->elements());
            kept_.push_back(std::move(tuple)); // its address stays its own
        }
        return known;
    }

    template <typename Parts> std::shared_ptr<Source> make_source(const Parts &parts) const
    {
        std::string text;
        c10::optional<std::string> file;
        if (parts.at(0).isString()) {
            text = parts.at(0).toStringRef();
            file = parts.at(1).template toOptional<std::string>();
        } else {
            for (const int64_t index : parts.at(0).toIntVector()) {
                text += *texts_.at(static_cast<size_t>(index));
            }
            file = *texts_.at(static_cast<size_t>(parts.at(1).toInt()));
        }
        return std::make_shared<Source>(text, file, static_cast<size_t>(parts.at(2).toInt()));
    }

    Texts texts_;
    std::map<const void *, std::shared_ptr<Source>> sources_; // by tuple
    std::vector<c10::intrusive_ptr<c10::ivalue::Tuple>> kept_;
};

// The debug record of a code record. What is damaged in it costs the places alone.
class DebugRecord final : public torch::jit::SourceRangeUnpickler
{
  public:
    DebugRecord(at::DataPtr data, size_t size) : data_(std::move(data)), size_(size) {}

    c10::optional<SourceRange> findSourceRangeThatGenerated(const SourceRange &range) override
    {
        if (!is_read_) {
            is_read_ = true;
            read();
        }
        const auto next = std::upper_bound(
            ranges_.begin(), ranges_.end(), static_cast<int64_t>(range.start()),
            [](int64_t offset, const auto &entry) { return offset < entry.first; });
        return next == ranges_.begin() ? c10::nullopt
                                       : c10::optional<SourceRange>(std::prev(next)->second);
    }

  private:
    void read()
    {
        const c10::IValue all = torch::jit::unpickle(static_cast<const char *>(data_.get()), size_,
                                                     nullptr, {}, c10::parseType);
        const auto &parts = all.toTupleRef().elements();
        Texts texts;
        const bool has_table =
            !parts.empty() && parts[0].isString() && parts[0].toStringRef() == kWithTable;
        if (has_table) {
            for (const c10::IValue &text : parts.at(1).toTupleRef().elements()) {
                texts.push_back(std::make_shared<std::string>(text.toStringRef()));
            }
        }
        RangeReader reader(std::move(texts));
        for (const c10::IValue &entry :
             has_table ? parts.at(2).toTupleRef().elements() : all.toTupleRef().elements()) {
            const auto &fields = entry.toTupleRef().elements();
            ranges_.emplace_back(fields.at(0).toInt(), reader.read(fields.at(1)));
        }
        data_.clear();
    }

    at::DataPtr data_;
    size_t size_;
    bool is_read_ = false;
    std::vector<std::pair<int64_t, SourceRange>> ranges_; // by offset in the code
};

} // namespace

std::shared_ptr<Source> find_source(caffe2::serialize::PyTorchStreamReader &records,
                                    const std::string &qualifier)
{
    std::string path = qualifier;
    std::replace(path.begin(), path.end(), '.', '/');
    path = "code/" + path + ".py";
    if (!records.hasRecord(path)) {
        return nullptr;
    }
    std::shared_ptr<DebugRecord> debug;
    if (records.hasRecord(path + ".debug_pkl")) {
        auto [data, size] = records.getRecord(path + ".debug_pkl");
        debug = std::make_shared<DebugRecord>(std::move(data), size);
    }
    auto [code, size] = records.getRecord(path);
    return std::make_shared<Source>(std::string(static_cast<const char *>(code.get()), size), path,
                                    1, std::move(debug));
}

} // namespace htp
