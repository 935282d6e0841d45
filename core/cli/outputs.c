#include "cli/outputs.h"

#include "cli/print.h"

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

/* An output, and the model that it is for. */
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
    bool distinct = pairs != NULL;
    for (size_t i = 0; distinct && i < count; i++) {
        pairs[i] = (struct pair){outputs[i], arguments->models[i]};
    }
    if (distinct) {
        qsort(pairs, count, sizeof(*pairs), compare_outputs);
    }
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

/* A model's output must not be another one's input, which may be read later. */
static bool spare_inputs(char **outputs, const htp_cli_arguments *arguments)
{
    struct identity *inputs = calloc(arguments->model_count, sizeof(*inputs));
    size_t count = 0;
    bool spared = inputs != NULL;
    for (size_t i = 0; spared && i < arguments->model_count; i++) {
        count += identify(arguments->models[i], &inputs[count]);
    }
    if (spared) {
        qsort(inputs, count, sizeof(*inputs), compare_identities);
    }
    for (size_t i = 0; spared && i < arguments->model_count; i++) {
        struct identity output;
        if (identify(outputs[i], &output) &&
            bsearch(&output, inputs, count, sizeof(*inputs), compare_identities)) {
            htp_cli_print_message("the output '%s' is one of the inputs; choose another output",
                                  outputs[i]);
            spared = false;
        }
    }
    free(inputs);
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
        htp_cli_print_message("out of memory");
    } else if (are_distinct(outputs, arguments) && spare_inputs(outputs, arguments)) {
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
