#include "archive.h"

#include <c10/core/CPUAllocator.h>
#include <caffe2/serialize/read_adapter_interface.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/csrc/jit/serialization/import_read.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>
#include <unordered_set>

namespace htp
{

namespace
{

// Smaller storages are read as usual.
constexpr size_t kUnreadBytes = size_t{64} * 1024;

// Pages that stand for a storage that was not read.
struct Region {
    uint64_t size = 0;
    bool has_file_offset = false;
    uint64_t file_offset = 0; // of the region's first byte
    bool was_written = false; // bytes were put into the pages after all
};

} // namespace

struct Archive::Mapping {
    const char *data = nullptr;
    uint64_t size = 0;
    std::map<uintptr_t, Region> regions;   // by first address
    uint64_t records = 0;                  // in the archive
    std::unordered_set<uint64_t> storages; // offsets of the records that hold storages

    ~Mapping()
    {
        if (data != nullptr) {
            munmap(const_cast<char *>(data), size);
        }
    }

    Region *find(const void *address, size_t bytes, uintptr_t *start)
    {
        const auto wanted = reinterpret_cast<uintptr_t>(address);
        auto next = regions.upper_bound(wanted);
        if (next == regions.begin()) {
            return nullptr;
        }
        auto &candidate = *std::prev(next);
        if (wanted - candidate.first > candidate.second.size ||
            bytes > candidate.second.size - (wanted - candidate.first)) {
            return nullptr;
        }
        *start = candidate.first;
        return &candidate.second;
    }
};

namespace
{

// The mapping whose load is under way in this thread; nullptr otherwise.
thread_local Archive::Mapping *loading = nullptr;

struct Pages {
    void *address;
    size_t size;
};

void free_pages(void *context)
{
    auto *pages = static_cast<Pages *>(context);
    munmap(pages->address, pages->size);
    delete pages;
}

// libtorch's own allocator, but for large requests of a thread that loads an archive.
class UnreadAllocator final : public at::Allocator
{
  public:
    explicit UnreadAllocator(at::Allocator *fallback) : fallback_(fallback) {}

#if TORCH_VERSION_MAJOR >= 2
    at::DataPtr allocate(size_t bytes) override
    {
        return allocate_bytes(bytes);
    }
    void copy_data(void *destination, const void *source, std::size_t count) const override
    {
        default_copy_data(destination, source, count);
    }
#else
    at::DataPtr allocate(size_t bytes) const override
    {
        return allocate_bytes(bytes);
    }
#endif

    // For kernels that ask for raw memory; they run when no archive is being loaded.
    at::DeleterFnPtr raw_deleter() const override
    {
        return fallback_->raw_deleter();
    }

  private:
    at::DataPtr allocate_bytes(size_t bytes) const
    {
        if (loading == nullptr || bytes < kUnreadBytes) {
            return fallback_->allocate(bytes);
        }
        void *address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (address == MAP_FAILED) {
            throw std::bad_alloc();
        }
        Region region;
        region.size = bytes;
        loading->regions[reinterpret_cast<uintptr_t>(address)] = region;
        return {address, new Pages{address, bytes}, &free_pages, at::Device(at::kCPU)};
    }

    at::Allocator *fallback_;
};

void install_allocator()
{
    static std::once_flag once;
    std::call_once(once, [] {
        static UnreadAllocator allocator(c10::GetCPUAllocator());
        c10::SetCPUAllocator(&allocator, UINT8_MAX);
    });
}

// Reads from the mapping; skips the copy into the pages of a storage.
class MappedReader final : public caffe2::serialize::ReadAdapterInterface
{
  public:
    explicit MappedReader(std::shared_ptr<Archive::Mapping> mapping, Tick tick = nullptr)
        : mapping_(std::move(mapping)), tick_(std::move(tick))
    {
    }

    size_t size() const override
    {
        return mapping_->size;
    }

    size_t read(uint64_t position, void *buffer, size_t count, const char *) const override
    {
        if (position >= mapping_->size) {
            return 0;
        }
        count = std::min<uint64_t>(count, mapping_->size - position);
        // A record's contents lie behind its header, which is read for itself.
        reads_++;
        if (tick_ && !tick_(std::min(reads_ / 2, mapping_->records), mapping_->records)) {
            return 0; // no exception may pass through the C code that unpacks archives
        }
        if (!note(position, buffer, count)) {
            memcpy(buffer, mapping_->data + position, count);
        }
        return count;
    }

  private:
    // Notes that a region's bytes lie in the file. False when they must be copied: no region, or
    // its pieces do not lie in the file as they do in memory.
    bool note(uint64_t position, void *buffer, size_t count) const
    {
        uintptr_t start = 0;
        Region *region = loading ? mapping_->find(buffer, count, &start) : nullptr;
        if (region == nullptr) {
            return false;
        }
        const uint64_t within = reinterpret_cast<uintptr_t>(buffer) - start;
        const bool is_first = !region->was_written && !region->has_file_offset && within == 0;
        if (is_first && mapping_->storages.count(position) != 0) {
            region->has_file_offset = true;
            region->file_offset = position;
            return true;
        }
        if (region->has_file_offset && region->file_offset + within == position) {
            return true;
        }
        if (region->has_file_offset) {
            throw std::runtime_error("a weight's bytes lie scattered in the archive");
        }
        region->was_written = true;
        return false;
    }

