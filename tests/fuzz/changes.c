/*
 * An ONNX file, written anew in each way: split, with replaced modules, retagged, with functions
 * inlined, and as a sidecar; and compared.
 */
#include "fuzz.h"

#include <ftw.h>
#include <stdio.h>
#include <unistd.h>

static const char device[] = "/dev/null";
static const char *const modules[] = {"*"};

static void compare(htp_model *model, const char *path)
{
    htp_model *other = NULL;
    if (fuzz_is_ok(htp_model_open(path, &other))) {
        char *text = NULL;
        char *json = NULL;
        bool is_different = false;
        if (fuzz_is_ok(htp_model_compare(model, other, &text, &json, &is_different))) {
            FUZZ_CHECK(text && json);
        }
        htp_string_free(text);
        htp_string_free(json);
    }
    htp_model_free(other);
}

static void replace(htp_model *model, const char *op, const char *by)
{
    htp_replacing replacing;
    htp_replacing_init(&replacing);
    replacing.modules = modules;
    replacing.module_count = 1;
    replacing.op = op;
    replacing.by = by;
    char *json = NULL;
    (void)fuzz_is_ok(htp_model_replace(model, &replacing, device, NULL, &json));
    htp_string_free(json);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    (void)status;
    (void)kind;
    (void)at;
    return remove(path);
}

/* Parts are files, in memory if there is a file system in it. */
static void split(htp_model *model, const htp_splitting *splitting)
{
    enum { MOST_OPEN = 8 };
    char folder[64];
    (void)snprintf(folder, sizeof(folder), "%s/htp-fuzz-XXXXXX",
                   access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    FUZZ_CHECK(mkdtemp(folder));
    char *json = NULL;
    if (fuzz_is_ok(htp_model_split(model, splitting, folder, NULL, &json))) {
        FUZZ_CHECK(json);
    }
    htp_string_free(json);
    FUZZ_CHECK(nftw(folder, remove_entry, MOST_OPEN, FTW_DEPTH | FTW_PHYS) == 0);
}

static void split_all(htp_model *model)
{
    htp_splitting splitting;
    htp_splitting_init(&splitting);
    splitting.depth = 1;
    split(model, &splitting);
    splitting.into = 2;
    splitting.by = HTP_SPLIT_WEIGHTS;
    splitting.share_weights = true;
    split(model, &splitting);
}

static void retag(const char *changed, htp_model *like)
{
    char *json = NULL;
    (void)fuzz_is_ok(htp_retag_model(changed, like, device, NULL, NULL, &json));
    htp_string_free(json);
}

/* Both roles: the model that is changed, and the other one. */
static void change_with(htp_model *model, const char *path, const char *other)
{
    htp_model *two_nodes = NULL;
    FUZZ_CHECK(fuzz_is_ok(htp_model_open(other, &two_nodes)));
    compare(model, other);
    replace(model, NULL, other);
    retag(other, model);
    replace(two_nodes, NULL, path);
    retag(path, two_nodes);
    htp_model_free(two_nodes);
}

void fuzz_changes(const uint8_t *data, size_t size)
{
    htp_model *model = NULL;
    const char *path = fuzz_file(0, data, size);
    if (fuzz_is_ok(htp_model_open(path, &model))) {
        compare(model, path);
        replace(model, "fuzz.domain:Op", NULL);
        retag(path, model);
        split_all(model);
        (void)fuzz_is_ok(htp_model_inline(model, device, NULL));
        (void)fuzz_is_ok(htp_model_sidecar(model, device, NULL));
        change_with(model, path, fuzz_two_nodes(1));
    }
    htp_model_free(model);
}
