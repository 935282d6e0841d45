/* libstdc++ asks here whether a process has one thread only. glibc tells since 2.32; before, nobody
 * knows. */
#pragma once

static const char __libc_single_threaded = 0;
