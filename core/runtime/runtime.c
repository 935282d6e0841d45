#include "runtime/session.h"

#include "base/python_package.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Severity of what the library logs by itself: failures come back as statuses. */
enum { LOG_FATAL = 4 };

/* The minor version, after 1. */
enum { FIRST_WITH_DATA_FOLDER = 21 };

/* Allocators and kinds of memory of the library. */
enum { ALLOCATOR_OF_DEVICE = 0, MEMORY_DEFAULT = 0 };

static const struct {
    size_t member; /* of htp_ort_api */
    htp_ort_place place;
} places[] = {
    {offsetof(htp_ort_api, error_message), HTP_ORT_ERROR_MESSAGE},
    {offsetof(htp_ort_api, session_from_array), HTP_ORT_SESSION_FROM_ARRAY},
    {offsetof(htp_ort_api, run), HTP_ORT_RUN},
    {offsetof(htp_ort_api, new_options), HTP_ORT_NEW_OPTIONS},
    {offsetof(htp_ort_api, set_level), HTP_ORT_SET_LEVEL},
    {offsetof(htp_ort_api, new_tensor), HTP_ORT_NEW_TENSOR},
    {offsetof(htp_ort_api, is_tensor), HTP_ORT_IS_TENSOR},
    {offsetof(htp_ort_api, tensor_data), HTP_ORT_TENSOR_DATA},
    {offsetof(htp_ort_api, element_type), HTP_ORT_ELEMENT_TYPE},
    {offsetof(htp_ort_api, rank), HTP_ORT_RANK},
    {offsetof(htp_ort_api, dims), HTP_ORT_DIMS},
    {offsetof(htp_ort_api, element_count), HTP_ORT_ELEMENT_COUNT},
    {offsetof(htp_ort_api, tensor_info), HTP_ORT_TENSOR_INFO},
    {offsetof(htp_ort_api, value_type), HTP_ORT_VALUE_TYPE},
    {offsetof(htp_ort_api, usual_allocator), HTP_ORT_USUAL_ALLOCATOR},
    {offsetof(htp_ort_api, element), HTP_ORT_ELEMENT},
    {offsetof(htp_ort_api, length), HTP_ORT_LENGTH},
    {offsetof(htp_ort_api, new_list), HTP_ORT_NEW_LIST},
    {offsetof(htp_ort_api, new_cpu_memory), HTP_ORT_NEW_CPU_MEMORY},
    {offsetof(htp_ort_api, free_env), HTP_ORT_FREE_ENV},
    {offsetof(htp_ort_api, free_status), HTP_ORT_FREE_STATUS},
    {offsetof(htp_ort_api, free_memory), HTP_ORT_FREE_MEMORY},
    {offsetof(htp_ort_api, free_session), HTP_ORT_FREE_SESSION},
    {offsetof(htp_ort_api, free_value), HTP_ORT_FREE_VALUE},
    {offsetof(htp_ort_api, free_info), HTP_ORT_FREE_INFO},
    {offsetof(htp_ort_api, free_options), HTP_ORT_FREE_OPTIONS},
    {offsetof(htp_ort_api, new_env), HTP_ORT_NEW_ENV},
    {offsetof(htp_ort_api, share_threads), HTP_ORT_SHARE_THREADS},
    {offsetof(htp_ort_api, new_threads), HTP_ORT_NEW_THREADS},
    {offsetof(htp_ort_api, free_threads), HTP_ORT_FREE_THREADS},
    {offsetof(htp_ort_api, configure), HTP_ORT_CONFIGURE},
};

static htp_status refuse(const char *why)
{
    return htp_status_make(
        HTP_CODE_INTERNAL,
        "ONNX Runtime cannot be used: %s; install it (python3 -m pip install onnxruntime), or name "
        "its library: --onnxruntime FILE",
        why);
}

static htp_status refuse_library(const char *path, const char *why)
{
    return htp_status_prefix(refuse(why), path);
}

htp_status htp_runtime_take(const htp_runtime *runtime, htp_ort_status *status)
{
    if (!status) {
        return HTP_OK;
    }
    htp_status taken = htp_status_make(HTP_CODE_BAD_INPUT, "ONNX Runtime %s: %s", runtime->version,
                                       runtime->api.error_message(status));
    runtime->api.free_status(status);
    return taken;
}

