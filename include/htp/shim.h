/*
 * The C ABI between the core and the libtorch shim.
 *
 * The shim is a shared object opened with dlopen(); it exports htp_shim_open(), nothing else. No
 * libtorch type and no C++ exception crosses. Everything that a trace hands out is plain data
 * owned by the htp_shim_model, valid until its close(); the core only reads it.
 *
 * A trace is an abstract execution of forward(), or of the method that was chosen: every operator
 * that would run is listed, in order, once for each time it runs (calls are flattened, branches on
 * known conditions taken, loops of known length unrolled; other branches and loops are nodes with
 * blocks). It runs in 1 to HTP_SHIM_MAX_LANES lanes at once, each with input sizes of its own; dims
 * that differ between lanes are dynamic.
 */
#ifndef HTP_SHIM_H
#define HTP_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HTP_SHIM_ABI 14u
#define HTP_SHIM_MAX_LANES 4u
#define HTP_SHIM_MAX_RANK 64u
#define HTP_SHIM_NONE UINT32_MAX

/** Element types, in the order of at::ScalarType as far as that is stable. */
typedef enum htp_dtype {
    HTP_DTYPE_UINT8 = 0,
    HTP_DTYPE_INT8,
    HTP_DTYPE_INT16,
    HTP_DTYPE_INT32,
    HTP_DTYPE_INT64,
    HTP_DTYPE_FLOAT16,
    HTP_DTYPE_FLOAT32,
    HTP_DTYPE_FLOAT64,
    HTP_DTYPE_COMPLEX32,
    HTP_DTYPE_COMPLEX64,
    HTP_DTYPE_COMPLEX128,
    HTP_DTYPE_BOOL,
    HTP_DTYPE_BFLOAT16,
    HTP_DTYPE_OTHER, /**< quantised and other types that have no plain bytes */
    HTP_DTYPE_COUNT,
} htp_dtype;

/** Failure classes; the core maps them to exit codes. */
typedef enum htp_shim_code {
    HTP_SHIM_OK = 0,
    HTP_SHIM_INTERNAL,    /**< out of memory, or a defect */
    HTP_SHIM_NOT_MODEL,   /**< not readable, or not TorchScript */
    HTP_SHIM_BAD_INPUTS,  /**< the inputs do not fit forward(), or forward() raised on them */
    HTP_SHIM_UNSUPPORTED, /**< a construct that cannot be traced */
    HTP_SHIM_NEEDS_LANES, /**< a size depends on the data: trace again in more than one lane */
} htp_shim_code;

/** One line; the shim fills it on failure. */
typedef struct htp_shim_error {
    char message[2048];
} htp_shim_error;

/** A record of the archive: a file in its folder. No two have one name; all lie in the file. */
typedef struct htp_shim_record {
    const char *name; /**< below the archive's own folder: "data/0" */
    uint64_t offset;  /**< of its first byte in the file */
    uint64_t bytes;   /**< uncompressed */
    bool is_stored;   /**< its bytes lie in the file as they are; otherwise deflated */
} htp_shim_record;

/** The kinds of htp_shim_made. */
typedef enum htp_shim_made_kind {
    HTP_SHIM_MADE_OF_INT,
    HTP_SHIM_MADE_OF_FLOAT,
    HTP_SHIM_MADE_OF_TEXT,
    HTP_SHIM_MADE_OF_OTHER,
} htp_shim_made_kind;

/** A value that a pickle makes by calling a class of the program: an object with what it is made
 * of, or a member of an enum with its value. libtorch's reader puts nothing in the place of a value
 * that no member of an enum has. */
typedef struct htp_shim_made {
    const char *pickle;          /**< its record: "data.pkl" */
    const char *qualified_class; /**< as the pickle has it: "__torch__.model.Color" */
    htp_shim_made_kind kind;     /**< of the value */
    int64_t number;              /**< of an int */
    double real;                 /**< of a float */
    const char *text;            /**< of a text: its bytes, which may hold any */
    size_t text_bytes;
} htp_shim_made;

