/*
 * A TorchScript program as plain data, from its reader to the interpreter.
 *
 * Functions consist of blocks of nodes over values, like TorchScript's graphs. Types, schemas,
 * classes, objects, and data that is known before anything runs, are tables beside them. All refer
 * to each other by index into these tables; HTP_NONE: none. Nothing is evaluated.
 *
 * Functions and attributes are loaded on demand (load_function, load_slot), which adds to all
 * tables and may move them: indices stay valid, pointers into the tables do not. The maker of a
 * program frees it.
 */
#ifndef HTP_PROGRAM_H
#define HTP_PROGRAM_H

#include <htp/shim.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of types. */
typedef enum htp_type_kind {
    HTP_TYPE_OTHER = 0, /**< an opaque type: a future, a generator */
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
    const uint32_t *parts; /**< types: one of a list or optional; key and value of a dict */
    uint32_t part_count;
    const char *const *fields; /**< of a tuple: "0", "1", or the names of a NamedTuple */
    uint32_t class_number;     /**< if it is a class */
    const char *text;          /**< as TorchScript writes it: "Optional[Tensor]", "model.State" */
    bool is_free;              /**< it contains a type variable: "t[]" */
} htp_program_type;

/** An argument or result of an operator or function. */
typedef struct htp_program_argument {
    const char *name; /**< "" for most results */
    uint32_t type;
    bool is_alias;            /**< of a result: it may share an argument's memory, or be that */
    bool is_written;          /**< of an argument: it is changed in place */
    uint32_t fixed_length;    /**< of a list: the number of elements that kernels expect; 0: any */
    uint32_t default_data;    /**< HTP_NONE if it is required, and for operators */
    const char *default_text; /**< as Python writes it; NULL: none */
} htp_program_argument;

/** The arguments and results of an operator or function. */
typedef struct htp_program_schema {
    const char *kind;     /**< with overload: "aten::add.Tensor"; for a function, its name */
    const char *name;     /**< without overload: "aten::add" */
    const char *overload; /**< "Tensor", or "" */
    bool is_mutable;      /**< some argument is written */
    bool has_any_returns; /**< the number of results is not fixed */
    bool is_loaded;       /**< of an opened library */
    bool needs_contents;  /**< is_loaded, without a meta kernel */
    const htp_program_argument *arguments;
    uint32_t argument_count;
    const htp_program_argument *returns;
    uint32_t return_count;
} htp_program_schema;

/** Kinds of data. */
typedef enum htp_data_kind {
    HTP_DATA_OTHER = 0, /**< opaque: a complex number, a generator */
    HTP_DATA_INT,
    HTP_DATA_BOOL,
    HTP_DATA_STRING,
    HTP_DATA_TENSOR,
    HTP_DATA_LIST,
    HTP_DATA_OBJECT,
    HTP_DATA_NONE,
    HTP_DATA_FLOAT,
    HTP_DATA_TUPLE,
    HTP_DATA_DICT, /**< keys and values alternate */
    HTP_DATA_DEVICE,
} htp_data_kind;

/** A tensor and its memory. */
typedef struct htp_tensor_view {
    int32_t type; /**< a htp_scalar_type, or another number of at::ScalarType */
    uint32_t rank;
    const int64_t *dims;
    const int64_t *strides; /**< in elements; may be 0 or in any order, never negative. NULL if it
                                 is not plain */
    bool is_plain;          /**< its bytes are its numbers: it is not sparse, quantised or
                                 conjugated */
    bool requires_grad;
    uint64_t storage;       /**< as in htp_runner_tensor; the fields below describe it */
    int64_t offset;         /**< of the first element, in elements */
    const void *bytes;      /**< of the storage, native byte order: in the mapped archive, or not */
    uint64_t storage_bytes; /**< how many bytes may be read */
    bool is_mapped;       /**< the bytes are an unchanged mapping of the file: pages that were read
                               may be dropped (MADV_DONTNEED), and come back when needed */
    uint64_t file_offset; /**< of the bytes in the file, if is_mapped */
    const char *record;   /**< the record that they were read from: "data/0"; or "" */
    bool is_readable;     /**< libtorch may compute with them: they are not pages of the file */
} htp_tensor_view;

/** A value that is known before anything runs: a constant of the code, or the value of an
 * attribute.
 */
typedef struct htp_program_data {
    htp_data_kind kind;
    int64_t number;     /**< an int; 0 or 1 of a bool */
    double real;        /**< a float */
    const char *string; /**< a string or device; NUL-terminated, but may hold NULs */
    uint64_t bytes;     /**< of the string */
    const void *other;  /**< handle of an opaque value, tensor, list, tuple or dict, as in
                             htp_operand */
    const htp_tensor_view *tensor;
    const uint32_t *elements; /**< data */
    uint32_t element_count;
    uint32_t object;
} htp_program_data;

