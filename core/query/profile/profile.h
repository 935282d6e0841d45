/*
 * Profiles of ONNX Runtime (SessionOptions.enable_profiling): the time of each kernel, and its
 * module.
 *
 * A kernel's time excludes kernels of its bodies, so the times add up to the total.
 *
 * ONNX Runtime fuses nodes and invents names for the new ones. The first of these that is found is
 * the node of a kernel, or at least gives its module:
 * - the model's node of the kernel's name;
 * - by the node of that name in the optimised model: the model's node that makes the same tensor,
 *   unless the optimised one has another tag; the module of that tag; or, for new tensors, the one
 *   module that reads them;
 * - a node without a name, by operator and number: "MatMul_12";
 * - the model's node whose name is part of the kernel's name, delimited by bytes that are not part
 *   of names.
 * A kernel with candidates in different modules belongs to none.
 */
#ifndef HTP_QUERY_PROFILE_H
#define HTP_QUERY_PROFILE_H

#include "base/input_file.h"
#include "base/json/json_items.h"
#include "query/tree/tree.h"

/** How a kernel's module was found. */
typedef enum htp_kernel_evidence {
    HTP_KERNEL_LOST,
    HTP_KERNEL_BY_NAME,
    HTP_KERNEL_BY_TAG,       /* of the optimised model's node */
    HTP_KERNEL_BY_TENSOR,    /* that the optimised model's node makes */
    HTP_KERNEL_BY_PART_NAME, /* a node's name is part of it */
    HTP_KERNEL_BY_READERS,   /* of the optimised model's node */
    HTP_KERNEL_EVIDENCES,
} htp_kernel_evidence;

/** All runs of kernels with one name and operator. */
typedef struct htp_kernel {
    const char *name;    /* the executed node's */
    const char *op_type; /* "": not in the profile */
    uint64_t calls;
    int64_t time; /* microseconds, without kernels in its bodies; slightly negative if the clock is
                     coarse */
    htp_kernel_evidence evidence;
    uint32_t node;      /* of the model; HTP_NONE: unknown, or several of one module */
    uint32_t module;    /* of its tag; HTP_NONE: none, or lost */
    uint32_t innermost; /* the module that ran, with or without a tag; HTP_NONE: likewise */
} htp_kernel;

/** A run that was read, while the run around it was not yet. */
typedef struct htp_kernel_run {
    double begin;
    int64_t time; /* microseconds, with the runs in it */
} htp_kernel_run;

typedef HTP_VECTOR(htp_kernel_run) htp_kernel_runs;

typedef struct htp_profile {
    htp_arena *arena;
    const char *path;
    HTP_VECTOR(htp_kernel) kernels; /* in the order of their first runs */
    uint64_t runs;                  /* of the model */
    uint64_t calls;                 /* of kernels */
    int64_t time;                   /* of all of them */
    htp_input_file file;
    const char *mapped;
    size_t bytes;
    htp_json_items items;
    htp_map numbers; /* from name and operator to the kernel */
    htp_map threads; /* from thread to the runs below */
    HTP_VECTOR(htp_kernel_runs) pending;
} htp_profile;

/**
 * Reads the profile @p path. Memory grows with the number of distinct kernels.
 * @param profile  lives in the frame that frees the arena; to be closed in any case.
 * @return HTP_CODE_BAD_INPUT for a file that is unreadable, truncated, not a profile, or without
 *         kernels.
 */
HTP_MUST_USE htp_status htp_profile_read(htp_profile *profile, htp_arena *arena, const char *path);

/** Unmaps and closes the file; the profile stays valid. */
void htp_profile_close(htp_profile *profile);

/** A model and its tree. */
typedef struct htp_profile_model {
    const htp_view *view;
    const htp_tree *tree;
} htp_profile_model;

/** Finds the nodes and modules of all kernels. Linear.
 * @param optimized  the model as optimised by ONNX Runtime
 *                   (SessionOptions.optimized_model_filepath); NULL: unknown */
void htp_profile_place(htp_profile *profile, const htp_profile_model *model,
                       const htp_profile_model *optimized);

/** Microseconds by node of the view, in the profile's arena. A kernel that is not one node counts
 * for the first node of its module in graph 0; lost kernels count for none. Linear, times the depth
 * of the tree. */
uint64_t *htp_profile_by_node(const htp_profile *profile, const htp_view *view,
                              const htp_tree *tree);

#endif
