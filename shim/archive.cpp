#include "archive.h"

#include <c10/core/CPUAllocator.h>
#include <caffe2/serialize/read_adapter_interface.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace htp
{

namespace
{

// Smaller storages are copied.
constexpr uint64_t kPagedBytes = uint64_t{64} * 1024;

// Kernels expect the alignment of the widest numbers.
constexpr uintptr_t kAlignment = 16;

} // namespace

struct Archive::Mapping {
    char *data = nullptr;
    uint64_t size = 0;
    uint64_t reads = 0;  // by libtorch's reader, which reads headers and contents separately
    uint64_t passed = 0; // records read without that reader
    uint64_t records = 0;
    const htp_shim_host *host = nullptr; // while the archive is loaded

    ~Mapping()
    {
        if (data != nullptr) {
            munmap(data, size);
        }
    }

    bool go_on() const
    {
        return host == nullptr ||
               host->tick(host->user, std::min(reads / 2 + passed, records), records);
    }
};

namespace
{

class MappedReader final : public caffe2::serialize::ReadAdapterInterface
{
  public:
    explicit MappedReader(std::shared_ptr<Archive::Mapping> mapping) : mapping_(std::move(mapping))
    {
    }

    size_t size() const override
    {
        return mapping_->size;
    }

    size_t read(uint64_t position, void *buffer, size_t count, const char *) const override
    {
        mapping_->reads++;
        // No exception may cross the C code that decompresses archives.
        if (position >= mapping_->size || !mapping_->go_on()) {
            return 0;
        }
        count = std::min<uint64_t>(count, mapping_->size - position);
        memcpy(buffer, mapping_->data + position, count);
        return count;
    }

  private:
    std::shared_ptr<Archive::Mapping> mapping_;
};

// Writes to the pages stay in memory: the mapping is private.
std::shared_ptr<Archive::Mapping> map_file(const std::string &path)
{
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        throw std::runtime_error(std::string("cannot be opened: ") + strerror(errno));
    }
    struct stat status = {};
    void *address = MAP_FAILED;
    if (fstat(file, &status) == 0 && status.st_size > 0) {
        address = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_NORESERVE, file, 0);
    }
    const int reason = errno;
    close(file);
    if (address == MAP_FAILED && reason == ENOMEM) {
        throw std::bad_alloc();
    }
    if (address == MAP_FAILED) {
        throw std::runtime_error(std::string("cannot be mapped: ") + strerror(reason));
    }
    auto mapping = std::make_shared<Archive::Mapping>();
    mapping->data = static_cast<char *>(address);
    mapping->size = static_cast<uint64_t>(status.st_size);
    return mapping;
}

} // namespace

Archive::Archive(const std::string &path, const htp_shim_contents &contents,
                 const htp_shim_host &host)
    : mapping_(map_file(path))
{
    table_.reserve(contents.record_count);
    for (uint32_t i = 0; i < contents.record_count; i++) {
        table_.emplace(contents.records[i].name, &contents.records[i]);
    }
    given_.reserve(contents.given_count);
    mapping_->records = contents.record_count;
    mapping_->host = &host;
    for (uint32_t i = 0; i < contents.given_count; i++) {
        const htp_archive_given &given = contents.given[i];
        given_.emplace(given.name,
                       std::string_view(static_cast<const char *>(given.bytes), given.count));
    }
    reader_ = std::make_unique<Reader>(std::make_shared<MappedReader>(mapping_));
}

Archive::Archive() : mapping_(std::make_shared<Mapping>()) {}

void Archive::load(const htp_shim_contents &contents, const Restore &restore)
{
    const ArchiveAccess access = {
        {*reader_, given_},
        contents,
        [this](const std::string &name) { return read_storage(name); },
        [this](const at::Tensor &tensor) { check_storage(tensor); },
        [this] { note_read(); },
        restore,
    };
    module_ = import_module(access);
    mapping_->host = nullptr;
}

Archive::~Archive() = default;

void Archive::note_change(const at::Tensor &tensor)
{
    if (tensor.defined() && tensor.has_storage()) {
        changed_.insert(storage_data(tensor));
    }
}

// Counts a record whose bytes bypass the reader.
void Archive::note_read()
{
    mapping_->passed++;
    if (!mapping_->go_on()) {
        throw std::runtime_error("interrupted");
    }
}

