/*
 * A complete C program that uses libhtp: exports a TorchScript file with progress on stderr, and
 * prints the module tree.
 *
 *     cc export.c $(pkg-config --cflags --libs htp) -o export
 *     ./export model.pt model.onnx
 */
#include <htp/htp.h>

#include <inttypes.h>
#include <stdio.h>

static bool print_progress(void *user, const htp_progress *progress)
{
    FILE *out = user;

    if (progress->finished) {
        fprintf(out, "%" PRIu64 " %s\n", progress->done, progress->label);
    }
    return true;
}

static void print_note(void *user, const char *line)
{
    fprintf(user, "%s\n", line);
}

/* Prints a failure with all its details, frees it, and returns the exit code for it. */
static int report(htp_status status)
{
    int code = htp_status_code(status);

    fprintf(stderr, "%s\n", htp_status_message(status));
    for (size_t i = 0; i < htp_status_detail_count(status); i++) {
        fprintf(stderr, "  %s\n", htp_status_detail_line(status, i));
    }
    htp_status_free(status);
    return code;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: export MODEL.pt MODEL.onnx\n");
        return HTP_CODE_USAGE;
    }

    htp_options options;
    htp_options_init(&options);
    options.progress = print_progress;
    options.note = print_note;
    options.user = stderr;

    htp_result *result = NULL;
    htp_status status = htp_export(argv[1], argv[2], &options, &result);
    if (status) {
        return report(status);
    }
    printf("%s%" PRIu64 " nodes, by htp %s\n", htp_result_tree(result),
           htp_result_node_count(result), htp_version());
    htp_result_free(result);
    return 0;
}