/** What the core found in an archive. */
typedef struct htp_shim_contents {
    const htp_shim_record *records;
    uint32_t record_count;
    const htp_shim_made *made; /**< by the pickles, each but once */
    uint32_t made_count;
} htp_shim_contents;

/** A module instance. Index 0 is the root; a parent precedes its children; the order is that of
 * definition, depth first. */
typedef struct htp_shim_module {
    const char *name;            /**< attribute name in the parent; "" for the root */
    const char *path;            /**< dotted attribute path; "" for the root */
    const char *qualified_class; /**< "torch.nn.modules.linear.Linear": mangling stripped;
                                      "__main__.Net" of one without a package */
    uint32_t parent;             /**< HTP_SHIM_NONE for the root */
    uint32_t calls;              /**< times its forward (or another method) was called; 0 before
                                      a trace */
    const char *const *aliases;  /**< further attribute paths of the same instance */
    size_t alias_count;
    bool is_frozen; /**< has no attribute at all, not even those of every nn.Module, as
                         torch.jit.freeze() leaves it */
} htp_shim_module;

/** A tensor of the archive: parameter, buffer, tensor attribute, or constant of the code. */
typedef struct htp_shim_weight {
    const char *name; /**< dotted path; constants have generated names */
    uint32_t module;  /**< owner, or HTP_SHIM_NONE for a constant */
    bool is_parameter;
    bool is_buffer; /**< a tensor attribute that is not a parameter */
    bool requires_grad;
    htp_dtype dtype;
    uint32_t rank;
    const int64_t *dims;
    const int64_t *strides; /**< in elements; may be 0 or in any order, never negative */
    uint64_t storage;       /**< tensors of one storage have one number */
    int64_t storage_offset; /**< in elements */
    const void *data;       /**< first byte of the storage, native byte order; the mapped archive
                                 or memory; never NULL unless there are no elements */
    uint64_t storage_bytes; /**< bytes that may be read from data on */
    bool is_mapped;         /**< data lies in a read-only mapping of a file: pages that were read
                                 may be dropped (MADV_DONTNEED), they come back when needed */
    uint64_t file_offset;   /**< of data in that file, where it is mapped */
} htp_shim_weight;

/** Kinds of values. */
typedef enum htp_shim_kind {
    HTP_SHIM_NOTHING = 0, /**< None */
    HTP_SHIM_TENSOR,
    HTP_SHIM_INT,
    HTP_SHIM_FLOAT,
    HTP_SHIM_BOOL,
    HTP_SHIM_STRING,
    HTP_SHIM_LIST,     /**< also tuples: elements */
    HTP_SHIM_SEQUENCE, /**< tensors in a number that the data decides: dtype, rank and dims are
                            those of each of them */
    HTP_SHIM_OPAQUE,   /**< device, generator, ...: no operator's result depends on it */
    HTP_SHIM_UNKNOWN,  /**< an output of a node that failed, or that follows from one */
} htp_shim_kind;

/** A value of the trace. */
typedef struct htp_shim_value {
    htp_shim_kind kind;
    const char *name;  /**< debug name of the TorchScript value, not unique; may be "" */
    uint32_t producer; /**< node, or HTP_SHIM_NONE: input, weight, constant, or a list built
                            of its elements */
    /* tensor */
    htp_dtype dtype;
    uint32_t rank;
    const int64_t *dims[HTP_SHIM_MAX_LANES]; /**< by lane; rank entries each */
    uint64_t varying; /**< of a sequence: bit D is set where dim D differs between its tensors */
    uint32_t weight;  /**< the tensor is this weight; otherwise HTP_SHIM_NONE */
    const void *data; /**< known contents, contiguous; NULL when not known, or a weight */
    uint64_t data_bytes;
    bool is_quantized;   /**< its elements are levels: dtype is the levels' */
    uint32_t scale;      /**< of a quantised tensor: values that are constant, or weights */
    uint32_t zero_point; /**< numbers, tensors of one element, or one for each channel */
    int32_t axis;        /**< of the channels; -1 where all elements have one scale */
    /* scalar, string */
    bool is_constant; /**< the value does not depend on input contents or dynamic dims */
    int64_t i[HTP_SHIM_MAX_LANES]; /**< int and bool, by lane (also when not constant, if
                                        has_lanes) */
    double f[HTP_SHIM_MAX_LANES];
    bool has_lanes; /**< i or f hold what each lane saw: the value depends on dims only */
    const char *s;
    uint64_t s_bytes;
    /* list */
    const uint32_t *elements;
    uint32_t element_count;
} htp_shim_value;

