/*
 * What runs the operators of a program (htp/program.h): one at a time, on operands that are told.
 *
 * Whoever follows a program decides what runs and on what; a runner has the tensors and kernels. It
 * keeps every tensor that it makes until it is told to let go; tensors are told apart by address.
 * A tensor is described when it is made and never changes: an operator that works in place is given
 * another one on the same memory (HTP_MAKE_ALIAS) or a copy.
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
    uint32_t rank;          /**< any: one above HTP_MAX_RANK is nobody's to export */
    const int64_t *dims;    /**< live as long as the tensor; never NULL */
    const int64_t *strides; /**< in elements; never NULL */
    int64_t offset;         /**< of the first element in its memory, in elements */
    int64_t elements;       /**< how many there are */
    uint64_t storage;       /**< tensors on one memory have one number */
    bool is_real;           /**< has contents; others have sizes and a type alone */
    bool is_contiguous;     /**< lies in memory in the order of its dims, without gaps */
    bool is_number;         /**< stands for a number of the program, which decides no type */
} htp_runner_tensor;

/** Kinds of operands. */
typedef enum htp_operand_kind {
    HTP_OPERAND_NONE = 0,
    HTP_OPERAND_INT,
    HTP_OPERAND_FLOAT,
    HTP_OPERAND_BOOL,
    HTP_OPERAND_STRING,
    HTP_OPERAND_DEVICE, /**< text: "cpu", "meta", "cuda:0" */
    HTP_OPERAND_OTHER,  /**< what the program passes on and nobody looks at: a complex number, a
                             generator, an enumerator */
    HTP_OPERAND_TENSOR,
    HTP_OPERAND_LIST,
    HTP_OPERAND_TUPLE,
    HTP_OPERAND_OBJECT,
} htp_operand_kind;

/** What an operator takes or gives, in one lane. */
typedef struct htp_operand {
    htp_operand_kind kind;
    uint32_t count; /**< elements of a list or tuple */
    uint32_t type;  /**< of a list that is given: the program's type of it, or HTP_NONE, where
                         its elements tell it */
    union {
        int64_t i;
        double f;
        bool b;
        const htp_runner_tensor *tensor;
        const struct htp_operand *elements;
        uint32_t object; /**< of the program */
        const void *other;
        const char *text; /**< ended by NUL, and may have others before */
    } as;
    uint64_t bytes; /**< of a text */
} htp_operand;

/** How operands reach kernels. */
typedef enum htp_run_mode {
    HTP_RUN_AS_IS, /**< the tensors that are given. Little memory may be asked for where all of them
                        are real */
    HTP_RUN_SIZES, /**< tensors without contents; any memory may be asked for */
    HTP_RUN_ELSEWHERE, /**< the same, as a libtorch has them lie that was built otherwise */
    HTP_RUN_ONES,   /**< real tensors that lie in memory as the given ones do, full of 1 where these
                         have no contents. Tensors that come out have none */
    HTP_RUN_ZEROES, /**< the same, full of 0 */
    HTP_RUN_WHOLE,  /**< what is given, with any memory; changes of the model's weights are noted.
                       What  comes out is handed out whole: tensors, lists, tuples and dicts are
                         HTP_OPERAND_OTHER, handles to what others may hold as well. Also for a
                       method  without code, by its function's schema */
} htp_run_mode;

/** How a run ended. */
typedef enum htp_run_code {
    HTP_RUN_OK = 0,
    HTP_RUN_RAISED,      /**< the operator does not take these operands: message */
    HTP_RUN_NO_KERNEL,   /**< there is no kernel for tensors without contents */
    HTP_RUN_UNSUPPORTED, /**< it gives what cannot be described: message */
    HTP_RUN_TOO_LARGE,   /**< it asks for more memory than it may have */
    HTP_RUN_NO_MEMORY,
} htp_run_code;

