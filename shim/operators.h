// libtorch's registry of operators: libraries that add to it, guards in front of operators that it
// runs by itself, kernels of the core's.
#pragma once

#include <htp/meta.h>
#include <htp/shim.h>

#include <ATen/core/function_schema.h>

#include <string>

namespace htp
{

// Opens a library, for as long as the process lives. What it exports serves the libraries that are
// opened after it. Throws std::exception.
void load_library(const std::string &path);

// Whether the operator is one of a library that was opened.
bool is_loaded(const c10::FunctionSchema &schema);

// Whether there is any such operator.
bool has_loaded();

// Whether the operator is one of a library that was opened, and has no kernel for meta tensors: its
// code would look for their contents.
bool needs_contents(const c10::FunctionSchema &schema);

// While one is there, operators on numbers and texts that run in this thread are first shown to the
// host, and throw where it does not let them. A host's own code is not bounded.
class GuardedReading
{
  public:
    // Puts guards in front of libtorch's operators, in the whole process; once.
    explicit GuardedReading(const htp_shim_host &host);
    ~GuardedReading();
    GuardedReading(const GuardedReading &) = delete;
    GuardedReading &operator=(const GuardedReading &) = delete;
};

// While one is there, kernels of the core's that run in this thread answer for a libtorch that was
// built otherwise.
class Elsewhere
{
  public:
    explicit Elsewhere(bool is_elsewhere);
    ~Elsewhere();
    Elsewhere(const Elsewhere &) = delete;
    Elsewhere &operator=(const Elsewhere &) = delete;

    static bool is_now();
};

// Registers those that this libtorch lacks of the operators that are known by now. May be called
// repeatedly; what runs stays.
void add_meta_kernels(const htp_meta_kernels &kernels);

} // namespace htp
