// A runner's functions as the C ABI has them: no exception crosses it.
#pragma once

#include <htp/runner.h>

namespace htp
{

class Runner;

// @p runner is their first argument.
htp_runner runner_table(Runner &runner);

} // namespace htp
