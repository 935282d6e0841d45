#include "onnx/serialize/repeated_bytes.h"

htp_status htp_repeated_bytes_check(const htp_builder *model)
{
    htp_storage_reads reads = {.model = model};
    uint64_t repeated = 0;
    uint64_t limit = htp_limit_value(model->limits, HTP_LIMIT_REPEATED);
    for (size_t i = 0; i < model->initializers.count; i++) {
        const htp_initializer *initializer = &model->initializers.items[i];
        repeated += htp_storage_reads_add(&reads, initializer).repeated;
        if (repeated > limit) {
            return htp_status_make(HTP_CODE_UNSUPPORTED, "weight '%s' repeats: " HTP_LIMIT_FORMAT,
                                   model->tensors.items[initializer->tensor].name,
                                   HTP_LIMIT_ARGUMENTS(model->limits, HTP_LIMIT_REPEATED));
        }
    }
    return HTP_OK;
}
