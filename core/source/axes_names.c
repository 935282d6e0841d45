/*
 * What axes are called that nobody named.
 */
#include "base/dtype.h"
#include "source/axes.h"

#include <ctype.h>

static htp_axes_kind find_kind(const htp_input *input, uint32_t dim)
{
    bool is_image = htp_dtype_is_float(input->dtype) && input->rank >= 4 && input->rank <= 5;
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
    return find_kind(&axes->given->items[axes->dims[dim].input], axes->dims[dim].dim);
}

/* NULL where there is no name that is usual. */
static const char *usual_name(const htp_input *input, uint32_t dim)
{
    static const char *const spatial[] = {"width", "height", "depth"};
    switch (find_kind(input, dim)) {
    case HTP_AXES_BATCH:
        return "batch";
    case HTP_AXES_SEQUENCE:
        return "sequence";
    case HTP_AXES_SPATIAL:
        return spatial[input->rank - 1 - dim];
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

static const char *make_name(htp_arena *arena, htp_map *taken, const htp_inputs *inputs,
                             const htp_axes_dim *at)
{
    const char *argument = name_of_path(arena, inputs->paths[at->input].text);
    const char *usual = usual_name(&inputs->items[at->input], at->dim);
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
            names[i] = make_name(axes->arena, &taken, axes->given, &axes->dims[i]);
        }
    }
    return axes->names ? axes->names : names;
}
