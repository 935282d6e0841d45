/*
 * The dynamic axes of a file, and sizes in their place: what inference starts with if dims are to
 * be formulas of the axes, or numbers.
 */
#ifndef HTP_ONNX_INFER_AXES_H
#define HTP_ONNX_INFER_AXES_H

#include "graph/symbols.h"
#include "onnx/reader/value_type.h"

/** The axes of a file, those of inputs first: names of dims; "x.0" for a dim of input x that has
 * none; in files of this program also names of sizes that the data decide. */
typedef struct htp_view_axes {
    HTP_VECTOR(htp_axis) items; /* sizes: lane 0 alone; 0: none was given */
    htp_map numbers;            /* by name */
    size_t input_count;         /* the first ones, which every run has */
    bool are_sized;             /* dims become numbers */
} htp_view_axes;

/** Finds the axes of a view; none has a size. Linear in the declared dims. */
htp_view_axes htp_view_axes_find(htp_arena *arena, const htp_view *view);

/**
 * Gives axes their sizes: "batch=1,sequence=128", names and numbers from 0 on.
 * @return HTP_CODE_USAGE for a text that is no such list, for names that no axis has, and for axes
 *         of inputs that are left without a size.
 */
HTP_MUST_USE htp_status htp_view_axes_set(htp_arena *arena, htp_view_axes *axes, const char *text);

/** Whether names of dims inside the graph can be trusted: in files of this program they mean equal
 * sizes. Other exporters reuse names. */
bool htp_view_names_hold(const htp_view *view);

/** A declared type whose dims are formulas of the axes, or the numbers that follow from their
 * sizes; other names are left out where the axes have sizes. */
htp_value_type htp_view_axes_put(const htp_view_axes *axes, htp_symbols *symbols,
                                 const htp_view *view, uint32_t value, htp_value_type declared);

#endif