void htp_runtime_tie(htp_runtime *runtime, htp_runtime_link *link,
                     void (*release)(htp_runtime_link *link))
{
    *link = (htp_runtime_link){&runtime->links, runtime->links, release};
    if (link->next) {
        link->next->place = &link->next;
    }
    runtime->links = link;
}

void htp_runtime_untie(htp_runtime_link *link)
{
    *link->place = link->next;
    if (link->next) {
        link->next->place = link->place;
    }
}

static void read_table(htp_ort_api *api, void *const *table)
{
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
        memcpy((char *)api + places[i].member, &table[places[i].place], sizeof(*table));
    }
}

/* @param table  NULL: the release is older */
static void read_later(htp_ort_api *api, void *const *table)
{
    if (table) {
        memcpy(&api->has_value, &table[HTP_ORT_HAS_VALUE], sizeof(*table));
    }
}

/* One pool of threads for all sessions. */
static htp_status begin(htp_runtime *runtime)
{
    const htp_ort_api *api = &runtime->api;
    HTP_TRY(htp_runtime_take(runtime, api->new_threads(&runtime->threads)));
    HTP_TRY(
        htp_runtime_take(runtime, api->new_env(LOG_FATAL, "htp", runtime->threads, &runtime->env)));
    return htp_runtime_take(
        runtime, api->new_cpu_memory(ALLOCATOR_OF_DEVICE, MEMORY_DEFAULT, &runtime->memory));
}

/* The path of the library that was loaded before it is needed; NULL: none. */
static char *preloaded;

const char *htp_runtime_find(htp_arena *arena, const char *file)
{
    if (file) {
        return file;
    }
    if (preloaded) {
        return preloaded;
    }
    htp_package_files found = htp_package_find(arena, "onnxruntime", "capi/libonnxruntime.so*");
    return found.count > 0 ? found.items[0] : "libonnxruntime.so";
}

/* In a frame below the one that owns the arena. */
static char *load_found(htp_arena *arena, const char *file)
{
    if (htp_arena_recover(arena) != 0) {
        return NULL;
    }
    const char *path = htp_runtime_find(arena, file);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL) ? strdup(path) : NULL;
}

bool htp_runtime_preload(const char *file)
{
    htp_arena arena;
    if (!preloaded) {
        htp_arena_init(&arena);
        preloaded = load_found(&arena, file);
        htp_arena_free(&arena);
    }
    return preloaded != NULL;
}

htp_status htp_runtime_open(const char *path, htp_runtime **runtime)
{
    const htp_ort_base *(*get_base)(void) = NULL;
    *runtime = calloc(1, sizeof(**runtime));
    if (!*runtime) {
        return htp_status_make(HTP_CODE_INTERNAL, "out of memory");
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        return refuse(dlerror());
    }
    void *symbol = dlsym(library, "OrtGetApiBase");
    memcpy(&get_base, &symbol, sizeof(symbol));
    if (!get_base) {
        return refuse_library(path, "it has no OrtGetApiBase()");
    }
    const htp_ort_base *base = get_base();
    void *const *table = base->get_api(HTP_ORT_API_VERSION);
    (*runtime)->version = base->get_version();
    if (!table) {
        return refuse_library(path, "it is older than 1.8");
    }
    read_table(&(*runtime)->api, table);
    read_later(&(*runtime)->api, base->get_api(HTP_ORT_OPTIONAL_VERSION));
    (*runtime)->is_open = true;
    return begin(*runtime);
}

void htp_runtime_close(htp_runtime *runtime)
{
    while (runtime && runtime->links) {
        runtime->links->release(runtime->links);
    }
    if (runtime && runtime->is_open) {
        runtime->api.free_memory(runtime->memory);
        runtime->api.free_env(runtime->env);
        runtime->api.free_threads(runtime->threads);
    }
    free(runtime);
}

const char *htp_runtime_version(const htp_runtime *runtime)
{
    return runtime->version;
}

bool htp_runtime_has_data_folder(const htp_runtime *runtime)
{
    char *minor = NULL;
    unsigned long major = strtoul(runtime->version, &minor, 10);
    return major > 1 || (*minor == '.' && strtoul(minor + 1, NULL, 10) >= FIRST_WITH_DATA_FOLDER);
}
