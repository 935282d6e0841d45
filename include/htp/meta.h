/*
 * Sizes and types of what operators give, for those that libtorch has no kernel of that computes
 * these alone (a meta kernel). Such kernels are functions of the core, which the shim registers
 * with libtorch: operators that are composed of others meet them, too.
 */
#ifndef HTP_META_H
#define HTP_META_H

#include <htp/runner.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HTP_META_MAX_OUTPUTS 9u

/** Kinds of outputs. */
typedef enum htp_meta_kind {
    HTP_META_NONE,    /**< a tensor that was not asked for */
    HTP_META_TENSOR,  /**< a new one, or a view: `making` */
    HTP_META_LIST,    /**< tensors: `elements` */
    HTP_META_OPERAND, /**< an operand itself, as in place: `operand` */
    HTP_META_RESIZED, /**< the same, which takes rank, dims and strides of `making` where its dims
                           are others, as behind out= */
} htp_meta_kind;

/** What an operator gives. */
typedef struct htp_meta_output {
    htp_meta_kind kind;
    uint32_t operand;                 /**< index */
    uint32_t count;                   /**< of elements */
    uint32_t room;                    /**< for elements */
    struct htp_meta_output *elements; /**< HTP_META_TENSOR each */
    htp_making making;                /**< HTP_MAKE_EMPTY, HTP_MAKE_LIKE or HTP_MAKE_VIEW */
    int64_t dims[HTP_MAX_RANK];       /**< for `making` to point at, as are the strides */
    int64_t strides[HTP_MAX_RANK];
} htp_meta_output;

/** A call of an operator. */
typedef struct htp_meta_call {
    const htp_operand *operands; /**< as many as the operator's schema has arguments; a tensor that
                                      is left out is HTP_OPERAND_NONE */
    uint32_t operand_count;
    bool has_mkl;       /**< libtorch was built with MKL, which lays transforms out by itself */
    bool is_elsewhere;  /**< what is asked is how outputs lie in memory with a libtorch of this
                           version that was built otherwise, or picks another backend */
    uint32_t major;     /**< libtorch's version */
    uint32_t parameter; /**< of the kernel: one function may serve several */
    uint32_t output_count;
    htp_meta_output outputs[HTP_META_MAX_OUTPUTS];
    htp_error error;
} htp_meta_call;

/** Tells what an operator gives. Looks at nothing but the call, and may be called by any thread.
 * @param call  its operands and what is asked; all else may hold anything, and receives outputs, or
 *              why there are none
 * @return false where the operator does not take these operands */
typedef bool (*htp_meta_run)(uint32_t kernel, htp_meta_call *call);

/** The operator of a kernel. */
typedef struct htp_meta_operator {
    const char *name; /**< "aten::index_select" */
    const char *overload;
    bool replaces; /**< also where libtorch has one that is wrong, or composes it of others */
} htp_meta_operator;

/** Kernels, told apart by their numbers. All of this is there for the life of the process. */
typedef struct htp_meta_kernels {
    const htp_meta_operator *operators; /**< by kernel */
    uint32_t count;
    htp_meta_run run;
    void (*release)(htp_meta_call *call); /**< frees a call's lists, whether it was taken or not */
} htp_meta_kernels;

#ifdef __cplusplus
}
#endif

#endif
