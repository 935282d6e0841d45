/*
 * libFuzzer's entry points for the target FUZZ_TARGET.
 */
#include "fuzz.h"
#include "mutators/mutators.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other,
                                 size_t other_size, uint8_t *out, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    size_t changed = 0;
    if (seed % 4 != 0) {
        changed = fuzz_json_mutate(data, size, most, seed);
        changed = changed > 0 ? changed : fuzz_wire_mutate(data, size, most, seed);
    }
    return changed > 0 ? changed : LLVMFuzzerMutate(data, size, most);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other,
                                 size_t other_size, uint8_t *out, size_t most, unsigned seed)
{
    size_t made = fuzz_json_cross(data, size, other, other_size, out, most, seed);
    return made > 0 ? made : fuzz_wire_cross(data, size, other, other_size, out, most, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FUZZ_TARGET(data, size);
    return 0;
}
