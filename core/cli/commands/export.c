#include "cli/commands/commands.h"

#include "base/status.h"
#include "cli/output/batch.h"
#include "cli/output/folders.h"
#include "cli/output/outputs.h"
#include "cli/output/sandbox.h"
#include "cli/terminal/budget.h"
#include "cli/terminal/failure.h"
#include "cli/terminal/print.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/terminal.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Context of the library's callbacks. */
struct run {
    const htp_cli_arguments *arguments;
    const char *const *outputs; /* by model; not for a dump */
    const char *model;          /* under way */
    htp_cli_terminal terminal;
};

static bool on_progress(void *user, const htp_progress *progress)
{
    struct run *run = user;
    htp_cli_terminal_progress(&run->terminal, progress);
    if (progress->finished) {
        htp_cli_signals_finished(progress->stage);
    }
    return !htp_cli_signals_stop();
}

static void on_note(void *user, const char *line)
{
    struct run *run = user;
    if (run->arguments->quiet) {
        return;
    }
    if (run->arguments->model_count > 1) {
        htp_cli_print_message("%s: %s", run->model, line);
    } else {
        htp_cli_print_message("%s", line);
    }
}

static void print_json(const struct run *run, int code, const char *error, htp_status details)
{
    if (run->arguments->json) {
        /* The failure itself is a message and an exit code in any case. */
        htp_status_free(htp_cli_print_json(htp_cli_failure_json(run->model, code, error, details)));
    }
}

static htp_code report_failure(const struct run *run, htp_status status)
{
    htp_code code = htp_status_code(status);
    if (code == HTP_CODE_INTERRUPTED) {
        htp_cli_signals_report_stop();
    }
    if (code != HTP_CODE_CANNOT_WRITE || !htp_cli_stdout_is_closed()) {
        htp_cli_print_failure(status);
    }
    print_json(run, code, htp_status_message(status), status);
    htp_status_free(status);
    return code;
}

static void report_killed(void *user, size_t index, int signal)
{
    struct run *run = user;
    run->model = run->arguments->models[index];
    htp_status status =
        htp_status_make(HTP_CODE_INTERNAL, "%s: the process was ended (%s)%s", run->model,
                        strsignal(signal), signal == SIGKILL ? ", perhaps for want of memory" : "");
    htp_cli_print_failure(status);
    print_json(run, HTP_CODE_INTERNAL, htp_status_message(status), HTP_OK);
    htp_status_free(status);
    (void)htp_cli_flush_stdout();
}

static htp_status export_model(const struct run *run, const htp_options *options, size_t index)
{
    const bool is_shown = run->arguments->json || run->arguments->print_tree;
    htp_result *result = NULL;
    htp_status status =
        htp_export(run->model, run->outputs[index], options, is_shown ? &result : NULL);
    if (!status && run->arguments->json) {
        status = htp_cli_print_json(strdup(htp_result_json(result)));
    }
    if (!status && run->arguments->print_tree) {
        htp_cli_print_text(htp_result_tree(result));
    }
    htp_result_free(result);
    return status;
}

static htp_status dump_model(const struct run *run, const htp_options *options)
{
    char *text = NULL;
    htp_status status = htp_dump_graph(run->model, options, &text);
    if (!status) {
        htp_cli_print_text(text);
    }
    htp_string_free(text);
    return status;
}

static htp_status work_on(const struct run *run, const htp_options *options, size_t index,
                          bool *has_findings)
{
    const htp_write_options write = {.struct_size = sizeof(write),
                                     .progress = options->progress,
                                     .user = options->user,
                                     .keep_tags = run->arguments->keep};
    switch (run->arguments->command) {
    case HTP_CLI_DUMP_GRAPH:
        return dump_model(run, options);
    case HTP_CLI_INSPECT:
        return htp_cli_inspect(run->arguments, run->model, options);
    case HTP_CLI_STRIP:
        return htp_cli_strip(run->arguments, run->model, &write);
    case HTP_CLI_RETAG:
        return htp_cli_retag(run->arguments, &write);
    case HTP_CLI_INLINE:
        return htp_cli_inline(run->arguments, run->model, &write);
    case HTP_CLI_GRAPH:
        return htp_cli_graph(run->arguments, run->model, &write);
    case HTP_CLI_PROFILE:
        return htp_cli_profile(run->arguments, run->model);
    case HTP_CLI_EXTRACT:
        return htp_cli_extract(run->arguments, run->model, &write);
    case HTP_CLI_SPLIT:
        return htp_cli_split(run->arguments, run->model, &write);
    case HTP_CLI_REPLACE:
        return htp_cli_replace(run->arguments, run->model, &write);
    case HTP_CLI_VALIDATE:
        return htp_cli_validate(run->arguments, run->model, has_findings);
    case HTP_CLI_SIDECAR:
        return htp_cli_sidecar(run->arguments, run->model, &write);
    case HTP_CLI_COMPARE:
        return htp_cli_compare(run->arguments, has_findings);
    case HTP_CLI_VERIFY:
        return htp_cli_verify(run->arguments, options, has_findings);
    case HTP_CLI_QUALITY:
        return htp_cli_quality(run->arguments, has_findings);
    case HTP_CLI_SELECT:
        return htp_cli_select(run->arguments, run->model);
    default:
        return export_model(run, options, index);
    }
}

