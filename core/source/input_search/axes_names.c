/*
 * Default names of axes.
 */
#include "base/dtype.h"
#include "source/input_search/axes.h"
#include "source/input_search/derive.h"

#include <ctype.h>
#include <string.h>

/* Whether dims may be those of an image or a volume. */
static bool may_be_picture(const htp_input *input)
{
    return htp_dtype_is_float(input->dtype) && input->rank >= 4 && input->rank <= 5;
}

/* ---- layouts by hints ---- */

/* Operators on images, by parts of their names. */
static const char *const windows[] = {"conv",         "pool", "upsample", "interpolate", "pixel_",
                                      "grid_sampler", "fold", "im2col",   "roi_"};

/* Operators on other tensors: caches are joined, keys are multiplied. */
static const char *const products[] = {"joined",       "aten::matmul",
                                       "aten::bmm",    "aten::baddbmm",
                                       "aten::linear", "aten::scaled_dot_product_attention"};

static bool holds_any(const char *kind, const char *const *parts, size_t count)
{
    bool holds = false;
    for (size_t i = 0; i < count && !holds; i++) {
        holds = strstr(kind, parts[i]) != NULL;
    }
    return holds;
}

/* The part of an argument that a hint is about. */
static const char *path_of_hint(const htp_hint *hints, uint32_t index)
{
    bool is_part = index > 0 && htp_hint_is_part(&hints[index - 1]) &&
                   hints[index - 1].argument == hints[index].argument;
    return is_part ? hints[index - 1].position : "";
}

static const char *path_of_input(htp_arena *arena, const htp_input_path *path)
{
    htp_text text = {.arena = arena};
    for (uint32_t i = 0; i < path->depth; i++) {
        htp_text_addf(&text, "%s%s", i ? "." : "", path->parts[i]);
    }
    return htp_text_string(&text);
}

/* The layout by the hints about an argument, or a part of it. */
static htp_axes_layout find_layout(const htp_hint *hints, uint32_t count, uint32_t argument,
                                   const char *path)
{
    htp_axes_layout layout = HTP_AXES_USUAL;
    for (uint32_t i = 0; i < count; i++) {
        if (hints[i].argument != argument || strcmp(path_of_hint(hints, i), path) != 0) {
            continue;
        }
        if (holds_any(hints[i].kind, windows, sizeof(windows) / sizeof(*windows))) {
            return HTP_AXES_USUAL;
        }
        if (htp_hint_has_steps_first(&hints[i])) {
            layout = HTP_AXES_STEPS_FIRST;
        } else if (layout == HTP_AXES_USUAL &&
                   holds_any(hints[i].kind, products, sizeof(products) / sizeof(*products))) {
            layout = HTP_AXES_NO_PICTURE;
        }
    }
    return layout;
}

bool htp_axes_need_hints(const htp_axes *axes)
{
    bool needs = false;
    for (uint32_t i = 0; i < axes->given->count; i++) {
        const htp_input *input = &axes->given->items[i];
        needs = needs || (htp_dtype_is_float(input->dtype) && input->rank >= 3);
    }
    return needs;
}

void htp_axes_note_hints(htp_axes *axes, const htp_hint *hints, uint32_t count)
{
    htp_axes_layout *layouts =
        HTP_NEW_ARRAY(axes->arena, htp_axes_layout, (size_t)axes->given->count + 1);
    for (uint32_t i = 0; i < axes->given->count; i++) {
        const htp_input_path *path = &axes->given->paths[i];
        layouts[i] = find_layout(hints, count, path->argument, path_of_input(axes->arena, path));
    }
    axes->layouts = layouts;
}

static bool is_picture(const htp_axes *axes, uint32_t input)
{
    return may_be_picture(&axes->given->items[input]) &&
           (!axes->layouts || axes->layouts[input] == HTP_AXES_USUAL);
}

bool htp_axes_may_be_pictures(const htp_axes *axes)
{
    bool may_be = false;
    for (uint32_t i = 0; i < axes->given->count && !may_be; i++) {
        may_be = is_picture(axes, i);
    }
    return may_be;
}

