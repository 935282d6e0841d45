#include "cli/output/outputs.h"

#include "cli/terminal/print.h"
#include "onnx/files/external.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* DIR/name.onnx for any/where/name.pt. */
static char *make_output(const char *folder, const char *model)
{
    const char *slash = strrchr(model, '/');
    const char *name = slash ? slash + 1 : model;
    const char *dot = strrchr(name, '.');
    int length = (int)(dot && dot != name ? (size_t)(dot - name) : strlen(name));
    char *output = NULL;
    return asprintf(&output, "%s/%.*s.onnx", folder, length, name) < 0 ? NULL : output;
}

/* An output and its model. */
struct pair {
    const char *output;
    const char *model;
};

static int compare_outputs(const void *a, const void *b)
{
    return strcmp(((const struct pair *)a)->output, ((const struct pair *)b)->output);
}

static bool are_distinct(char **outputs, const htp_cli_arguments *arguments)
{
    size_t count = arguments->model_count;
    struct pair *pairs = calloc(count, sizeof(*pairs));
    bool distinct = true;
    if (!pairs) {
        htp_cli_end_without_memory();
    }
    for (size_t i = 0; i < count; i++) {
        pairs[i] = (struct pair){outputs[i], arguments->models[i]};
    }
    qsort(pairs, count, sizeof(*pairs), compare_outputs);
    for (size_t i = 1; distinct && i < count; i++) {
        if (strcmp(pairs[i - 1].output, pairs[i].output) == 0) {
            htp_cli_print_message("%s and %s would both be written to %s; export them one by one "
                                  "with --out",
                                  pairs[i - 1].model, pairs[i].model, pairs[i].output);
            distinct = false;
        }
    }
    free(pairs);
    return distinct;
}

/* A file's identity. */
struct identity {
    dev_t device;
    ino_t inode;
};

static int compare_identities(const void *a, const void *b)
{
    const struct identity *first = a;
    const struct identity *second = b;
    if (first->device != second->device) {
        return first->device < second->device ? -1 : 1;
    }
    return first->inode < second->inode ? -1 : first->inode > second->inode;
}

static bool identify(const char *path, struct identity *identity)
{
    struct stat facts;
    if (stat(path, &facts) != 0) {
        return false;
    }
    *identity = (struct identity){facts.st_dev, facts.st_ino};
    return true;
}

struct inputs {
    struct identity *items; /* sorted */
    size_t count;
};

static bool is_input(const struct inputs *inputs, const char *path)
{
    struct identity identity;
    return identify(path, &identity) &&
           bsearch(&identity, inputs->items, inputs->count, sizeof(identity), compare_identities);
}

/* The output or a file beside it that is an input; or NULL. */
static const char *find_input(const struct inputs *inputs, const char *output, bool has_external,
                              char *path)
{
    if (is_input(inputs, output)) {
        return output;
    }
    for (unsigned i = 0; has_external && i < HTP_EXTERNAL_NUMBERS; i++) {
        if (htp_external_path(output, i, path, PATH_MAX) && is_input(inputs, path)) {
            return path;
        }
    }
    return NULL;
}

/* A model's output must not be another one's input, which may be read later. */
static bool spare_inputs(char **outputs, const htp_cli_arguments *arguments)
{
    struct inputs inputs = {calloc(arguments->model_count, sizeof(*inputs.items)), 0};
    bool has_external = arguments->options.external_data != HTP_EXTERNAL_NEVER;
    bool spared = true;
    if (!inputs.items) {
        htp_cli_end_without_memory();
    }
    for (size_t i = 0; i < arguments->model_count; i++) {
        inputs.count += identify(arguments->models[i], &inputs.items[inputs.count]);
    }
    qsort(inputs.items, inputs.count, sizeof(*inputs.items), compare_identities);
    for (size_t i = 0; spared && i < arguments->model_count; i++) {
        char path[PATH_MAX];
        const char *hit = find_input(&inputs, outputs[i], has_external, path);
        if (hit) {
            htp_cli_print_message("the output '%s' is one of the inputs; choose another output",
                                  hit);
            spared = false;
        }
    }
    free(inputs.items);
    return spared;
}

char **htp_cli_outputs_make(const htp_cli_arguments *arguments)
{
    char **outputs = calloc(arguments->model_count, sizeof(*outputs));
    bool made = outputs != NULL;
    for (size_t i = 0; made && i < arguments->model_count; i++) {
        outputs[i] = arguments->out ? strdup(arguments->out)
                                    : make_output(arguments->out_folder, arguments->models[i]);
        made = outputs[i] != NULL;
    }
    if (!made) {
        htp_cli_end_without_memory();
    }
    if (are_distinct(outputs, arguments) && spare_inputs(outputs, arguments)) {
        return outputs;
    }
    htp_cli_outputs_free(outputs, arguments->model_count);
    return NULL;
}

void htp_cli_outputs_free(char **outputs, size_t count)
{
    for (size_t i = 0; outputs && i < count; i++) {
        free(outputs[i]);
    }
    free(outputs);
}