/** The declared role of an attribute. */
typedef enum htp_slot_role {
    HTP_SLOT_OTHER = 0, /**< neither a module nor a tensor, though it may contain tensors */
    HTP_SLOT_TENSOR,    /**< it may be a tensor */
    HTP_SLOT_PARAMETER, /**< it may be a tensor, which is a parameter of the module */
    HTP_SLOT_MODULE,
} htp_slot_role;

/** A class of the program, with its attributes in the order of their slots. */
typedef struct htp_program_class {
    const char *name;       /**< qualified: "__torch__.model.Net"; "": it has no name */
    const char *plain_name; /**< "model.Net": without TorchScript's prefix and mangling */
    bool is_module;
    const char *const *attributes; /**< names */
    const htp_slot_role *roles;
    uint32_t attribute_count;
    const char *const *method_names;
    const uint32_t *methods; /**< functions */
    uint32_t method_count;
} htp_program_class;

/** An object of the archive; load_slot loads its attributes. */
typedef struct htp_program_object {
    uint32_t class_number;
} htp_program_object;

/** A value of a function. */
typedef struct htp_program_value {
    const char *name; /**< debug name, not unique */
    uint32_t type;
    uint32_t producer; /**< node; HTP_NONE: it is an input of a block */
} htp_program_value;

/** An operator, or a piece of control flow. Values, blocks and nodes are numbered by function. */
typedef struct htp_program_node {
    const char *kind;       /**< without overload: "aten::add", "prim::If" */
    uint32_t schema;        /**< HTP_NONE: it has none, like prim::If and prim::GetAttr */
    const uint32_t *inputs; /**< values */
    uint32_t input_count;
    const uint32_t *outputs; /**< values */
    uint32_t output_count;
    const uint32_t *blocks;
    uint32_t block_count;
    const char *name;  /**< of an attribute or method; else NULL */
    uint32_t data;     /**< of a prim::Constant other than a function */
    uint32_t function; /**< called by prim::CallFunction, or run by prim::fork */
    int64_t begin;     /**< of a prim::TupleSlice */
    int64_t end;
    bool is_nondeterministic; /**< its results differ from run to run */
} htp_program_node;

/** Nodes in the order in which they run. */
typedef struct htp_program_block {
    const uint32_t *inputs; /**< values */
    uint32_t input_count;
    uint32_t first_node; /**< the others follow it */
    uint32_t node_count;
    const uint32_t *outputs; /**< values */
    uint32_t output_count;
} htp_program_block;

/** A function, or a method, whose first argument is self. */
typedef struct htp_program_function {
    bool is_loaded;
    const char *name;                /**< "forward"; also before it is loaded */
    uint32_t schema;                 /**< once it is loaded; HTP_NONE for the body of a fork */
    const htp_program_block *blocks; /**< block 0 is the function; none if it has no code */
    uint32_t block_count;
    const htp_program_node *nodes;
    uint32_t node_count;
    const htp_program_value *values;
    uint32_t value_count;
} htp_program_function;

/** A piece of code: of a record of the archive, or of libtorch. */
typedef struct htp_program_source {
    const char *file; /**< "code/__torch__/model.py"; "": unknown */
    uint32_t line;    /**< in which it begins, from 1 on */
    uint64_t begin;   /**< offset in bytes */
    uint64_t end;
} htp_program_source;

/** A program, as far as it is loaded. Object 0 is the root module. */
typedef struct htp_program {
    uint32_t method; /**< the function to interpret, set by the program's user */
    uint32_t owner;  /**< the object that it is called on, likewise */
    const htp_program_type *types;
    const htp_program_schema *schemas;
    const htp_program_data *data;
    const htp_program_class *classes;
    const htp_program_object *objects;
    const htp_program_function *functions;

    /** Loads a function that is not loaded yet. */
    htp_shim_code (*load_function)(const struct htp_program *program, uint32_t function,
                                   htp_error *error);

    /** Loads the value of an object's attribute. Repeated calls give the same data. */
    htp_shim_code (*load_slot)(const struct htp_program *program, uint32_t object, uint32_t slot,
                               uint32_t *data, htp_error *error);

    /** Loads the inputs that a method of the root was traced with, which PyTorch 2 stores in the
     * archive: tensors without contents. @p data receives a tuple; HTP_NONE: none. */
    htp_shim_code (*load_traced_inputs)(const struct htp_program *program, const char *method,
                                        uint32_t *data, htp_error *error);

    /** The code that a node was compiled from. */
    void (*find_source)(const struct htp_program *program, uint32_t function, uint32_t node,
                        htp_program_source *source);

    void *reader; /**< private to the maker of the program */
} htp_program;

#ifdef __cplusplus
}
#endif

#endif