/** A branch of a prim::If, or the body of a prim::Loop. Its nodes stand before the node that it
 * belongs to; what they make is read in it, and in blocks within it, alone. */
typedef struct htp_shim_block {
    const uint32_t *inputs; /**< values: of a loop the iteration's number, then what is carried */
    uint32_t input_count;
    const uint32_t *outputs; /**< values: of a loop whether to go on, then what is carried, then
                                  what each iteration adds to stacks; HTP_SHIM_NONE in place of a
                                  value that nobody reads */
    uint32_t output_count;
} htp_shim_block;

/**
 * An operator that runs.
 *
 * Where the data, or the size of a dynamic axis, decides what runs, it is prim::If (condition) with
 * two blocks and an output for each of theirs; or prim::Loop (the most iterations, or None; whether
 * to begin; what is carried) with one block, whose outputs are what was carried, and what each
 * iteration added, stacked in a first dim.
 */
typedef struct htp_shim_node {
    const char *kind;               /**< with overload: "aten::add.Tensor" */
    const uint32_t *inputs;         /**< values */
    const char *const *input_names; /**< schema argument names, one per input */
    const char *const *input_types; /**< schema types of the inputs of an operator of a loaded
                                         library: "Tensor?", "int[]"; otherwise NULL */
    uint32_t input_count;
    const uint32_t *outputs; /**< values */
    uint32_t output_count;
    uint32_t block; /**< that it stands in; 0 for forward() itself */
    const uint32_t *blocks;
    uint32_t block_count;
    uint32_t scope;
    const char *source_file; /**< "" when not known */
    uint32_t source_line;    /**< 0 when not known */
    const char *source_text; /**< a space and the line; of what was traced the Python stack,
                                  "FILE(LINE): FUNCTION" a line, the innermost first; NULL or ""
                                  when not known */
    const char *function;    /**< that the node stands in: "forward"; NULL when not known */
    uint32_t call;       /**< of that function: calls[call - 1] of the trace; 0 for the method */
    const char *failure; /**< NULL, or why its outputs' types could not be found; they are
                              HTP_SHIM_UNKNOWN, and the model cannot be lowered */
} htp_shim_node;

/** A call of a method or function, and where it stands; as of a node. */
typedef struct htp_shim_call {
    uint32_t scope; /**< of the caller */
    const char *source_file;
    uint32_t source_line;
    const char *source_text;
    const char *function; /**< that the call stands in */
    uint32_t call;        /**< of that function; a smaller number than its own, or 0 */
} htp_shim_call;

/** A tensor or number that a call was given: an argument, or a part of one. */
typedef struct htp_shim_passed {
    const char *name; /**< the schema's: "hidden_states"; of parts "past_0_key", as those of the
                           method's inputs are named. Not unique; any bytes, as dicts' keys are */
    uint32_t value;   /**< as it was when the call began; a weight or a constant, too */
} htp_shim_passed;

