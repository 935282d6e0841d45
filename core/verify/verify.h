/*
 * Where two models part: both run on the same inputs in ONNX Runtime, and what they compute is
 * compared, module by module.
 *
 * The first model, A, is the reference. A tensor of A has a counterpart in B by structure, by name,
 * or by place (verify/counterparts.h). Every one that has is fetched in both, in slices that fit in
 * memory, and compared: that difference is *carried*, it holds the error of all that came before. A
 * module alone is the part of B that computes the counterparts of the module's outputs, fed with
 * A's tensors where they come in: that difference is its *own*.
 */
#ifndef HTP_VERIFY_H
#define HTP_VERIFY_H

#include "query/compare/compare.h"
#include "runtime/runtime.h"
#include "verify/measure.h"
#include "verify/uncompared.h"

/** Tensors of a file, by name. */
typedef struct htp_verify_given {
    const char *path; /* of the file */
    size_t count;
    const char *const *names;
    const htp_array *arrays; /* without elements */
    htp_elements_fn read;
    void *user;
} htp_verify_given;

/** A state: each call takes it, and returns it for the next one. */
typedef struct htp_verify_state {
    uint32_t before, after; /* values of A: an input and an output; HTP_NONE: it has none */
} htp_verify_state;

/** What A computes, where that is known from elsewhere: A does not run. */
typedef struct htp_verify_reference {
    void *user;
    uint32_t candidates; /* choices of sizes, the best ones first; at least 1 */

    /** The size of an axis in a candidate; 0: there is no such axis. */
    int64_t (*size)(void *user, uint32_t candidate, const char *axis);

    /** Computes a run at the sizes of a candidate. @param arrays  by value of A: has the inputs;
     * receives all that is known, which lives as long as the reference. May change inputs that are
     * states. @param is_taken  receives whether the program takes these sizes; if not, there is
     * another candidate */
    htp_status (*compute)(void *user, uint32_t candidate, const htp_array **arrays, bool *is_taken);

    const char *runtime;            /* what computes it: "libtorch 2.13.0" */
    const htp_verify_state *states; /* if there are any, runs are calls, one after the other */
    uint32_t state_count;

    /* Once all runs are computed: */
    const double *tolerances; /* by value of A: of differences; 0: not known */
    const bool *differs;      /* by value of A: another run, more exact, gave other numbers */
    const char *gap;          /* what was not computed, and why; NULL: all was */
    const bool *is_result;    /* by value of A: it is computed here, as a whole operator's result */
    htp_uncompared_list absent; /* tensors that A lacks: the program's own */
} htp_verify_reference;

/** What is asked. */
typedef struct htp_verify_request {
    const htp_view *views[HTP_COMPARED];
    const htp_tree *trees[HTP_COMPARED];
    htp_runtime *runtime;
    const htp_verify_reference *reference; /* of A; NULL: A runs in the runtime, too */
    htp_arena *scratch;                    /* for one model after the other; reset */
    double tolerance;  /* of differences, relative to the largest element of A's tensor, where the
                          reference has none */
    bool is_chosen;    /* the tolerance: those of the reference do not count */
    uint64_t memory;   /* bytes of tensors that are kept at a time */
    const char *sizes; /* of A's axes, as htp_view_axes_set() takes them; NULL: they are chosen */
    int level; /* of B's optimisation; above 0, outputs of tagged modules alone are compared,
                  so that what is fused in them stays so */
    const htp_verify_given *
        values; /* of A by another runtime: A is not run, and B is the same model. NULL: A is run */
    const htp_verify_given *inputs; /* of A; NULL: those of `values`, else made up */
    htp_progress_fn progress;       /* or NULL; see htp_verify_options */
    void *user;
    struct htp_folder *save; /* gets the outputs of modules; NULL: none does */
} htp_verify_request;

/** The path of what the first model is compared with: the second one, or the file of values. */
static inline const char *htp_verify_other(const htp_verify_request *request)
{
    return request->values ? request->values->path : request->views[HTP_COMPARED_B]->path;
}

/** Sizes that the models ran at: of an axis. */
typedef struct htp_verify_axis {
    const char *name;
    int64_t sizes[HTP_VERIFY_RUNS];
} htp_verify_axis;

/** A node and what it adds. */
typedef struct htp_verify_operator {
    uint32_t node;  /* of A; HTP_NONE: none adds anything */
    double growth;  /* see htp_verify_node */
    double carried; /* relative */
} htp_verify_operator;

/** What the outputs of a node of A carry. */
typedef struct htp_verify_node {
    bool is_known;  /* one of them has a counterpart, and was compared */
    double carried; /* relative, the worst of them */
    double growth;  /* less that of what it reads, from 0 to the own one of its module */
} htp_verify_node;

/** A list whose counterpart has another length. */
typedef struct htp_verify_lengths {
    uint32_t value; /* of A */
    uint32_t run;   /* the first one in which that is so */
    size_t lengths[HTP_COMPARED];
} htp_verify_lengths;

typedef HTP_VECTOR(htp_verify_lengths) htp_verify_lengths_list;

/** One module of A. */
typedef struct htp_verify_module {
    bool has_nodes;  /* outside of bodies */
    uint32_t first;  /* node, in the order of the file */
    uint32_t values; /* outputs with a counterpart */
    htp_difference_of carried, own;
    bool is_source;     /* its own is beyond the tolerance, and that of no module in it */
    const char *no_own; /* why `own` is not known; or NULL */
    htp_verify_operator worst;
} htp_verify_module;

/** What was found. */
typedef struct htp_verification {
    const htp_verify_request *request;
    HTP_VECTOR(htp_verify_axis) axes;
    uint32_t runs;                    /* at so many sizes */
    uint32_t compared;                /* tensors with a counterpart */
    htp_uncompared_list not_compared; /* all others, by model and place */
    htp_verify_lengths_list lengths;  /* lists of another length, in the order they were seen */
    uint32_t unmatched[HTP_COMPARED]; /* those without a counterpart */
    uint32_t inside; /* tensors of A with one that are not compared, since B is optimised */
    uint32_t in_bodies[HTP_COMPARED]; /* nodes in bodies: their tensors are not seen */
    const htp_verify_module *modules; /* by module of A */
    const htp_verify_node *nodes;     /* by node of A; those in bodies are not known */
    uint32_t first;        /* the first module that adds error beyond the tolerance, the innermost;
                              where none does, that of `first_tensor`; HTP_NONE */
    uint32_t first_tensor; /* where no module adds error: the first value of A, in the order of the
                              file, that carries some beyond the tolerance; HTP_NONE */
    bool is_beyond;        /* something is beyond the tolerance */
    uint32_t outputs[2];   /* of A: all, and those not compared */
    bool is_unknown;       /* none of them is compared, or one has other dims, or A lacks it */
    const char *index;     /* of the files in the request's folder: JSON; NULL: there is none */
    double tolerances[2];  /* the least and the largest that counted */
} htp_verification;

/**
 * Verifies.
 * @return HTP_CODE_USAGE where no inputs can be made, or where B takes inputs that A does not have;
 *         HTP_CODE_INTERRUPTED where it is stopped;
 *         HTP_CODE_BAD_INPUT where the runtime refuses a model.
 */
HTP_MUST_USE htp_status htp_verify(htp_arena *arena, const htp_verify_request *request,
                                   htp_verification *verification);

#endif
