/*
 * What fuzz targets share. A target is given bytes as a hostile file would hold them; it must come
 * back, whatever they are, with nothing leaked. The rows of targets.def are all there are:
 * libFuzzer drives one of them in each program that `make fuzz` builds, replay.c all of them over
 * the corpus.
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

/** Ends the program, for the fuzzer to see, where what must hold does not. */
#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fuzz_fail(#condition, __FILE__, __LINE__);                                             \
        }                                                                                          \
    } while (0)

_Noreturn void fuzz_fail(const char *condition, const char *file, int line);

/** A failure must be one clear line and one of the codes that a file may cause; it is freed.
 * @return whether there is none. */
bool fuzz_is_ok(htp_status status);

#endif
