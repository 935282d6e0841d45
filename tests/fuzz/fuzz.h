/*
 * Shared by fuzz targets. A target gets the bytes of a hostile file; it must return without leaks,
 * whatever they are. targets.def lists all targets: libFuzzer drives one in each program that `make
 * fuzz` builds, replay.c all of them over the corpus.
 */
#ifndef HTP_TESTS_FUZZ_H
#define HTP_TESTS_FUZZ_H

#include <htp/htp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define TARGET(name) void fuzz_##name(const uint8_t *data, size_t size);
#include "targets.def"
#undef TARGET

/** A file in memory with these bytes, whose path is valid until the next call with the same @p slot
 * (0 or 1). */
const char *fuzz_file(unsigned slot, const void *data, size_t size);

/** As fuzz_file() with an ONNX model: x -> Neg "/a/Neg" -> v -> Neg "/b/Neg" -> y. */
const char *fuzz_two_nodes(unsigned slot);

/** As fuzz_file() with a model of nodes "Neg" one after the other, of these names (below 64 bytes),
 * and metadata: the module tree in JSON, none if it is NULL. */
const char *fuzz_named_nodes(unsigned slot, const char *const *names, size_t count,
                             const void *module_tree, size_t bytes);

/** As fuzz_file() in slot 0: a file of torch.export with this JSON of a program, and a state of a
 * float parameter w of size 2 and a float buffer b of 3 by 2. */
const char *fuzz_program_file(const uint8_t *text, size_t size);

/** Aborts the program, for the fuzzer to see, if the condition does not hold. */
#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fuzz_fail(#condition, __FILE__, __LINE__);                                             \
        }                                                                                          \
    } while (0)

_Noreturn void fuzz_fail(const char *condition, const char *file, int line);

/** Checks and frees a status. A failure must have a one-line message and a code that a file may
 * cause. @return whether there is none */
bool fuzz_is_ok(htp_status status);

/** Inspects a model. A success must have both answers. */
void fuzz_inspect(htp_model *model, const htp_inspect_options *options);

#endif
