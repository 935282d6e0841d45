// libtorch's operator registry: libraries that add to it, guards for operators that libtorch runs
// by itself, and kernels of the core.
#pragma once

#include <htp/meta.h>
#include <htp/shim.h>

#include <ATen/core/function_schema.h>

#include <string>

namespace htp
{

// Opens a library for the life of the process. Later libraries may use its symbols. Throws
// std::exception.
void load_library(const std::string &path);

// Whether the operator comes from an opened library.
bool is_loaded(const c10::FunctionSchema &schema);

// Whether there is any such operator.
bool has_loaded();

// Whether the operator comes from an opened library and has no meta kernel: its code would read
// contents.
bool needs_contents(const c10::FunctionSchema &schema);

// While one exists, the host is asked before an operator on numbers or texts runs in this thread,
// which throws if it is refused. The host's own code is not restricted.
class GuardedReading
{
  public:
    // Puts guards in front of libtorch's operators, in the whole process; once.
    explicit GuardedReading(const htp_shim_host &host);
    ~GuardedReading();
    GuardedReading(const GuardedReading &) = delete;
    GuardedReading &operator=(const GuardedReading &) = delete;
};

// While one exists, meta kernels of the core in this thread compute layouts of another build of
// libtorch.
class Elsewhere
{
  public:
    explicit Elsewhere(bool is_elsewhere);
    ~Elsewhere();
    Elsewhere(const Elsewhere &) = delete;
    Elsewhere &operator=(const Elsewhere &) = delete;

    static bool is_now();
};

// Registers meta kernels for currently known operators that need them. May be called repeatedly;
// registered ones stay.
void add_meta_kernels(const htp_meta_kernels &kernels);

} // namespace htp
