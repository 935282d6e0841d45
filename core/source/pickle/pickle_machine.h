/*
 * The machine that a pickle runs on (pickle.h). Private to core/source/pickle and
 * core/source/debug_info.
 */
#ifndef HTP_SOURCE_PICKLE_MACHINE_H
#define HTP_SOURCE_PICKLE_MACHINE_H

#include "base/vector.h"
#include "source/pickle/pickle.h"

typedef enum htp_pickle_kind {
    HTP_PICKLE_NONE,
    HTP_PICKLE_BOOL,
    HTP_PICKLE_INT,
    HTP_PICKLE_FLOAT,
    HTP_PICKLE_STRING,
    HTP_PICKLE_TUPLE,
    HTP_PICKLE_LIST,
    HTP_PICKLE_DICT,
    HTP_PICKLE_CALL,    /* a function: number is its row */
    HTP_PICKLE_CLASS,   /* a class of the program */
    HTP_PICKLE_NEW,     /* an object of one, to be built */
    HTP_PICKLE_DTYPE,   /* the class of a storage: number is its row */
    HTP_PICKLE_QSCHEME, /* number is a htp_pickle_qscheme */
    HTP_PICKLE_STORAGE,
    HTP_PICKLE_TENSOR,
    HTP_PICKLE_OBJECT, /* or any other value without relevant parts */
} htp_pickle_kind;

typedef enum htp_pickle_qscheme {
    HTP_PICKLE_PER_TENSOR,
    HTP_PICKLE_PER_CHANNEL,
    HTP_PICKLE_OTHER_QSCHEME,
} htp_pickle_qscheme;

/* A value. Kinds from TUPLE to DICT, and from STORAGE on, have a node; a string has the opcode that
 * pushed it instead. */
typedef struct htp_pickle_value {
    uint32_t kind;
    uint32_t node;
    union {
        int64_t number; /* of an int, or as described at its kind */
        struct {
            uint32_t offset; /* in the pickle */
            uint32_t bytes;
        } string; /* of a class: the lines of its module and its name */
    };
} htp_pickle_value;

/* Facts about a value with parts. */
typedef struct htp_pickle_node {
    uint32_t depth;    /* 1 without parts that have parts */
    bool is_closed;    /* it is a part of another value */
    bool is_seen;      /* scratch mark of walks that visit each once */
    bool is_scattered; /* a list that grew while others did, so its elements were not kept */
    uint64_t unfolded; /* how many values with parts are in it, once per path to each */
    /* Index into the items: of a tuple, of its parts; of a tensor, of its sizes. Index into the
     * numbers: of a list of a debug record, of its elements. Offset in the pickle: of a storage, of
     * its key. */
    uint32_t first;
    uint32_t count; /* of these, or of a list; bytes of a key */
    uint32_t kinds; /* of a list: a bit for each kind in it */
    uint32_t dtype; /* of a storage or a tensor: row of the dtypes */
    int64_t low;    /* of a list: its smallest and its largest int */
    int64_t high;
    uint64_t elements; /* of a storage; for a tensor of a state, its index among the tensors */
    double cost;       /* of its type for libtorch's compiler (code_tuples.h) */
} htp_pickle_node;

/* A tensor of a state. */
typedef struct htp_pickle_stated {
    htp_pickle_tensor tensor; /* still without name, sizes and strides */
    uint32_t sizes;           /* node of a tuple, like strides */
    uint32_t strides;
} htp_pickle_stated;

/* A member of a dict of a state. */
typedef struct htp_pickle_member {
    uint32_t dict; /* its node */
    htp_pickle_value key;
    htp_pickle_value value;
} htp_pickle_member;

typedef struct htp_pickle_machine {
    htp_arena *arena;
    const htp_pickle *pickle;
    htp_pickle_contents *contents; /* or NULL */
    uint32_t at;                   /* next byte to read */
    uint32_t opcode;               /* where the running opcode begins, for messages */
    bool is_done;
    HTP_VECTOR(htp_pickle_value) stack;
    HTP_VECTOR(uint32_t) marks; /* each a size of the stack */
    HTP_VECTOR(htp_pickle_value) memo;
    HTP_VECTOR(htp_pickle_value) items; /* of tuples */
    HTP_VECTOR(int64_t) numbers;        /* of lists in debug records; arbitrary for a non-int */
    HTP_VECTOR(htp_pickle_node) nodes;
    HTP_VECTOR(htp_pickle_stated) tensors; /* of a state */
    HTP_VECTOR(htp_pickle_member) members; /* of all dicts of a state */
} htp_pickle_machine;

/** The node of a value that has one. */
static inline htp_pickle_node *htp_pickle_node_of(const htp_pickle_machine *machine,
                                                  const htp_pickle_value *value)
{
    return &machine->nodes.items[value->node];
}

/** Part @p index of a tuple. */
static inline const htp_pickle_value *htp_pickle_part(const htp_pickle_machine *machine,
                                                      const htp_pickle_node *tuple, uint32_t index)
{
    return &machine->items.items[tuple->first + index];
}

/** Makes the failure that the running opcode is damaged. */
HTP_MUST_USE htp_status htp_pickle_damaged(const htp_pickle_machine *machine, const char *format,
                                           ...) __attribute__((format(printf, 2, 3)));