    std::shared_ptr<Archive::Mapping> mapping_;
    Tick tick_;
    mutable uint64_t reads_ = 0;
};

// Storages are records with numbers for names: data/0, constants/12. All others (pickles, code) are
// parsed, and must be read.
bool is_storage(const std::string &record)
{
    const size_t slash = record.rfind('/');
    return slash != std::string::npos && slash + 1 < record.size() &&
           record.find_first_not_of("0123456789", slash + 1) == std::string::npos;
}

// Marks the load of a mapping in this thread.
class LoadingScope
{
  public:
    explicit LoadingScope(Archive::Mapping *mapping)
    {
        loading = mapping;
    }
    ~LoadingScope()
    {
        loading = nullptr;
    }
    LoadingScope(const LoadingScope &) = delete;
    LoadingScope &operator=(const LoadingScope &) = delete;
};

std::shared_ptr<Archive::Mapping> map_file(const std::string &path)
{
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        throw std::runtime_error(std::string("cannot be opened: ") + strerror(errno));
    }
    struct stat status = {};
    void *address = MAP_FAILED;
    if (fstat(file, &status) == 0 && status.st_size > 0) {
        address =
            mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
    }
    const int reason = errno;
    close(file);
    if (address == MAP_FAILED) {
        throw std::runtime_error(std::string("cannot be mapped: ") + strerror(reason));
    }
    auto mapping = std::make_shared<Archive::Mapping>();
    mapping->data = static_cast<const char *>(address);
    mapping->size = static_cast<uint64_t>(status.st_size);
    return mapping;
}

// Whether an attribute is an object of libtorch's own, such as the packed weights of a quantised
// layer.
bool holds_native_object(const torch::jit::Module &instance)
{
    const auto &object = instance._ivalue();
    for (size_t slot = 0; slot < instance.type()->numAttributes(); slot++) {
        if (object->getSlot(slot).isCustomClass()) {
            return true;
        }
    }
    return false;
}

// Loading such a model computes with weights, which must then have been read.
bool restores_state_by_code(const torch::jit::Module &module)
{
    for (const auto &instance : module.modules()) {
        if (instance.find_method("__setstate__") || holds_native_object(instance)) {
            return true;
        }
    }
    return false;
}

} // namespace

Archive::Archive(const std::string &path, const Tick &tick) : mapping_(map_file(path))
{
    install_allocator();
    records_ = std::make_unique<Records>(std::make_shared<MappedReader>(mapping_));
    find_storages();
    load(true, tick);
    if (restores_state_by_code(module_)) {
        load(false, tick);
    }
}

Archive::~Archive() = default;

void Archive::find_storages()
{
    const std::vector<std::string> records = records_->getAllRecords();
    mapping_->records = records.size();
    for (const std::string &record : records) {
        if (is_storage(record)) {
            mapping_->storages.insert(records_->getRecordOffset(record));
        }
    }
}

void Archive::load(bool leave_unread, const Tick &tick)
{
    mapping_->regions.clear();
    Silence silence;
    const WarningGuard silent(&silence);
    std::shared_ptr<caffe2::serialize::ReadAdapterInterface> reader =
        std::make_shared<MappedReader>(mapping_, tick);
    const LoadingScope scope(leave_unread ? mapping_.get() : nullptr);
    module_ = torch::jit::load(reader, at::Device(at::kCPU));
}

Bytes Archive::storage_bytes(const at::Tensor &tensor) const
{
    const char *data = storage_data(tensor);
    const uint64_t size = tensor.storage().nbytes();
    uintptr_t start = 0;
    const Region *region = data ? mapping_->find(data, size, &start) : nullptr;
    if (region == nullptr || !region->has_file_offset) {
        return {data, size, false};
    }
    const uint64_t offset = region->file_offset + (reinterpret_cast<uintptr_t>(data) - start);
    if (offset > mapping_->size || size > mapping_->size - offset) {
        throw std::runtime_error("a weight lies beyond the end of the archive");
    }
    return {mapping_->data + offset, size, true};
}

bool Archive::is_readable(const at::Tensor &tensor) const
{
    const char *data = storage_data(tensor);
    uintptr_t start = 0;
    const Region *region = data ? mapping_->find(data, 1, &start) : nullptr;
    return region == nullptr || !region->has_file_offset;
}

std::vector<c10::IValue> Archive::traced_inputs(const std::string &method)
{
    static const char *const name = "traced_inputs";
    if (!records_->hasRecord(std::string(name) + ".pkl")) {
        return {};
    }
    try {
        const c10::IValue methods = torch::jit::readArchiveAndTensors(
            name, "", std::string(name) + "/", c10::nullopt, c10::nullopt, c10::nullopt, *records_);
        return methods.toGenericDict().at(method).toListRef().vec();
    } catch (const std::exception &) {
        return {}; // inputs of classes that only the model's code knows
    }
}

uint64_t Archive::format_version() const
{
    return records_->version();
}

bool Archive::has_record(const std::string &name)
{
    return records_->hasRecord(name);
}

const std::string *Archive::extra_file(const std::string &name)
{
    auto &slot = extra_files_[name];
    if (!slot) {
        const std::string record = "extra/" + name;
        if (!records_->hasRecord(record)) {
            return nullptr;
        }
        auto [data, size] = records_->getRecord(record);
        slot = std::make_unique<std::string>(static_cast<const char *>(data.get()), size);
    }
    return slot.get();
}

} // namespace htp
