#include "query/profile/profile.h"

#include "base/text.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

static const char kernel_suffix[] = "_kernel_time";

/* Microseconds. A duration of more than a day, or a start of more than some years, is an error. */
static const double longest = 1e11;
static const double latest = 1e15;

/* ---- the file ---- */

static htp_status map_file(htp_profile *profile)
{
    struct stat facts;
    HTP_TRY(htp_input_file_open(&profile->file, profile->path));
    if (fstat(profile->file.fd, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        return htp_status_make(HTP_CODE_BAD_INPUT, "%s: is no file", profile->path);
    }
    if (profile->file.bytes == 0) {
        return htp_status_make(HTP_CODE_BAD_INPUT, "%s: is empty", profile->path);
    }
    profile->bytes = (size_t)profile->file.bytes;
    profile->mapped = htp_input_file_map(&profile->file);
    if (!profile->mapped) {
        return htp_status_make(htp_input_file_code(errno, HTP_CODE_BAD_INPUT),
                               "%s: cannot be mapped: %s", profile->path, strerror(errno));
    }
    (void)madvise((void *)(uintptr_t)profile->mapped, profile->bytes, MADV_SEQUENTIAL);
    return HTP_OK;
}

void htp_profile_close(htp_profile *profile)
{
    if (profile->mapped) {
        (void)munmap((void *)(uintptr_t)profile->mapped, profile->bytes);
        profile->mapped = NULL;
    }
    htp_input_file_close(&profile->file);
}

static htp_status wrong(const htp_profile *profile, const char *what)
{
    return htp_status_make(HTP_CODE_BAD_INPUT,
                           "%s: not a profile of ONNX Runtime, or a damaged one: %s (byte %zu)",
                           profile->path, what, (size_t)(profile->items.at - profile->mapped));
}

/* ---- events ---- */

static const char *text_of(const cJSON *object, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

/* Reads a number of microseconds, at most @p most. @return false if there is none */
static bool read_time(const cJSON *event, const char *key, double most, double *time)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(event, key);
    *time = cJSON_IsNumber(item) ? item->valuedouble : -1;
    return *time >= 0 && *time <= most;
}

static htp_kernel *find_kernel(htp_profile *profile, const char *name, size_t length,
                               const char *op_type)
{
    htp_text key = {.arena = profile->arena};
    uint32_t number;
    htp_text_add_bytes(&key, name, length);
    htp_text_add_bytes(&key, "", 1);
    htp_text_add(&key, op_type);
    if (!htp_map_get_bytes(&profile->numbers, key.bytes, key.length, &number)) {
        number = (uint32_t)profile->kernels.count;
        htp_map_set_bytes(profile->arena, &profile->numbers, key.bytes, key.length, number);
        HTP_PUSH(profile->arena, &profile->kernels,
                 (htp_kernel){.name = key.bytes,
                              .op_type = key.bytes + length + 1,
                              .node = HTP_NONE,
                              .module = HTP_NONE,
                              .innermost = HTP_NONE});
    }
    return &profile->kernels.items[number];
}

/* The finished runs of a thread that do not lie in a finished one. */
static htp_kernel_runs *find_runs(htp_profile *profile, const cJSON *event)
{
    const cJSON *thread = cJSON_GetObjectItemCaseSensitive(event, "tid");
    double number = cJSON_IsNumber(thread) ? thread->valuedouble : 0;
    uint32_t index;
    if (!htp_map_get_bytes(&profile->threads, &number, sizeof(number), &index)) {
        index = (uint32_t)profile->pending.count;
        HTP_PUSH(profile->arena, &profile->pending, (htp_kernel_runs){0});
        htp_map_set_bytes(profile->arena, &profile->threads,
                          htp_arena_copy(profile->arena, &number, sizeof(number)), sizeof(number),
                          index);
    }
    return &profile->pending.items[index];
}

/* Events are written when kernels end, so those of a body precede that of its node, and are
 * subtracted. @return whether the times fit */
static bool find_own_time(htp_profile *profile, const cJSON *event, htp_kernel_run run,
                          int64_t *own)
{
    htp_kernel_runs *runs = find_runs(profile, event);
    bool fits = true;
    *own = run.time;
    while (runs->count > 0 && runs->items[runs->count - 1].begin >= run.begin) {
        fits = !__builtin_sub_overflow(*own, runs->items[--runs->count].time, own) && fits;
    }
    HTP_PUSH(profile->arena, runs, run);
    return fits;
}

static htp_status add_kernel(htp_profile *profile, const cJSON *event, const char *name)
{
    const cJSON *arguments = cJSON_GetObjectItemCaseSensitive(event, "args");
    const char *op_type = text_of(arguments, "op_name");
    double begin;
    double time;
    if (!read_time(event, "ts", latest, &begin) || !read_time(event, "dur", longest, &time)) {
        return wrong(profile, "a kernel's ts or dur is no time in microseconds");
    }
    size_t length = strlen(name) - strlen(kernel_suffix);
    htp_kernel *kernel = find_kernel(profile, name, length, op_type ? op_type : "");
    const htp_kernel_run run = {begin, (int64_t)llround(time)};
    int64_t own;
    if (!find_own_time(profile, event, run, &own) ||
        __builtin_add_overflow(profile->time, own, &profile->time) ||
        __builtin_add_overflow(kernel->time, own, &kernel->time)) {
        return wrong(profile, "its times do not add up");
    }
    kernel->calls++;
    profile->calls++;
    return HTP_OK;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text);
    return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

static htp_status add_event(htp_profile *profile)
{
    const cJSON *event = profile->items.item;
    if (!cJSON_IsObject(event)) {
        return wrong(profile, "an event is no object");
    }
    const char *category = text_of(event, "cat");
    const char *name = text_of(event, "name");
    if (!category || !name) {
        return wrong(profile, "an event has no cat or no name");
    }
    if (strcmp(category, "Node") == 0 && ends_with(name, kernel_suffix)) {
        return add_kernel(profile, event, name);
    }
    if (strcmp(category, "Session") == 0 && strcmp(name, "model_run") == 0) {
        profile->runs++;
        for (size_t i = 0; i < profile->pending.count; i++) {
            profile->pending.items[i].count = 0;
        }
    }
    return HTP_OK;
}

static htp_status add_events(htp_profile *profile)
{
    while (htp_json_items_next(&profile->items)) {
        HTP_TRY(add_event(profile));
    }
    return profile->items.wrong ? wrong(profile, profile->items.wrong) : HTP_OK;
}

htp_status htp_profile_read(htp_profile *profile, htp_arena *arena, const char *path)
{
    *profile = (htp_profile){.arena = arena, .path = htp_arena_strdup(arena, path)};
    HTP_TRY(map_file(profile));
    htp_json_items_begin(&profile->items, arena, profile->mapped, profile->bytes);
    htp_status status = add_events(profile);
    htp_json_items_end(&profile->items);
    HTP_TRY(status);
    if (profile->kernels.count == 0) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "%s: has no kernel: profile a session that was run", path);
    }
    return htp_status_prefix(htp_input_file_check(&profile->file), path);
}