void htp_axes_note_operators(htp_axes *axes, const htp_named_operator *operators, uint32_t count)
{
    bool has_windows = false;
    for (uint32_t i = 0; i < count && !has_windows; i++) {
        has_windows = holds_any(operators[i].kind, windows, sizeof(windows) / sizeof(*windows));
    }
    htp_axes_layout *layouts =
        HTP_NEW_ARRAY(axes->arena, htp_axes_layout, (size_t)axes->given->count + 1);
    for (uint32_t i = 0; i < axes->given->count; i++) {
        layouts[i] = axes->layouts ? axes->layouts[i] : HTP_AXES_USUAL;
        if (!has_windows && is_picture(axes, i)) {
            layouts[i] = HTP_AXES_NO_PICTURE;
        }
    }
    axes->layouts = layouts;
}

/* ---- names ---- */

static htp_axes_kind find_kind(const htp_axes *axes, const htp_axes_dim *at)
{
    const htp_input *input = &axes->given->items[at->input];
    htp_axes_layout layout = axes->layouts ? axes->layouts[at->input] : HTP_AXES_USUAL;
    bool is_image = may_be_picture(input) && layout != HTP_AXES_NO_PICTURE;
    bool is_turned = layout == HTP_AXES_STEPS_FIRST && input->rank == 3 && at->dim < 2;
    const uint32_t dim = is_turned ? 1 - at->dim : at->dim;
    if (dim == 0 && input->rank > 1) {
        return HTP_AXES_BATCH;
    }
    if (dim == 1 && (input->rank == 2 ? !htp_dtype_is_float(input->dtype) : input->rank == 3)) {
        return HTP_AXES_SEQUENCE;
    }
    return is_image && dim >= 2 ? HTP_AXES_SPATIAL : HTP_AXES_FEATURE;
}

htp_axes_kind htp_axes_find_kind(const htp_axes *axes, uint32_t dim)
{
    return find_kind(axes, &axes->dims[dim]);
}

/* NULL if there is no usual name. */
static const char *usual_name(const htp_axes *axes, const htp_axes_dim *at)
{
    static const char *const spatial[] = {"width", "height", "depth"};
    switch (find_kind(axes, at)) {
    case HTP_AXES_BATCH:
        return "batch";
    case HTP_AXES_SEQUENCE:
        return "sequence";
    case HTP_AXES_SPATIAL:
        return spatial[axes->given->items[at->input].rank - 1 - at->dim];
    default:
        return NULL;
    }
}

/* A path as part of a name: "past_0_key". */
static const char *name_of_path(htp_arena *arena, const char *path)
{
    char *name = htp_arena_strdup(arena, path);
    for (char *at = name; *at; at++) {
        if (*at != '_' && !isalnum((unsigned char)*at)) {
            *at = '_';
        }
    }
    return name;
}

static const char *make_name(const htp_axes *axes, htp_map *taken, const htp_axes_dim *at)
{
    htp_arena *arena = axes->arena;
    const char *argument = name_of_path(arena, axes->given->paths[at->input].text);
    const char *usual = usual_name(axes, at);
    const char *name = usual;
    if (!usual) {
        name = htp_arena_printf(arena, "%s_dim_%u", argument, at->dim);
    } else if (htp_map_get(taken, usual, NULL)) {
        name = htp_arena_printf(arena, "%s_%s", argument, usual);
    }
    for (uint32_t number = 2; htp_map_get(taken, name, NULL); number++) {
        name = htp_arena_printf(arena, "%s_dim_%u_%u", argument, at->dim, number);
    }
    htp_map_set(arena, taken, name, 0);
    return name;
}

const char *const *htp_axes_find_names(const htp_axes *axes)
{
    htp_map taken = {0};
    const char **names = HTP_NEW_ARRAY(axes->arena, const char *, (size_t)axes->count + 1);
    for (uint32_t i = 0; !axes->names && i < axes->count; i++) {
        if (axes->axis_of[i] == i && (axes->is_fixed[i] || !axes->formulas[i])) {
            names[i] = make_name(axes, &taken, &axes->dims[i]);
        }
    }
    return axes->names ? axes->names : names;
}
