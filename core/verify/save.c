/*
 * The outputs of modules as files: one .npz for each module, with the tensors of both models in all
 * runs. Modules are taken in groups whose tensors fit in memory.
 */
#include "verify/work.h"

#include "base/json/json.h"
#include "base/text.h"
#include "onnx/files/folder.h"
#include "onnx/serialize/npz.h"

/* Bytes of the longest part of an address in a file name. */
enum { LONGEST_NAME = 120 };

struct saving {
    htp_verify_work *work;
    htp_numbers group;                /* modules */
    htp_numbers values[HTP_COMPARED]; /* that they return, side by side */
    uint32_t *place;                  /* by value of A: its place in `values`, plus 1 */
    htp_fetched *fetched[HTP_COMPARED][HTP_VERIFY_RUNS];
    int digits; /* of numbers in file names */
    htp_json index;
};

/* The arrays of a module under way. */
struct arrays {
    HTP_VECTOR(htp_npz_array) items;
    HTP_VECTOR(const htp_array *) from;
    const htp_array *next; /* not yet returned */
};

/* "a" for the model, "b" for what is compared with it; a file of values is side A. */
static const char *letter_of(const struct saving *s, int side)
{
    return (side == HTP_COMPARED_A) == !s->work->request->values ? "a" : "b";
}

/* ---- one module ---- */

static void begin_array(void *user, size_t index)
{
    struct arrays *arrays = user;
    arrays->next = arrays->from.items[index];
}

static uint64_t next_bytes(void *user, const unsigned char **bytes)
{
    struct arrays *arrays = user;
    uint64_t count = arrays->next ? htp_array_bytes(arrays->next) : 0;
    *bytes = arrays->next ? arrays->next->data : NULL;
    arrays->next = NULL;
    return count;
}

static htp_status check_nothing(void *user)
{
    (void)user;
    return HTP_OK;
}

static void add_array(htp_arena *arena, struct arrays *arrays, const char *name,
                      const htp_array *from)
{
    const htp_npz_array item = {name, from->data_type, from->rank, from->dims};
    if (htp_npz_has(from->data_type)) {
        HTP_PUSH(arena, &arrays->items, item);
        HTP_PUSH(arena, &arrays->from, from);
    }
}

/* A list has an array for each of its tensors. */
static void add_value(htp_arena *arena, struct arrays *arrays, const char *name,
                      const htp_array *from)
{
    if (!from->tensors) {
        add_array(arena, arrays, name, from);
    }
    for (size_t i = 0; from->tensors && i < from->count; i++) {
        add_array(arena, arrays, htp_arena_printf(arena, "%s.%zu", name, i), &from->tensors[i]);
    }
}

/* "07-BertModel_BertEncoder.npz": the number makes it unique, the end of the address is kept. */
static const char *name_file(const struct saving *s, uint32_t module)
{
    htp_slice address = htp_tree_address(&s->work->sides[HTP_COMPARED_A].tree->modules[module]);
    size_t cut = address.length > LONGEST_NAME ? address.length - LONGEST_NAME : 0;
    cut += cut < address.length && address.at[cut] == '/';
    const char *name = htp_text_file_name(s->work->arena, address.at + cut, address.length - cut);
    return htp_arena_printf(s->work->arena, "%0*u%s%s.npz", s->digits, module, *name ? "-" : "",
                            name);
}

static void note_module(struct saving *s, uint32_t module, const char *file)
{
    const htp_verify_work *work = s->work;
    const htp_numbers *outputs = &work->borders.outputs[module];
    htp_slice address = htp_tree_address(&work->sides[HTP_COMPARED_A].tree->modules[module]);
    htp_json_begin(&s->index, NULL, '{');
    htp_json_string_part(&s->index, "address", address.at, address.length);
    htp_json_string(&s->index, "file", file);
    htp_json_begin(&s->index, "outputs", '[');
    for (size_t i = 0; i < outputs->count; i++) {
        uint32_t place = s->place[outputs->items[i]];
        if (place == 0) {
            continue;
        }
        htp_json_begin(&s->index, NULL, '{');
        for (int m = 0; m < HTP_COMPARED; m++) {
            const htp_view *view = work->sides[m].view;
            uint32_t value = s->values[m].items[place - 1];
            htp_json_string(&s->index, letter_of(s, m),
                            htp_view_text(view, view->values.items[value].name));
        }
        htp_json_bool(&s->index, "is_list",
                      htp_fetched_array(s->fetched[HTP_COMPARED_A][0], place - 1)->tensors);
        htp_json_end(&s->index, '}');
    }
    htp_json_end(&s->index, ']');
    htp_json_end(&s->index, '}');
}

