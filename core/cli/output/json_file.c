/*
 * The file of --json FILE: a temporary file without a name until all models are done, which worker
 * processes share.
 */
#include "cli/output/outputs.h"

#include "base/files/descriptor.h"
#include "cli/terminal/print.h"
#include "onnx/files/delivery.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int report(htp_status status)
{
    int code = status ? (int)htp_status_code(status) : HTP_CODE_OK;
    if (status) {
        htp_cli_print_failure(status);
    }
    htp_status_free(status);
    return code;
}

static bool is_free(const htp_cli_arguments *arguments, const htp_output *output)
{
    bool has_sidecar = arguments->sidecar && arguments->command != HTP_CLI_VALIDATE;
    bool is_default = has_sidecar && !*arguments->sidecar && arguments->model_count == 1;
    char *sidecar = is_default ? htp_sidecar_path(arguments->models[0]) : NULL;
    const char *const outputs[] = {
        arguments->out,
        arguments->options.state_file,
        arguments->quality.csv_file,
        arguments->quality.html_file,
        arguments->quality.node_data,
        arguments->node_data,
        is_default    ? sidecar
        : has_sidecar ? arguments->sidecar
                      : NULL,
    };
    bool is_taken = false;
    for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
        is_taken = is_taken || (outputs[i] && htp_output_are_one(output->path, outputs[i]));
    }
    htp_string_free(sidecar);
    if (is_taken) {
        htp_cli_print_message("two outputs are the file '%s'; pass another name to --json",
                              arguments->json_file);
    } else if (htp_cli_arguments_read_file(arguments, arguments->json_file)) {
        htp_cli_print_message("--json %s is an input itself; pass another name",
                              arguments->json_file);
        is_taken = true;
    }
    return !is_taken;
}

int htp_cli_json_file_open(const htp_cli_arguments *arguments)
{
    static htp_output output;
    if (!arguments->json_file) {
        return HTP_CODE_OK;
    }
    int code = report(htp_output_find(&output, arguments->json_file));
    if (code != HTP_CODE_OK) {
        return code;
    }
    if (!is_free(arguments, &output)) {
        return HTP_CODE_USAGE;
    }
    int fd = htp_descriptor_open_unnamed();
    if (fd < 0) {
        htp_cli_print_message("no temporary file can be made for --json: %s; set TMPDIR to a "
                              "folder that can be written",
                              strerror(errno));
        return HTP_CODE_CANNOT_WRITE;
    }
    htp_cli_print_json_to(fd);
    return HTP_CODE_OK;
}

/* ---- publication ---- */

static htp_status count_bytes(void *user, const char *location, htp_delivery_sizes *sizes)
{
    struct stat facts = {0};
    (void)location;
    (void)fstat(*(const int *)user, &facts);
    *sizes = (htp_delivery_sizes){(uint64_t)facts.st_size, 0};
    return HTP_OK;
}

static htp_delivery_end put_bytes(void *user, htp_output *output)
{
    char block[1 << 14];
    ssize_t got;
    for (off_t at = 0; (got = pread(*(const int *)user, block, sizeof(block), at)) > 0; at += got) {
        htp_output_append(output, block, (size_t)got);
    }
    return HTP_DELIVERY_DONE;
}

static htp_status check_nothing(void *user)
{
    (void)user;
    return HTP_OK;
}

/* In a frame below the one that owns the arena. */
static htp_status deliver(htp_arena *arena, int fd, const char *path)
{
    const htp_delivery delivery = {&fd, count_bytes, put_bytes, put_bytes, check_nothing};
    htp_delivered delivered;
    if (htp_arena_recover(arena) != 0) {
        return htp_status_make(HTP_CODE_INTERNAL, "out of memory");
    }
    return htp_deliver(arena, &delivery, path, &delivered);
}

int htp_cli_json_file_publish(const htp_cli_arguments *arguments)
{
    int fd = htp_cli_json_descriptor();
    if (!arguments->json_file) {
        return HTP_CODE_OK;
    }
    struct stat facts;
    if (fstat(fd, &facts) == 0 && facts.st_size == 0) {
        (void)close(fd); /* a failure, and its object could not be written either */
        return HTP_CODE_OK;
    }
    htp_arena arena;
    htp_arena_init(&arena);
    int code = report(deliver(&arena, fd, arguments->json_file));
    htp_arena_free(&arena);
    (void)close(fd);
    return code;
}
