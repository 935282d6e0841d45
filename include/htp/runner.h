/*
 * A runner, which runs operators of a program (htp/program.h), one at a time, on given operands.
 *
 * The interpreter decides which operators run, and on which operands; the runner owns tensors and
 * kernels. It keeps every tensor that it makes until release(). Tensors are identified by address.
 * The description of a tensor never changes: an in-place operator gets another tensor on the same
 * memory (HTP_MAKE_ALIAS), or a copy.
 */
#ifndef HTP_RUNNER_H
#define HTP_RUNNER_H

#include <htp/shim.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Element types as programs write them (dtype=6 is float32): at::ScalarType's numbers. */
typedef enum htp_scalar_type {
    HTP_SCALAR_BYTE = 0,
    HTP_SCALAR_CHAR = 1,
    HTP_SCALAR_SHORT = 2,
    HTP_SCALAR_INT = 3,
    HTP_SCALAR_LONG = 4,
    HTP_SCALAR_HALF = 5,
    HTP_SCALAR_FLOAT = 6,
    HTP_SCALAR_DOUBLE = 7,
    HTP_SCALAR_COMPLEX_HALF = 8,
    HTP_SCALAR_COMPLEX_FLOAT = 9,
    HTP_SCALAR_COMPLEX_DOUBLE = 10,
    HTP_SCALAR_BOOL = 11,
    HTP_SCALAR_QINT8 = 12,
    HTP_SCALAR_QUINT8 = 13,
    HTP_SCALAR_QINT32 = 14,
    HTP_SCALAR_BFLOAT16 = 15,
} htp_scalar_type;

/** A tensor that a runner holds. */
typedef struct htp_runner_tensor {
    int32_t type;           /**< htp_scalar_type, or another number of at::ScalarType */
    uint32_t rank;          /**< may exceed HTP_MAX_RANK, the most that is exported */
    const int64_t *dims;    /**< live as long as the tensor; never NULL */
    const int64_t *strides; /**< in elements; never NULL */
    int64_t offset;         /**< of the first element in its memory, in elements */
    int64_t elements;       /**< number of elements */
    uint64_t storage;       /**< identifies the memory: equal for tensors that share it */
    bool is_real;           /**< it has contents; others have only sizes and a type */
    bool is_contiguous;     /**< its elements lie in the order of its dims, without gaps */
    bool is_number;         /**< it stands for a number of the program, which is weak in type
                                 promotion */
} htp_runner_tensor;

/** Kinds of operands. */
typedef enum htp_operand_kind {
    HTP_OPERAND_NONE = 0,
    HTP_OPERAND_INT,
    HTP_OPERAND_FLOAT,
    HTP_OPERAND_BOOL,
    HTP_OPERAND_STRING,
    HTP_OPERAND_DEVICE, /**< text: "cpu", "meta", "cuda:0" */
    HTP_OPERAND_OTHER,  /**< an opaque value that the program passes on: a complex number, a
                             generator, an enumerator */
    HTP_OPERAND_TENSOR,
    HTP_OPERAND_LIST,
    HTP_OPERAND_TUPLE,
    HTP_OPERAND_OBJECT,
} htp_operand_kind;

/** An operand or a result of an operator, in one lane. */
typedef struct htp_operand {
    htp_operand_kind kind;
    uint32_t count; /**< elements of a list or tuple */
    uint32_t type;  /**< of a list that is passed in: its type in the program; HTP_NONE: by its
                         elements */
    union {
        int64_t i;
        double f;
        bool b;
        const htp_runner_tensor *tensor;
        const struct htp_operand *elements;
        uint32_t object; /**< of the program */
        const void *other;
        const char *text; /**< NUL-terminated, but may hold NULs */
    } as;
    uint64_t bytes; /**< of a text */
} htp_operand;

/** How operands are passed to kernels. */
typedef enum htp_run_mode {
    HTP_RUN_AS_IS,     /**< the given tensors. If all are real, the kernel may allocate only little
                            memory */
    HTP_RUN_FREE,      /**< the given tensors; the kernel may allocate any memory */
    HTP_RUN_SIZES,     /**< tensors without contents; any memory may be allocated */
    HTP_RUN_ELSEWHERE, /**< as HTP_RUN_SIZES, with the layout of a libtorch that was built otherwise
                        */
    HTP_RUN_ONES,   /**< real tensors with the layout of the given ones, filled with 1 if these have
                         no contents. Resulting tensors have no contents */
    HTP_RUN_ZEROES, /**< as HTP_RUN_ONES, filled with 0 */
    HTP_RUN_WHOLE,  /**< the given values; any memory may be allocated. Changes of the model's
                         weights are noted. Resulting tensors, lists, tuples and dicts are
                         HTP_OPERAND_OTHER, handles that others may hold as well. Also for a method
                         without code, by the schema of its function */
} htp_run_mode;

/** How a run ended. */
typedef enum htp_run_code {
    HTP_RUN_OK = 0,
    HTP_RUN_RAISED,      /**< the operator does not take these operands: message */
    HTP_RUN_NO_KERNEL,   /**< there is no kernel for tensors without contents */
    HTP_RUN_UNSUPPORTED, /**< a result cannot be described: message */
    HTP_RUN_TOO_LARGE,   /**< it allocates more memory than it may */
    HTP_RUN_NO_MEMORY,
} htp_run_code;