/** Ways to make a tensor. */
typedef enum htp_make_way {
    HTP_MAKE_EMPTY,     /**< without contents: type, rank, dims, strides (or NULL: dense) */
    HTP_MAKE_FILLED,    /**< real: type, rank, dims; every element is `number`, or `real` of a
                             floating type */
    HTP_MAKE_OF_BYTES,  /**< real: type, rank, dims, and as many bytes of contents, row by row */
    HTP_MAKE_WITHOUT,   /**< like `of`, strides too, without contents */
    HTP_MAKE_LIKE,      /**< like `of`, without contents or gaps: torch.empty_like() */
    HTP_MAKE_ALIAS,     /**< `of` itself under another name, on the same memory */
    HTP_MAKE_COPY,      /**< a copy of `of`, which lies in memory as it does */
    HTP_MAKE_VIEW,      /**< of the memory of `of`: rank, dims, strides, offset, within it */
    HTP_MAKE_STRETCHED, /**< of the memory of `of`, from where it begins: rank, dims, strides;
                             whether they are within it is nobody's concern, as it has no contents
                         */
} htp_make_way;

/** A tensor that is to be made. Fields that a way does not name are not read. */
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

/** What is known of libtorch as it runs here. */
typedef struct htp_runner_facts {
    bool has_libraries; /**< there are operators of libraries that were opened */
    bool knows_engine;  /**< quantised products of matrices are FBGEMM's */
    const char *engine; /**< whose they are */
    int64_t dtypes;     /**< how many there are: they are numbers from 0 on */
    int64_t layouts;
    int64_t memory_formats;
} htp_runner_facts;

/**
 * A runner. It does what it is told: some operands make kernels crash, and whoever has them run
 * looks before. Its functions never throw; messages are one line. What they hand out is the
 * runner's, and stays until release().
 */
typedef struct htp_runner {
    void *self; /**< first argument of every function */

    /** The operator of a name and overload. @return its schema's number in the program;
     * HTP_NONE where there is none */
    uint32_t (*find)(void *self, const char *name, const char *overload);

    /** Runs an operator. @param outputs  receives @p output_count operands, as many as it gives */
    htp_run_code (*run)(void *self, uint32_t schema, htp_run_mode mode, const htp_operand *inputs,
                        uint32_t input_count, const htp_operand **outputs, uint32_t *output_count,
                        htp_error *error);

    /** Makes a tensor. */
    htp_run_code (*make)(void *self, const htp_making *making, const htp_runner_tensor **tensor,
                         htp_error *error);

    /** The contents of a real tensor, row by row; NULL where there is no memory for them. */
    const void *(*contents)(void *self, const htp_runner_tensor *tensor, size_t *bytes);

    /** Of a program's data (htp/program.h): a tensor, its contents where is_readable. */
    const htp_runner_tensor *(*data)(void *self, uint32_t data);

    /** Keeps a tensor as data of the program, which tells where its bytes lie. @return its number;
     * HTP_NONE without memory */
    uint32_t (*keep)(void *self, const htp_runner_tensor *tensor);

    /** A new object of a class, in the program's table; HTP_NONE without memory. */
    uint32_t (*make_object)(void *self, uint32_t class_number);

    /** Evaluates a node that gets or sets an attribute, or makes or unpacks a list, tuple or dict.
     * Operands and results are those of HTP_RUN_WHOLE. */
    htp_run_code (*evaluate)(void *self, uint32_t function, uint32_t node,
                             const htp_operand *inputs, uint32_t input_count,
                             const htp_operand **outputs, uint32_t *output_count, htp_error *error);

    /** What a handle of HTP_RUN_WHOLE holds now, as any other mode hands it out. @return false
     * where it cannot be described */
    bool (*describe)(void *self, const htp_operand *handle, htp_operand *described);

    /** Whether a value is an instance of a type that a prim::isinstance node asks for. */
    bool (*is_instance)(void *self, uint32_t function, uint32_t node, const htp_operand *value);

    /** Whether two operands of HTP_OPERAND_OTHER are equal. */
    bool (*is_equal)(void *self, const htp_operand *a, const htp_operand *b);

    /** An operand as libtorch prints it. */
    const char *(*text_of)(void *self, const htp_operand *operand);

    const htp_runner_facts *(*facts)(void *self);

    /** Around all runs of one interpretation: libtorch's threads, gradients and bounds. */
    void (*begin)(void *self);
    void (*end)(void *self);

    /** Where a later release() lets go of what was made since. */
    uint64_t (*mark)(void *self);
    void (*release)(void *self, uint64_t mark);
} htp_runner;

#ifdef __cplusplus
}
#endif

#endif
