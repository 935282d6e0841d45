/*
 * A TorchScript program as plain data: what a reader of programs hands to those that follow it.
 *
 * Functions consist of blocks of nodes over values, as TorchScript's graphs do; types, schemas,
 * classes, objects, and data that is known before anything runs, are tables beside them. All refer
 * to each other by their numbers in these tables, HTP_NONE where there is nothing. Nothing
 * is evaluated.
 *
 * Functions and attributes are read when they are asked for (load_function, load_slot), which adds
 * to all tables, and may move them: numbers stay valid, pointers into the tables do not. Whoever
 * made a program frees it.
 */
#ifndef HTP_PROGRAM_H
#define HTP_PROGRAM_H

#include <htp/shim.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of types. */
typedef enum htp_type_kind {
    HTP_TYPE_OTHER = 0, /**< one that nobody asks for: a future, a generator */
    HTP_TYPE_TENSOR,
    HTP_TYPE_LIST,
    HTP_TYPE_TUPLE,
    HTP_TYPE_DICT,
    HTP_TYPE_OPTIONAL,
    HTP_TYPE_CLASS,
    HTP_TYPE_INT,
    HTP_TYPE_FLOAT,
    HTP_TYPE_BOOL,
    HTP_TYPE_NUMBER, /**< an int, float, bool or complex number */
    HTP_TYPE_STRING,
    HTP_TYPE_NONE,
} htp_type_kind;

/** A type. */
typedef struct htp_program_type {
    htp_type_kind kind;
    const uint32_t *parts; /**< types: of a list or optional one, of a dict key and value */
    uint32_t part_count;
    const char *const *fields; /**< of a tuple: "0", "1", or the names of a NamedTuple */
    uint32_t class_number;     /**< of a class */
    const char *text;          /**< as TorchScript writes it: "Optional[Tensor]", "model.State" */
    bool is_free;              /**< a variable stands in it: "t[]" */
} htp_program_type;

/** An argument or result of an operator or function. */
typedef struct htp_program_argument {
    const char *name; /**< "" of most results */
    uint32_t type;
    bool is_alias;            /**< a result may lie in an argument's memory, or is that argument */
    bool is_written;          /**< an argument that is changed in place */
    uint32_t fixed_length;    /**< of a list: the elements that kernels read at once; 0: any */
    uint32_t default_data;    /**< HTP_NONE where it must be given, and of operators */
    const char *default_text; /**< as Python writes it; NULL where there is none */
} htp_program_argument;

/** What an operator or function takes and gives. */
typedef struct htp_program_schema {
    const char *kind;     /**< with overload: "aten::add.Tensor"; of a function its name */
    const char *name;     /**< without: "aten::add" */
    const char *overload; /**< "Tensor", or "" */
    bool is_mutable;      /**< some argument is written */
    bool has_any_returns; /**< it says nothing of how many results there are */
    bool is_loaded;       /**< of a library that was opened */
    bool needs_contents;  /**< of such a library, without a kernel for tensors without contents */
    const htp_program_argument *arguments;
    uint32_t argument_count;
    const htp_program_argument *returns;
    uint32_t return_count;
} htp_program_schema;

/** Kinds of data. */
typedef enum htp_data_kind {
    HTP_DATA_OTHER = 0, /**< what nobody looks into: a complex number, a generator */
    HTP_DATA_INT,
    HTP_DATA_BOOL,
    HTP_DATA_STRING,
    HTP_DATA_TENSOR,
    HTP_DATA_LIST,
    HTP_DATA_OBJECT,
    HTP_DATA_NONE,
    HTP_DATA_FLOAT,
    HTP_DATA_TUPLE,
    HTP_DATA_DICT, /**< keys and values in turn */
    HTP_DATA_DEVICE,
} htp_data_kind;

/** A tensor as it lies in memory. */
typedef struct htp_tensor_view {
    int32_t type; /**< at::ScalarType's number, as htp_scalar_type has it */
    uint32_t rank;
    const int64_t *dims;
    const int64_t *strides; /**< in elements; may be 0 or in any order, never negative. NULL where
                                 it is not plain */
    bool is_plain;          /**< its numbers are the bytes that lie there: not sparse, quantised, or
                                 conjugated */
    bool requires_grad;
    uint64_t storage;       /**< as a htp_runner_tensor has it; all below is of it */
    int64_t offset;         /**< of the first element, in elements */
    const void *bytes;      /**< the first, native byte order: of the mapped archive, or memory */
    uint64_t storage_bytes; /**< that may be read from there on */
    bool is_mapped;         /**< they lie in a read-only mapping of a file: pages that were read
                                 may be dropped (MADV_DONTNEED), they come back when needed */
    uint64_t file_offset;   /**< of them in that file, where they are mapped */
    const char *record;     /**< of the archive that they were read from: "data/0"; "" */
    bool is_readable;       /**< libtorch may compute with them: they are no page of the file */
} htp_tensor_view;

/** A value that is known before anything runs: a constant of the code, or what an attribute holds.
 */