/** Makes the failure that TorchScript files do not hold what the running opcode reads. */
HTP_MUST_USE htp_status htp_pickle_unknown(const htp_pickle_machine *machine, const char *format,
                                           ...) __attribute__((format(printf, 2, 3)));

/** Pushes a value without a node. */
void htp_pickle_push(htp_pickle_machine *machine, htp_pickle_kind kind, int64_t number);

/** Pushes a value with a new node. @return the node, valid until the next one is made */
htp_pickle_node *htp_pickle_push_node(htp_pickle_machine *machine, htp_pickle_kind kind);

/** The number of values above the last mark. Opcodes do not reach those below. */
size_t htp_pickle_reachable(const htp_pickle_machine *machine);

/** Pops @p count values. @p values are valid until the next push. */
HTP_MUST_USE htp_status htp_pickle_take(htp_pickle_machine *machine, size_t count,
                                        const htp_pickle_value **values);

/** Pops the values above the last mark, and the mark. */
HTP_MUST_USE htp_status htp_pickle_take_marked(htp_pickle_machine *machine,
                                               const htp_pickle_value **values, size_t *count);

/** Makes values parts of a new tuple, list, dict or object, and pushes it. Parts are frozen, so
 * facts about the whole stay true, and there are no cycles. @p values may be popped ones. */
HTP_MUST_USE htp_status htp_pickle_make(htp_pickle_machine *machine, htp_pickle_kind kind,
                                        const htp_pickle_value *values, size_t count);

/** The cost of a value's type for libtorch's compiler. */
double htp_pickle_cost_of(const htp_pickle_machine *machine, const htp_pickle_value *value);

/** Adds values to an existing list or dict. */
HTP_MUST_USE htp_status htp_pickle_extend(htp_pickle_machine *machine,
                                          const htp_pickle_value *target,
                                          const htp_pickle_value *values, size_t count);

/** Pushes the value of a function or class (GLOBAL). */
HTP_MUST_USE htp_status htp_pickle_find_global(htp_pickle_machine *machine, const char *module,
                                               uint32_t module_bytes, const char *name,
                                               uint32_t name_bytes);

/** Notes that a class is called with an argument. */
void htp_pickle_note_made(htp_pickle_machine *machine, const htp_pickle_value *type,
                          const htp_pickle_value *argument);

/** Notes a device: the string @p text; with @p key, that of the storage in this record. */
void htp_pickle_note_device(htp_pickle_machine *machine, const htp_pickle_value *text,
                            const htp_pickle_value *key);

/** Notes that the running opcode reads @p value from the memo. From then on, this opcode counts as
 * the one that pushed a string. */
void htp_pickle_note_recall(htp_pickle_machine *machine, htp_pickle_value *value);

/** Calls the function in row @p row with an argument, and pushes the result. */
HTP_MUST_USE htp_status htp_pickle_call(htp_pickle_machine *machine, uint32_t row,
                                        const htp_pickle_value *argument);

/** Handlers of htp_pickle_call() that make tensors. @p parameter is 1 for quantised ones. */
HTP_MUST_USE htp_status htp_pickle_make_tensor(htp_pickle_machine *machine,
                                               const htp_pickle_value *argument,
                                               uint32_t parameter);
HTP_MUST_USE htp_status htp_pickle_make_sparse(htp_pickle_machine *machine,
                                               const htp_pickle_value *argument,
                                               uint32_t parameter);

HTP_MUST_USE htp_status htp_pickle_make_untyped(htp_pickle_machine *machine,
                                                const htp_pickle_value *argument,
                                                uint32_t parameter);

/** Makes the storage of a persistent id. */
HTP_MUST_USE htp_status htp_pickle_make_storage(htp_pickle_machine *machine,
                                                const htp_pickle_value *id);

/** The row of the dtypes with this class of storages, such as "FloatStorage"; -1: none. */
int64_t htp_pickle_find_dtype(const char *name, uint32_t bytes);

/** The row of the dtypes with this name, such as "float32"; -1: none. */
int64_t htp_pickle_find_named_dtype(const char *name, uint32_t bytes);

/** Runs and checks the pickle of a new machine, which has only the pickle and an arena. */
HTP_MUST_USE htp_status htp_pickle_run(htp_pickle_machine *machine);

/** Checks the result of a pickle of source positions. */
HTP_MUST_USE htp_status htp_pickle_check_debug(htp_pickle_machine *machine);

/** Lists the tensors of a state whose pickle has run. It must be a dict of tensors
 * (pickle_state.c). */
HTP_MUST_USE htp_status htp_pickle_list_state(htp_pickle_machine *machine);

/** Pushes a parameter, made of a tensor of a state. */
void htp_pickle_push_parameter(htp_pickle_machine *machine, const htp_pickle_value *tensor,
                               bool requires_grad);

/** Refuses a class or function that a state calls, and that does not make a plain tensor. */
HTP_MUST_USE htp_status htp_pickle_refuse_object(const htp_pickle_machine *machine,
                                                 const char *module, uint32_t module_bytes,
                                                 const char *name, uint32_t name_bytes);

/** Whether the tuple of a checked debug record has a table of texts: its parts are a word, the
 * texts, and the positions. */
bool htp_pickle_has_texts(const htp_pickle_machine *machine, const htp_pickle_node *root);

#endif
