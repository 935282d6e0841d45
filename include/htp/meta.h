/*
 * Meta kernels, which compute only sizes and types of outputs, for operators that libtorch has none
 * for. They are functions of the core, which the shim registers with libtorch, so that operators
 * composed of others use them, too.
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
    HTP_META_NONE,    /**< a tensor that was not requested */
    HTP_META_TENSOR,  /**< a new tensor, or a view: `making` */
    HTP_META_LIST,    /**< tensors: `elements` */
    HTP_META_OPERAND, /**< an operand itself, as of in-place operators: `operand` */
    HTP_META_RESIZED, /**< an operand that takes rank, dims and strides of `making` if its dims
                           differ, as with out= */
} htp_meta_kind;

/** An output of an operator. */
typedef struct htp_meta_output {
    htp_meta_kind kind;
    uint32_t operand;                 /**< index */
    uint32_t count;                   /**< of elements */
    uint32_t room;                    /**< how many elements it can hold */
    struct htp_meta_output *elements; /**< HTP_META_TENSOR each */
    htp_making making;                /**< HTP_MAKE_EMPTY, HTP_MAKE_LIKE or HTP_MAKE_VIEW */
    int64_t dims[HTP_MAX_RANK];       /**< memory for `making`, as are the strides */
    int64_t strides[HTP_MAX_RANK];
} htp_meta_output;

/** A call of an operator. */
typedef struct htp_meta_call {
    const htp_operand *operands; /**< as many as the schema has arguments; HTP_OPERAND_NONE for a
                                      tensor that is left out */
    uint32_t operand_count;
    bool has_mkl;       /**< libtorch was built with MKL, whose transforms have their own layout */
    bool is_elsewhere;  /**< asks for the layout of outputs by a libtorch of this version that was
                           built otherwise, or picks another backend */
    uint32_t major;     /**< libtorch's version */
    uint32_t parameter; /**< of the kernel: one function may serve several */
    uint32_t output_count;
    htp_meta_output outputs[HTP_META_MAX_OUTPUTS];
    htp_error error;
} htp_meta_call;

/** Computes the outputs of an operator. Depends only on the call, and may run in any thread.
 * @param call  has operands and facts; the other fields are uninitialised, and receive the outputs,
 *              or the reason why there are none
 * @return false if the operator does not take these operands */
typedef bool (*htp_meta_run)(uint32_t kernel, htp_meta_call *call);

/** The operator of a kernel. */
typedef struct htp_meta_operator {
    const char *name; /**< "aten::index_select" */
    const char *overload;
    bool replaces; /**< also if libtorch has one that is wrong, or composes it of others */
} htp_meta_operator;

/** The kernels, by number. They live as long as the process. */
typedef struct htp_meta_kernels {
    const htp_meta_operator *operators; /**< by kernel */
    uint32_t count;
    htp_meta_run run;
    void (*release)(htp_meta_call *call); /**< frees the lists of a call, also after a failure */
} htp_meta_kernels;

#ifdef __cplusplus
}
#endif

#endif