typedef struct htp_program_data {
    htp_data_kind kind;
    int64_t number;     /**< of an int, or 0 and 1 */
    double real;        /**< of a float */
    const char *string; /**< or device: ended by NUL, and may have others before */
    uint64_t bytes;     /**< of the string */
    const void *other;  /**< of what nobody looks into, a tensor, list, tuple or dict: as a
                             htp_operand has it */
    const htp_tensor_view *tensor;
    const uint32_t *elements; /**< data */
    uint32_t element_count;
    uint32_t object;
} htp_program_data;

/** What an attribute is declared to hold. */
typedef enum htp_slot_role {
    HTP_SLOT_OTHER = 0, /**< no module, and no tensor but within something else */
    HTP_SLOT_TENSOR,    /**< perhaps a tensor */
    HTP_SLOT_PARAMETER, /**< the same, and it is a parameter of the module */
    HTP_SLOT_MODULE,
} htp_slot_role;

/** A class of the program, with its attributes in the order of their slots. */
typedef struct htp_program_class {
    const char *name;       /**< qualified: "__torch__.model.Net"; "" of one without a name */
    const char *plain_name; /**< "model.Net": without what TorchScript puts before and into it */
    bool is_module;
    const char *const *attributes; /**< names */
    const htp_slot_role *roles;
    uint32_t attribute_count;
    const char *const *method_names;
    const uint32_t *methods; /**< functions */
    uint32_t method_count;
} htp_program_class;

/** An object that the archive holds; its attributes are read by load_slot. */
typedef struct htp_program_object {
    uint32_t class_number;
} htp_program_object;

/** A value of a function. */
typedef struct htp_program_value {
    const char *name; /**< debug name, not unique */
    uint32_t type;
    uint32_t producer; /**< node; HTP_NONE of what a block is given */
} htp_program_value;

/** An operator, or a piece of control flow. Numbers are those within its function. */
typedef struct htp_program_node {
    const char *kind;       /**< without overload: "aten::add", "prim::If" */
    uint32_t schema;        /**< HTP_NONE of what has none: prim::If, prim::GetAttr */
    const uint32_t *inputs; /**< values */
    uint32_t input_count;
    const uint32_t *outputs; /**< values */
    uint32_t output_count;
    const uint32_t *blocks;
    uint32_t block_count;
    const char *name;  /**< of an attribute or method; NULL of others */
    uint32_t data;     /**< of a prim::Constant that is no function */
    uint32_t function; /**< that prim::CallFunction calls, or prim::fork runs */
    int64_t begin;     /**< of a prim::TupleSlice */
    int64_t end;
    bool is_nondeterministic; /**< it gives other results each time it runs */
} htp_program_node;

/** Nodes in the order in which they run. */
typedef struct htp_program_block {
    const uint32_t *inputs; /**< values */
    uint32_t input_count;
    uint32_t first_node; /**< they follow one another */
    uint32_t node_count;
    const uint32_t *outputs; /**< values */
    uint32_t output_count;
} htp_program_block;

/** A function or method, whose first argument is self then. */
typedef struct htp_program_function {
    bool is_loaded;
    const char *name;                /**< "forward"; also before it is loaded */
    uint32_t schema;                 /**< once it is loaded; HTP_NONE of the body of a fork */
    const htp_program_block *blocks; /**< block 0 is the function; none where it has no code */
    uint32_t block_count;
    const htp_program_node *nodes;
    uint32_t node_count;
    const htp_program_value *values;
    uint32_t value_count;
} htp_program_function;

/** A piece of code: of a record of the archive, or of libtorch's own. */
typedef struct htp_program_source {
    const char *file; /**< "code/__torch__/model.py"; "" where it is not known */
    uint32_t line;    /**< that it begins in, from 1 on */
    uint64_t begin;   /**< bytes */
    uint64_t end;
} htp_program_source;

/** A program, as far as it was loaded. Object 0 is the root module. */
typedef struct htp_program {
    uint32_t method; /**< the function that is followed: whose program it is sets it */
    uint32_t owner;  /**< and the object that it is called on */
    const htp_program_type *types;
    const htp_program_schema *schemas;
    const htp_program_data *data;
    const htp_program_class *classes;
    const htp_program_object *objects;
    const htp_program_function *functions;

    /** Reads a function that is not loaded yet. */
    htp_shim_code (*load_function)(const struct htp_program *program, uint32_t function,
                                   htp_error *error);

    /** Reads what an attribute of an object holds; the same data whenever it is asked. */
    htp_shim_code (*load_slot)(const struct htp_program *program, uint32_t object, uint32_t slot,
                               uint32_t *data, htp_error *error);

    /** Reads what a method of the root was traced with, which PyTorch 2 keeps in the archive:
     * tensors without contents. @p data receives a tuple, HTP_NONE where the archive has
     * none. */
    htp_shim_code (*load_traced_inputs)(const struct htp_program *program, const char *method,
                                        uint32_t *data, htp_error *error);

    /** Where a node stands in the code that it was compiled of. */
    void (*find_source)(const struct htp_program *program, uint32_t function, uint32_t node,
                        htp_program_source *source);

    void *reader; /**< of those who made it */
} htp_program;

#ifdef __cplusplus
}
#endif

#endif