/** Ways to make a tensor. */
typedef enum htp_make_way {
    HTP_MAKE_EMPTY,     /**< without contents: type, rank, dims, strides (or NULL: dense) */
    HTP_MAKE_FILLED,    /**< real: type, rank, dims; every element is `number`, or for a floating
                             type `real` */
    HTP_MAKE_OF_BYTES,  /**< real: type, rank, dims, and the bytes of all elements, row by row */
    HTP_MAKE_WITHOUT,   /**< like `of`, with its strides, without contents */
    HTP_MAKE_LIKE,      /**< like `of`, without contents or gaps: torch.empty_like() */
    HTP_MAKE_ALIAS,     /**< another tensor on the memory of `of`, with its geometry */
    HTP_MAKE_COPY,      /**< a copy of `of`, with its layout */
    HTP_MAKE_VIEW,      /**< a view of the memory of `of`: rank, dims, strides, offset; within it */
    HTP_MAKE_STRETCHED, /**< a view from the beginning of `of`: rank, dims, strides; may exceed its
                             memory, as it has no contents */
} htp_make_way;

/** How to make a tensor. Only the fields that its way names are read. */
typedef struct htp_making {
    htp_make_way way;
    int32_t type;
    uint32_t rank;
    const int64_t *dims;
    const int64_t *strides;
    int64_t offset;
    const htp_runner_tensor *of;
    int64_t number;
    double real;
    const void *bytes;
    size_t byte_count;
} htp_making;

/** Facts about the running libtorch. */
typedef struct htp_runner_facts {
    bool has_libraries; /**< there are operators of opened libraries */
    bool knows_engine;  /**< FBGEMM computes quantised matrix products */
    const char *engine; /**< the engine that computes them */
    int64_t dtypes;     /**< number of dtypes, which count from 0 */
    int64_t layouts;
    int64_t memory_formats;
} htp_runner_facts;

/**
 * A runner. It does not check operands: some make kernels crash, so the caller must check before.
 * Its functions never throw; messages are one line. Results are owned by the runner, until
 * release().
 */
typedef struct htp_runner {
    void *self; /**< first argument of every function */

    /** The schema of an operator by name and overload, as a number in the program; HTP_NONE: none.
     */
    uint32_t (*find)(void *self, const char *name, const char *overload);

    /** Runs an operator. @param outputs  receives its @p output_count results */
    htp_run_code (*run)(void *self, uint32_t schema, htp_run_mode mode, const htp_operand *inputs,
                        uint32_t input_count, const htp_operand **outputs, uint32_t *output_count,
                        htp_error *error);

    /** Makes a tensor. */
    htp_run_code (*make)(void *self, const htp_making *making, const htp_runner_tensor **tensor,
                         htp_error *error);

    /** The contents of a real tensor, row by row; NULL without memory. */
    const void *(*contents)(void *self, const htp_runner_tensor *tensor, size_t *bytes);

    /** The tensor of a program's data (htp/program.h), real if is_readable. */
    const htp_runner_tensor *(*data)(void *self, uint32_t data);

    /** Keeps a tensor as data of the program, which gives access to its bytes. @return its number;
     * HTP_NONE without memory */
    uint32_t (*keep)(void *self, const htp_runner_tensor *tensor);

    /** A new object of a class, in the program's table; HTP_NONE without memory. */
    uint32_t (*make_object)(void *self, uint32_t class_number);

    /** Evaluates a node that gets or sets an attribute, or makes or unpacks a list, tuple or dict.
     * Operands and results are those of HTP_RUN_WHOLE. */
    htp_run_code (*evaluate)(void *self, uint32_t function, uint32_t node,
                             const htp_operand *inputs, uint32_t input_count,
                             const htp_operand **outputs, uint32_t *output_count, htp_error *error);

    /** The current value of a handle of HTP_RUN_WHOLE, as other modes return it. @return false if
     * it cannot be described */
    bool (*describe)(void *self, const htp_operand *handle, htp_operand *described);

    /** Whether a value is an instance of one of the types of a prim::isinstance node. */
    bool (*is_instance)(void *self, uint32_t function, uint32_t node, const htp_operand *value);

    /** Whether two operands of HTP_OPERAND_OTHER are equal. */
    bool (*is_equal)(void *self, const htp_operand *a, const htp_operand *b);

    /** An operand as libtorch prints it. */
    const char *(*text_of)(void *self, const htp_operand *operand);

    const htp_runner_facts *(*facts)(void *self);

    /** Whether memory ran out since begin() in a function that cannot say so, such as find(): its
     * answer means nothing. */
    bool (*lacks_memory)(void *self);

    /** Enclose all runs of one interpretation: set and restore libtorch's threads, gradients and
     * warnings. */
    void (*begin)(void *self);
    void (*end)(void *self);

    /** Frees the memory of a tensor that was made since the first mark, unless others share it. The
     * tensor is used no more, until release(). */
    void (*drop)(void *self, const htp_runner_tensor *tensor);

    /** A mark; release() frees everything that was made since. */
    uint64_t (*mark)(void *self);
    void (*release)(void *self, uint64_t mark);
} htp_runner;

#ifdef __cplusplus
}
#endif

#endif
