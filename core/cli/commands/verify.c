#include "cli/commands/commands.h"
#include "cli/output/written.h"
#include "cli/terminal/print.h"
#include "cli/terminal/signals.h"

htp_status htp_cli_verify(const htp_cli_arguments *arguments, const htp_options *run,
                          bool *is_beyond)
{
    htp_model *models[2] = {NULL, NULL};
    htp_verify_options options = arguments->verifying;
    htp_cli_answer answer;
    options.depth = arguments->depth;
    options.node_data = arguments->node_data;
    options.sizes = arguments->sizes;
    options.progress = run->progress;
    options.user = run->user;
    options.html_file = arguments->quality.html_file;
    htp_cli_answer_begin(&answer, arguments, true);
    htp_cli_signals_asking();
    htp_status status = HTP_OK;
    bool is_program = htp_file_find_kind(arguments->models[0]) != HTP_FILE_ONNX;
    options.inputs = is_program ? NULL : arguments->options.inputs_file;
    for (size_t i = is_program ? 1 : 0; i < arguments->model_count && !status; i++) {
        status = htp_model_open(arguments->models[i], &models[i]);
    }
    if (!status && is_program) {
        status = htp_program_verify(arguments->models[0], models[1], &arguments->options, &options,
                                    answer.text_place, answer.json_place, is_beyond);
    } else if (!status) {
        status = htp_model_verify(models[0], models[1], &options, answer.text_place,
                                  answer.json_place, is_beyond);
    }
    status = htp_cli_answer_print(&answer, status);
    htp_model_free(models[0]);
    htp_model_free(models[1]);
    return status;
}