/** One running call of a module; scope 0 is the root's. */
typedef struct htp_shim_scope {
    uint32_t parent; /**< the caller's scope; HTP_SHIM_NONE for scope 0 */
    uint32_t module;
    uint32_t call; /**< 0 for the first call of this module, and so on */
    uint32_t site; /**< where the caller makes it: calls[site - 1] of the trace; 0 for scope 0 */
    const htp_shim_passed *passed; /**< arguments in their order, self left out. None, strings and
                                        objects are left out, and so are parts beyond the first ones
                                        of very many. Perhaps nothing reads or makes the values */
    uint32_t passed_count;
} htp_shim_scope;

/** An argument of the method, self left out; or a part of one. */
typedef struct htp_shim_argument {
    const char *name;   /**< of a part: "0" or "key" in a tuple, "" in a list or dict */
    htp_shim_kind kind; /**< by the schema: TENSOR, INT, FLOAT, BOOL, STRING, LIST (a tuple, list or
                             dict), or OPAQUE */
    const char *type;   /**< as TorchScript writes it: "Tensor", "Optional[Tensor]" */
    bool is_optional;   /**< has a default or accepts None */
    bool has_default;
    const char *default_value;             /**< as Python writes it; NULL without a default */
    const struct htp_shim_argument *items; /**< of a LIST: a tuple's parts, or one for all the
                                                elements of a list, or values of a dict */
    uint32_t item_count;
    bool is_open; /**< a list or dict: it may have any number of elements */
    bool is_dict; /**< elements go by keys rather than by numbers */
} htp_shim_argument;

/** An input for a trace: a tensor, a number (rank 0 with is_scalar), None, or a tuple, list or dict
 * of inputs. */
typedef struct htp_shim_input {
    bool is_none;
    bool is_scalar; /**< an int, float or bool argument rather than a tensor */
    bool is_open;   /**< of a number: who runs the exported model gives it, nobody knows it yet;
                         dtype is int64, float64 or bool */
    double scalar;
    htp_dtype dtype;
    uint32_t rank;
    int64_t dims[HTP_SHIM_MAX_LANES][HTP_SHIM_MAX_RANK];
    bool is_nested; /**< a tuple, list or dict: items, in any order but for a dict */
    const struct htp_shim_input *items;
    uint32_t count;
    const char *name; /**< in what it is an item of: "0" in a tuple or list, a NamedTuple's field,
                         or the key; NULL for an argument */
} htp_shim_input;

/** What an archive says of itself, and a method. */
typedef struct htp_shim_facts {
    uint64_t format_version;    /**< of the archive; 0 when not known */
    bool has_serialization_id;  /**< the archive has the record that PyTorch 2 adds */
    const char *const *methods; /**< of the root module, in order of definition */
    uint32_t method_count;
    const char *returns; /**< the type that the method returns */
} htp_shim_facts;

/** A size that the data decides, such as the number of elements that a mask selects, and what it
 * was taken for in each lane. */
typedef struct htp_shim_size {
    const char *name; /**< of the operator that gives it: "nonzero"; not unique */
    int64_t sizes[HTP_SHIM_MAX_LANES];
} htp_shim_size;

/**
 * An attribute of a module that a call of the method changes, so that the next call reads what this
 * one left; or a tensor that such an attribute holds and a call changes in place.
 *
 * Lists, tuples and dicts are values of HTP_SHIM_LIST; their parts are counted depth first.
 */
typedef struct htp_shim_state {
    const char *name; /**< dotted path: "encoder.rnn.hidden" */
    uint32_t module;  /**< that holds it */
    uint32_t loaded;  /**< value: what the archive has */
    uint32_t before;  /**< value: what this call found */
    uint32_t after;   /**< value: what it left; the same as before where it only read it */
} htp_shim_state;

/** What a part of a state is when a call begins. */
typedef struct htp_shim_carry {
    bool is_input; /**< a tensor or number that is given to each call; otherwise what the last
                        call left, which is known but for the sizes that it follows */
    uint32_t
        open_dims[HTP_SHIM_MAX_RANK]; /**< of a tensor, by dim: 0 where it has the size that the
                                           last call left; otherwise it may have any, and dims
                                           with one number, of whatever state, have one size */
} htp_shim_carry;