/* Whether a command takes all models at once. */
static bool takes_all(const htp_cli_arguments *arguments)
{
    return arguments->command == HTP_CLI_COMPARE || arguments->command == HTP_CLI_VERIFY ||
           arguments->command == HTP_CLI_QUALITY;
}

/* Works on one model. @return its exit code. */
static int run_model(void *user, size_t index)
{
    struct run *run = user;
    const htp_cli_arguments *arguments = run->arguments;
    htp_options options = arguments->options;
    options.progress = on_progress;
    options.note = on_note;
    options.user = run;
    options.sidecar = arguments->sidecar;
    options.leaves_memory = HTP_CLI_ENDS_AT_ONCE && index + 1 == arguments->model_count;
    run->model = arguments->models[index];
    htp_cli_terminal_begin(&run->terminal, htp_cli_command_find(arguments->command)->name);
    htp_cli_signals_begin(run->model, arguments->json);
    if (run->terminal.shows_stages && arguments->model_count > 1 && !takes_all(arguments)) {
        htp_cli_print_message("%s", run->model);
    }
    bool has_findings = false;
    htp_status status = HTP_OK;
    if (HTP_CLI_ENDS_AT_ONCE) { /* leak checkers trace the process at its end */
        status = htp_cli_sandbox_enter(arguments, htp_cli_graph_is_svg(arguments));
    }
    if (!status) {
        status = work_on(run, &options, index, &has_findings);
    }
    htp_cli_budget_stop();
    htp_cli_terminal_end();
    int code = status         ? (int)report_failure(run, status)
               : has_findings ? HTP_CODE_FOUND
                              : HTP_CODE_OK;
    return htp_cli_flush_stdout() || code != HTP_CODE_OK ? code : HTP_CODE_CANNOT_WRITE;
}

/* Works on all models. @return the exit code */
static int run_all(struct run *run)
{
    const htp_cli_arguments *arguments = run->arguments;
    size_t jobs = arguments->jobs > 0 ? (size_t)arguments->jobs : 1;
    htp_cli_budget_set(arguments->time_limit, arguments->memory_limit);
    htp_cli_terminal_init(&run->terminal, arguments->quiet || jobs > 1, arguments->options.details);
    if (arguments->color != HTP_CLI_COLOR_AUTO) {
        run->terminal.has_color = arguments->color == HTP_CLI_COLOR_ALWAYS;
    }
    bool is_one = arguments->model_count == 1 || takes_all(arguments);
    if (is_one && !HTP_CLI_ENDS_AT_ONCE) { /* leak checkers trace this process alone */
        htp_cli_signals_install();
        return run_model(run, 0);
    }
    /* A worker may die, whatever it reads: this process then says so, publishes the file of --json,
     * and removes new folders of --out-dir that stay empty. A worker's sandbox forbids that. */
    const htp_cli_batch_work work = {.run = run_model, .report_killed = report_killed, .user = run};
    return htp_cli_batch_run(arguments->models, is_one ? 1 : arguments->model_count, jobs, &work);
}

static int make_folders(htp_cli_folders *folders, const char *path)
{
    const int error = htp_cli_folders_make(folders, path);
    if (error != 0) {
        htp_cli_print_message("cannot write '%s': %s", path, strerror(error));
    }
    return error != 0 ? HTP_CODE_CANNOT_WRITE : HTP_CODE_OK;
}

int htp_cli_export(const htp_cli_arguments *arguments)
{
    struct run run = {.arguments = arguments};
    char **outputs = NULL;
    htp_cli_folders folders = {.kept = 0};
    int code = htp_cli_json_file_open(arguments);
    if (code != HTP_CODE_OK) {
        return code;
    }
    if (arguments->command == HTP_CLI_EXPORT) {
        outputs = htp_cli_outputs_make(arguments);
        if (!outputs) {
            return HTP_CODE_USAGE;
        }
        run.outputs = (const char *const *)outputs;
        if (arguments->out_folder) {
            code = make_folders(&folders, arguments->out_folder);
        }
    }
    code = code == HTP_CODE_OK ? run_all(&run) : code;
    int published = htp_cli_json_file_publish(arguments);
    htp_cli_folders_remove_empty(&folders);
    htp_cli_outputs_free(outputs, arguments->model_count);
    return code != HTP_CODE_OK ? code : published;
}
