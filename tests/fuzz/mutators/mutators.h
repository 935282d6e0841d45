/*
 * Inputs changed as trees. Bytes that are changed alone rarely give another document that a parser
 * takes. Linked with libFuzzer, whose LLVMFuzzerMutate() changes texts.
 */
#ifndef HTP_TESTS_FUZZ_MUTATORS_H
#define HTP_TESTS_FUZZ_MUTATORS_H

#include <stddef.h>
#include <stdint.h>

/** libFuzzer's: changes bytes in their place. @return their number, at most @p most */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

/** A number below @p end. */
static inline uint32_t fuzz_draw(uint32_t *chance, uint32_t end)
{
    *chance = *chance * 1664525U + 1013904223U; /* Numerical Recipes' generator */
    return (uint32_t)((uint64_t)*chance * end >> 32);
}

/** Changes a JSON document in its place. @return its new size; 0: it is none, or has no room */
size_t fuzz_json_mutate(uint8_t *data, size_t size, size_t most, uint32_t seed);

/** Puts a value of another JSON document into a copy of one. @return as above */
size_t fuzz_json_cross(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size,
                       uint8_t *out, size_t most, uint32_t seed);

/** The same for messages of protobuf, whose fields need no names. */
size_t fuzz_wire_mutate(uint8_t *data, size_t size, size_t most, uint32_t seed);
size_t fuzz_wire_cross(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size,
                       uint8_t *out, size_t most, uint32_t seed);

#endif