/** A state that a call does not find as it was loaded: it has the shape that the last trace left.
 */
typedef struct htp_shim_carried {
    const char *name;
    const htp_shim_carry *parts;
    uint32_t part_count;
} htp_shim_carried;

/** How libtorch makes levels of numbers x · (1 / scale). */
typedef enum htp_shim_way {
    HTP_SHIM_WAY_UNKNOWN = 0,
    HTP_SHIM_ZERO_BEHIND, /**< rounds them, and adds the zero point */
    HTP_SHIM_ZERO_BEFORE, /**< adds the zero point, and rounds */
    HTP_SHIM_ZERO_IN_ONE, /**< the same, with multiplication and addition rounded as one */
} htp_shim_way;

/** How this libtorch rounds to levels, found by asking it. */
typedef struct htp_shim_rounding {
    htp_shim_way way;
    bool infinity_is_lowest; /**< infinity, and what no int64 holds; otherwise it is clipped */
    bool nan_is_highest;     /**< otherwise the lowest level */
} htp_shim_rounding;

/** The result of a trace. */
typedef struct htp_shim_trace {
    const htp_shim_value *values;
    uint32_t value_count;
    const htp_shim_node *nodes;
    uint32_t node_count;
    const htp_shim_block *blocks; /**< block 0 has no inputs and outputs of its own */
    uint32_t block_count;
    const htp_shim_scope *scopes;
    uint32_t scope_count;
    const htp_shim_call *calls;
    uint32_t call_count;
    const htp_shim_weight *weights; /**< those of the model, then constants of the code; a later
                                         trace appends to them, and its list is the valid one */
    uint32_t weight_count;
    const htp_shim_size *data_sizes;
    uint32_t data_size_count;
    htp_shim_rounding fake_rounding;    /**< of fake_quantize_per_tensor_affine, told where the */
    htp_shim_rounding tensor_rounding;  /**< trace rounds to levels; of quantize_per_tensor */
    htp_shim_rounding channel_rounding; /**< of quantize_per_channel */
    const uint32_t *inputs; /**< values, one per argument of the method, as they were given */
    uint32_t input_count;
    const uint32_t *outputs; /**< values: what forward() returned; tuples and lists are
                                  flattened */
    uint32_t output_count;
    const htp_shim_state *states; /**< those that were changed or carried, in the order of modules,
                                       then of attributes */
    uint32_t state_count;
} htp_shim_trace;

/** A running forward(), as libtorch's inliner has it. */
typedef struct htp_shim_running {
    const char *path; /**< of the module, as in its htp_shim_module */
    uint32_t caller;  /**< the running forward() around it, of a smaller number; HTP_SHIM_NONE: this
                           is the method */
} htp_shim_running;

/** Which modules were running where the nodes of a trace stand, found on another path than the
 * trace's scopes: all calls of the program are inlined by libtorch, and the objects that they are
 * made on are found in the graph that comes out. */
typedef struct htp_shim_inlined {
    const htp_shim_running *running;
    uint32_t running_count;
    const uint32_t *nodes; /**< by node of the trace: the innermost running forward();
                                HTP_SHIM_NONE where that is not known */
    uint32_t node_count;
} htp_shim_inlined;

typedef struct htp_shim_model htp_shim_model;
struct htp_program; /* htp/program.h */

/** Called now and then during a long call; false stops it with HTP_SHIM_INTERNAL. */
typedef bool (*htp_shim_tick)(void *user, uint64_t done, uint64_t total);

