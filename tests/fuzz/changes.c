/*
 * An ONNX file, written anew in each way: split, with replaced modules, retagged, with functions
 * inlined, and as a sidecar; and compared. A second one may take the place of its modules.
 */
#include "fuzz.h"

#include "onnx/proto/wire.h"

#include <ftw.h>
#include <stdio.h>
#include <unistd.h>

static const char device[] = "/dev/null";
static const char *const modules[] = {"*", "*/*"};

static void compare(htp_model *a, htp_model *b)
{
    char *text = NULL;
    char *json = NULL;
    bool is_different = false;
    if (fuzz_is_ok(htp_model_compare(a, b, &text, &json, &is_different))) {
        FUZZ_CHECK(text && json);
    }
    htp_string_free(text);
    htp_string_free(json);
}

static void replace(htp_model *model, const char *module, const char *op, const char *by)
{
    htp_replacing replacing;
    htp_replacing_init(&replacing);
    replacing.modules = &module;
    replacing.module_count = 1;
    replacing.op = op;
    replacing.by = by;
    char *text = NULL;
    char *json = NULL;
    if (fuzz_is_ok(htp_model_replace(model, &replacing, device, &text, &json))) {
        FUZZ_CHECK(text && json);
    }
    htp_string_free(text);
    htp_string_free(json);
}

/* Tags of attributes move to metadata. */
static void move_tags(htp_model *model)
{
    htp_write_options options;
    htp_write_options_init(&options);
    options.keep_tags = HTP_TAG_METADATA;
    (void)fuzz_is_ok(htp_model_strip(model, device, &options));
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
    char *text = NULL;
    char *json = NULL;
    if (fuzz_is_ok(htp_model_split(model, splitting, folder, &text, &json))) {
        FUZZ_CHECK(text && json);
    }
    htp_string_free(text);
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
    htp_model *opened = NULL;
    if (fuzz_is_ok(htp_model_open(other, &opened))) {
        compare(model, opened);
        replace(model, modules[0], NULL, other);
        retag(other, model);
        replace(opened, modules[0], NULL, path);
        retag(path, opened);
    }
    htp_model_free(opened);
}

static void change(const char *path, const char *other)
{
    htp_model *model = NULL;
    if (fuzz_is_ok(htp_model_open(path, &model))) {
        compare(model, model);
        for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
            replace(model, modules[i], "fuzz.domain:Op", NULL);
        }
        retag(path, model);
        split_all(model);
        move_tags(model);
        (void)fuzz_is_ok(htp_model_inline(model, device, NULL));
        (void)fuzz_is_ok(htp_model_sidecar(model, device, NULL));
        change_with(model, path, other);
    }
    htp_model_free(model);
}

/* A message of two models, in fields 1 and 2. A model itself begins with a number. */
static bool read_pair(const uint8_t *data, size_t size, htp_span pair[2])
{
    htp_wire wire = htp_wire_begin((htp_span){data, size});
    htp_wire_field field;
    while (htp_wire_next(&wire, &field)) {
        if (htp_wire_is_bytes(&field, 1) || htp_wire_is_bytes(&field, 2)) {
            pair[field.number - 1] = field.content;
        }
    }
    return pair[0].at && pair[1].at;
}

void fuzz_changes(const uint8_t *data, size_t size)
{
    htp_span pair[2] = {{NULL, 0}, {NULL, 0}};
    if (read_pair(data, size, pair)) {
        const char *other = fuzz_file(1, pair[1].at, pair[1].bytes);
        change(fuzz_file(0, pair[0].at, pair[0].bytes), other);
    } else {
        const char *other = fuzz_two_nodes(1);
        change(fuzz_file(0, data, size), other);
    }
}
