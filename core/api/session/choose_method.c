#include "api/session/choose_method.h"

#include "base/text.h"
#include "query/select/nearest.h"

#include <string.h>

enum { SHOWN = 3 };

/* The paths nearest to a wanted one. */
struct nearest {
    htp_slice wanted;
    size_t count;
    const char *paths[SHOWN];
    size_t distances[SHOWN];
};

static htp_slice slice_of(const char *text)
{
    return (htp_slice){.at = text, .length = strlen(text)};
}

/* Compares the last part of a path as well: "attn" may mean "2.attn". */
static size_t distance_of(const struct nearest *nearest, const char *path)
{
    size_t most = nearest->wanted.length + 1; /* a larger distance is no similarity */
    const char *dot = strrchr(path, '.');
    size_t whole = htp_nearest_distance(nearest->wanted, slice_of(path), most);
    size_t last = dot ? htp_nearest_distance(nearest->wanted, slice_of(dot + 1), most) : most;
    return last < whole ? last : whole;
}

static void try_path(struct nearest *nearest, const char *path)
{
    size_t distance = distance_of(nearest, path);
    if (!*path || distance >= nearest->wanted.length) {
        return;
    }
    size_t at = nearest->count;
    while (at > 0 && nearest->distances[at - 1] > distance) {
        at--;
    }
    if (at == SHOWN) {
        return;
    }
    nearest->count += nearest->count < SHOWN;
    for (size_t i = nearest->count - 1; i > at; i--) {
        nearest->paths[i] = nearest->paths[i - 1];
        nearest->distances[i] = nearest->distances[i - 1];
    }
    nearest->paths[at] = path;
    nearest->distances[at] = distance;
}

static htp_status refuse_module(htp_session *session, const char *wanted)
{
    struct nearest nearest = {.wanted = slice_of(wanted)};
    for (uint32_t i = 0; i < session->source.module_count; i++) {
        try_path(&nearest, session->source.modules[i].path);
    }
    htp_text text = {.arena = &session->arena};
    for (size_t i = 0; i < nearest.count; i++) {
        htp_text_add(&text, i == 0                   ? "; the nearest are "
                            : i + 1 == nearest.count ? " and "
                                                     : ", ");
        htp_text_add(&text, nearest.paths[i]);
    }
    return htp_status_make(
        HTP_CODE_USAGE, "%s: there is no module \"%s\"%s", session->model_path, wanted,
        nearest.count > 0 ? htp_text_string(&text) : "; \"htp-trace inspect\" lists them");
}

static bool is_at(const htp_instance *module, const char *path)
{
    bool is_found = strcmp(module->path, path) == 0;
    for (size_t i = 0; i < module->alias_count && !is_found; i++) {
        is_found = strcmp(module->aliases[i], path) == 0;
    }
    return is_found;
}

/* @return its number, or HTP_NONE */
static uint32_t find_module(const htp_session *session, const char *path)
{
    for (uint32_t i = 0; i < session->source.module_count; i++) {
        if (is_at(&session->source.modules[i], path)) {
            return i;
        }
    }
    return HTP_NONE;
}

static htp_status refuse_method(htp_session *session, const char *const *names, uint32_t count)
{
    const char *wanted = session->options.method;
    const char *module = session->options.module;
    const char *advice = session->source.reader->advice;
    const char *who =
        *module ? htp_arena_printf(&session->arena, "module %s", module) : "the root module";
    htp_text text = {.arena = &session->arena};
    for (uint32_t i = 0; i < count; i++) {
        htp_text_add(&text, i ? ", " : "");
        htp_text_add(&text, names[i]);
    }
    advice = advice ? htp_arena_join(&session->arena, "; ", "", advice) : "";
    if (strcmp(wanted, "forward") == 0 && count == 0) {
        return htp_status_make(HTP_CODE_UNSUPPORTED, "%s: %s has no %s()%s", session->model_path,
                               who, wanted, advice);
    }
    return htp_status_make(HTP_CODE_USAGE, "%s: %s has no %s(); its methods are: %s%s",
                           session->model_path, who, wanted,
                           count > 0 ? htp_text_string(&text) : "none", advice);
}

htp_status htp_method_choose(htp_session *session)
{
    const char *const *names = NULL;
    uint32_t count = 0;
    uint32_t module = find_module(session, session->options.module);
    if (module == HTP_NONE) {
        return refuse_module(session, session->options.module);
    }
    htp_source_list_methods(&session->source, module, &names, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(names[i], session->options.method) == 0) {
            return htp_source_choose_method(&session->source, module, session->options.method);
        }
    }
    return refuse_method(session, names, count);
}
