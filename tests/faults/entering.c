#include "entering.h"

#include <htp/htp.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int htp_entering_run(int count, char **models)
{
    static const char *const outputs[] = {"out/m.onnx", "out"};
    htp_sandbox_options options;
    htp_sandbox_options_init(&options);
    options.models = (const char *const *)models;
    options.model_count = (size_t)count;
    options.inputs = options.models;
    options.input_count = options.model_count;
    options.outputs = outputs;
    options.output_count = sizeof(outputs) / sizeof(outputs[0]);
    htp_status status = htp_sandbox_enter(&options, NULL);
    if (!status) {
        _exit(EXIT_SUCCESS); /* in a sandbox, sanitizers cannot look for leaks */
    }
    const int code = (int)htp_status_code(status);
    (void)fprintf(stderr, "htp-trace: %s\n", htp_status_message(status));
    htp_status_free(status);
    return code;
}