at::DataPtr Archive::read_storage(const std::string &name)
{
    const auto found = table_.find(name);
    if (found == table_.end()) {
        throw std::runtime_error("damaged archive: it has no record " + name);
    }
    note_read();
    const htp_archive_record &record = *found->second;
    if (!record.is_stored) {
        auto [data, size] = reader_->getRecord(name);
        storages_[data.get()] = {size, record.name};
        return std::move(data);
    }
    if (record.offset > mapping_->size || record.bytes > mapping_->size - record.offset) {
        throw std::runtime_error("damaged archive: the record " + name + " lies beyond its end");
    }
    char *bytes = mapping_->data + record.offset;
    const bool is_aligned = reinterpret_cast<uintptr_t>(bytes) % kAlignment == 0;
    if (record.bytes >= kPagedBytes && is_aligned) {
        storages_[bytes] = {record.bytes, record.name};
        return {bytes, at::Device(at::kCPU)};
    }
    at::DataPtr copy = c10::GetCPUAllocator()->allocate(record.bytes);
    memcpy(copy.get(), bytes, record.bytes);
    storages_[copy.get()] = {record.bytes, record.name};
    return copy;
}

namespace
{

// Whether a tensor only reaches the first @p elements of its storage.
bool reaches_within(const at::Tensor &tensor, uint64_t elements)
{
    int64_t last = tensor.storage_offset();
    bool is_valid = last >= 0;
    bool is_empty = false;
    for (int64_t dim = 0; dim < tensor.dim() && is_valid; dim++) {
        int64_t reach = 0;
        is_empty = is_empty || tensor.size(dim) == 0;
        is_valid = tensor.size(dim) >= 0 && tensor.stride(dim) >= 0 &&
                   !__builtin_mul_overflow(std::max<int64_t>(tensor.size(dim) - 1, 0),
                                           tensor.stride(dim), &reach) &&
                   !__builtin_add_overflow(last, reach, &last);
    }
    return is_valid && (is_empty || static_cast<uint64_t>(last) < elements);
}

} // namespace

// Sizes of storages and geometries of tensors come from pickles, and may be wrong.
void Archive::check_storage(const at::Tensor &tensor) const
{
    const char *data = storage_data(tensor);
    const uint64_t claimed = tensor.storage().nbytes();
    const auto found = storages_.find(data);
    if (data != nullptr && found != storages_.end() && claimed > found->second.size) {
        throw std::runtime_error("damaged archive: a tensor claims " + std::to_string(claimed) +
                                 " bytes of a record of " + std::to_string(found->second.size));
    }
    if (data == nullptr && claimed > 0) {
        throw std::runtime_error("damaged archive: a tensor has no bytes");
    }
    if (!reaches_within(tensor, claimed / tensor.element_size())) {
        throw std::runtime_error(
            "damaged archive: a tensor's sizes and strides reach beyond its record");
    }
}

bool Archive::is_page(const void *address) const
{
    const auto *byte = static_cast<const char *>(address);
    return byte >= mapping_->data && byte < mapping_->data + mapping_->size;
}

void Archive::find_bytes(const at::Tensor &tensor, htp_tensor_view &view) const
{
    const char *data = storage_data(tensor);
    view.bytes = data;
    view.storage_bytes = tensor.storage().nbytes();
    view.is_readable = is_readable(tensor);
    view.is_mapped = !view.is_readable && changed_.count(data) == 0;
    const auto found = storages_.find(data);
    view.record = found == storages_.end() ? "" : found->second.record;
    view.file_offset = view.is_mapped ? static_cast<uint64_t>(data - mapping_->data) : 0;
}

bool Archive::is_readable(const at::Tensor &tensor) const
{
    return !is_page(storage_data(tensor));
}

std::vector<c10::IValue> Archive::traced_inputs(const std::string &method)
{
    static const char *const name = "traced_inputs";
    if (!reader_->hasRecord(std::string(name) + ".pkl")) {
        return {};
    }
    try {
        const c10::IValue methods = read_pickle({*reader_, given_}, name, nullptr, nullptr,
                                                [](const std::string &) { return at::DataPtr(); });
        return methods.toGenericDict().at(method).toListRef().vec();
    } catch (const std::bad_alloc &) {
        throw;
    } catch (const std::exception &) {
        return {}; // inputs of classes that only the model's code defines
    }
}

} // namespace htp