/** The functions of a shim. All are safe to call from one thread at a time. */
typedef struct htp_shim {
    uint32_t abi;                 /**< HTP_SHIM_ABI */
    const char *libtorch_version; /**< "1.13.1" */

    /** Opens an archive. Weights are not read. @p contents are what the core found in it; they may
     * go when the call returns. @p tick (or NULL) is called with the records that were read so far
     * and all that there are. @return a code; @p model is NULL on failure. */
    htp_shim_code (*open)(const char *path, const htp_shim_contents *contents, htp_shim_tick tick,
                          void *user, htp_shim_model **model, htp_shim_error *error);

    /** Frees the model and everything that it handed out; NULL is accepted. */
    void (*close)(htp_shim_model *model);

    /** The module instances. */
    void (*modules)(const htp_shim_model *model, const htp_shim_module **modules, uint32_t *count);

    /** The model's weights (no constants of the code). */
    void (*weights)(const htp_shim_model *model, const htp_shim_weight **weights, uint32_t *count);

    /** The arguments of the method. */
    void (*arguments)(const htp_shim_model *model, const htp_shim_argument **arguments,
                      uint32_t *count);

    /** Inputs that lie in the archive: bundled (torch.utils.bundled_inputs), or else those that it
     * was traced with, which PyTorch 2 keeps without contents. @p count is 0 when there are none.
     */
    htp_shim_code (*archived_inputs)(htp_shim_model *model, const htp_shim_input **inputs,
                                     uint32_t *count, htp_shim_error *error);

    /** Contents of an extra file of the archive ("htp_inputs.json"); NULL when there is none. */
    const char *(*extra_file)(htp_shim_model *model, const char *name, size_t *bytes);

    /** Runs the method abstractly in @p lane_count lanes. Without @p carried it is the first call
     * after the archive was read, otherwise a later one: the carried states are what they are said
     * to be, all others as loaded. A trace's result is freed by the next one; that of a first call
     * stays until the next first call. Where the method refuses the inputs (HTP_SHIM_BAD_INPUTS),
     * @p trace receives what ran before; the last node is the one that raised, if one did, with
     * its failure. Otherwise it is NULL on failure. */
    htp_shim_code (*trace)(htp_shim_model *model, const htp_shim_input *inputs,
                           uint32_t input_count, uint32_t lane_count,
                           const htp_shim_carried *carried, uint32_t carried_count,
                           htp_shim_tick tick, void *user, const htp_shim_trace **trace,
                           htp_shim_error *error);

    /** Every operator schema key that this libtorch registers contains @p kind. */
    bool (*has_operator)(const char *kind);

    /** Opens a library that registers operators, before the models that need them; it stays open.
     * @return HTP_SHIM_OK, or HTP_SHIM_BAD_INPUTS */
    htp_shim_code (*load_library)(const char *path, htp_shim_error *error);

    /** Chooses the method that arguments(), program(), archived_inputs(), trace() and facts()
     * are about. Called once, before them.
     * @param module  the dotted path of who has it, "" for the root
     * @return HTP_SHIM_BAD_INPUTS where there is no such module or method */
    htp_shim_code (*choose_method)(htp_shim_model *model, const char *module, const char *name,
                                   htp_shim_error *error);

    /** The program that the method is part of: plain data, valid until close(). */
    htp_shim_code (*program)(htp_shim_model *model, const struct htp_program **program,
                             htp_shim_error *error);

    /** What the archive says of itself and of the method. */
    htp_shim_code (*facts)(htp_shim_model *model, htp_shim_facts *facts, htp_shim_error *error);

    /** Finds which modules were running, for the last trace; runs nothing. @p tick is called with
     * operations that were copied. @return HTP_SHIM_UNSUPPORTED for a program that is too large or
     * too deep with all calls inlined, or whose functions call themselves. */
    htp_shim_code (*inline_calls)(htp_shim_model *model, htp_shim_tick tick, void *user,
                                  const htp_shim_inlined **inlined, htp_shim_error *error);
} htp_shim;

/** The one exported symbol. @return NULL when the shim does not speak this ABI. */
const htp_shim *htp_shim_open(uint32_t abi);

#ifdef __cplusplus
}
#endif

#endif