static htp_status write_module(struct saving *s, uint32_t module)
{
    const htp_verify_work *work = s->work;
    const htp_numbers *outputs = &work->borders.outputs[module];
    struct arrays arrays = {.next = NULL};
    const char *file = name_file(s, module);
    char path[PATH_MAX];
    size_t number = 0;
    for (size_t i = 0; i < outputs->count; i++) {
        uint32_t place = s->place[outputs->items[i]];
        for (uint32_t r = 0; place > 0 && r < work->runs * HTP_COMPARED; r++) {
            int m = (int)(r % HTP_COMPARED);
            uint32_t run = r / HTP_COMPARED;
            add_value(work->arena, &arrays,
                      htp_arena_printf(work->arena, "%s.%u.%zu", letter_of(s, m), run, number),
                      htp_fetched_array(s->fetched[m][run], place - 1));
        }
        number += place > 0;
    }
    if (!htp_folder_file(work->request->save, file, path)) {
        return htp_status_make(HTP_CODE_CANNOT_WRITE, "cannot write '%s': its path is too long",
                               file);
    }
    const htp_npz npz = {arrays.items.items, arrays.items.count, &arrays,
                         begin_array,        next_bytes,         check_nothing};
    note_module(s, module, file);
    return htp_npz_write(work->arena, &npz, path);
}

/* ---- groups ---- */

static htp_status fetch_group(struct saving *s)
{
    htp_verify_work *work = s->work;
    for (int m = 0; m < HTP_COMPARED; m++) {
        htp_side *side = &work->sides[m];
        htp_side_session session;
        int32_t *types = HTP_NEW_ARRAY(work->arena, int32_t, side->view->values.count + 1);
        HTP_TRY(htp_side_open(side, work->arena, NULL, &s->values[m], types, &session));
        for (uint32_t r = 0; r < work->runs; r++) {
            HTP_TRY(htp_side_run(side, work->arena, &session, work->arrays[m][r], &s->values[m],
                                 &s->fetched[m][r]));
        }
        htp_side_close(&session);
    }
    return HTP_OK;
}

static htp_status write_group(struct saving *s)
{
    HTP_TRY(fetch_group(s));
    for (size_t i = 0; i < s->group.count; i++) {
        HTP_TRY(write_module(s, s->group.items[i]));
    }
    for (int m = 0; m < HTP_COMPARED; m++) {
        for (uint32_t r = 0; r < s->work->runs; r++) {
            htp_fetched_free(s->fetched[m][r]);
            s->fetched[m][r] = NULL;
        }
    }
    for (size_t i = 0; i < s->values[HTP_COMPARED_A].count; i++) {
        s->place[s->values[HTP_COMPARED_A].items[i]] = 0;
    }
    s->values[HTP_COMPARED_A].count = s->values[HTP_COMPARED_B].count = s->group.count = 0;
    return HTP_OK;
}

/* Adds a module to the group. @return bytes that its outputs add */
static uint64_t add_module(struct saving *s, uint32_t module)
{
    const htp_verify_work *work = s->work;
    const htp_numbers *outputs = &work->borders.outputs[module];
    uint64_t bytes = 0;
    bool has_some = false;
    for (size_t i = 0; i < outputs->count; i++) {
        uint32_t value = outputs->items[i];
        if (!work->carried[value].is_known) {
            continue;
        }
        has_some = true;
        if (s->place[value] == 0) {
            HTP_PUSH(work->arena, &s->values[HTP_COMPARED_A], value);
            HTP_PUSH(work->arena, &s->values[HTP_COMPARED_B], work->counterparts.of_a[value]);
            s->place[value] = (uint32_t)s->values[HTP_COMPARED_A].count;
            bytes += HTP_COMPARED * work->bytes[value];
        }
    }
    if (has_some) {
        HTP_PUSH(work->arena, &s->group, module);
    }
    return bytes;
}

htp_status htp_verify_save(htp_verify_work *work, const char **index)
{
    const htp_side *a = &work->sides[HTP_COMPARED_A];
    struct saving s = {.work = work,
                       .place = HTP_NEW_ARRAY(work->arena, uint32_t, a->view->values.count + 1),
                       .index = {.text.arena = work->arena}};
    uint64_t bytes = 0;
    for (uint32_t most = a->tree->module_count; most > 0; most /= 10) {
        s.digits++;
    }
    htp_json_begin(&s.index, NULL, '{');
    htp_json_string(&s.index, "a", a->view->path);
    htp_json_string(&s.index, "b", htp_verify_other(work->request));
    htp_json_count(&s.index, "runs", work->runs);
    htp_json_begin(&s.index, "modules", '[');
    for (uint32_t m = 0; m < a->tree->module_count; m++) {
        bytes += add_module(&s, m);
        if (bytes > work->request->memory ||
            (m + 1 == a->tree->module_count && s.group.count > 0)) {
            HTP_TRY(write_group(&s));
            bytes = 0;
        }
    }
    htp_json_end(&s.index, ']');
    htp_json_end(&s.index, '}');
    *index = htp_text_string(&s.index.text);
    return HTP_OK;
}
