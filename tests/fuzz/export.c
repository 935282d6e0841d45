/*
 * The JSON of a program of torch.export: exported in memory without libtorch, and inspected. The
 * weights are those of fuzz_program_file().
 */
#include "fuzz.h"
void fuzz_export(const uint8_t *data, size_t size)
{
    htp_options options;
    htp_options_init(&options);
    options.details = true;
    htp_model *model = NULL;
    if (!fuzz_is_ok(htp_model_open_export(fuzz_program_file(data, size), &options, &model))) {
        return;
    }
    htp_inspect_options inspect;
    htp_inspect_options_init(&inspect);
    inspect.cost = true;
    fuzz_inspect(model, &inspect);
    htp_model_free(model);
}
