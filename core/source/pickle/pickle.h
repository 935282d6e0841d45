/*
 * Checks pickles of a TorchScript archive before libtorch reads them: its unpickler trusts them.
 * Lists the tensors of a state that torch.save() wrote, which nothing else reads. Private to
 * core/source and core/exported.
 *
 * A pickle is a program for a machine with a stack, marks and a memo. Here it runs abstractly, on
 * kinds, numbers and sizes. A pickle that passes is safe to load.
 *
 * Reference: Python's pickletools, for opcodes of protocol 2; libtorch's unpickler takes a part of
 * them.
 */
#ifndef HTP_SOURCE_PICKLE_H
#define HTP_SOURCE_PICKLE_H

#include "base/vector.h"
#include "source/archive/archive.h"

/** A class that a pickle calls, and its arguments; see htp_archive_made. Spans of its bytes. */
typedef struct htp_pickle_made {
    uint32_t module, module_bytes;
    uint32_t name, name_bytes;
    htp_archive_made_kind kind;
    int64_t number; /* of an int; the bits of a float */
    uint32_t text, text_bytes;
} htp_pickle_made;

typedef HTP_VECTOR(htp_pickle_made) htp_pickle_made_list;

/** A device in a pickle: of a storage, or an object. Spans of its bytes. */
typedef struct htp_pickle_device {
    bool is_storage;
    uint32_t key, key_bytes; /* of a storage: its record below the folder of storages */
    uint32_t text, text_bytes;
    uint32_t opcode; /* that put the text onto the stack */
} htp_pickle_device;

/** A text that is taken out of the memo again. */
typedef struct htp_pickle_recall {
    uint32_t opcode; /* that takes it */
    uint32_t first;  /* that put it onto the stack before it went into the memo */
    uint32_t text, text_bytes;
} htp_pickle_recall;

/** What a pickle is. */
typedef enum htp_pickle_role {
    HTP_PICKLE_OF_PROGRAM, /* of TorchScript: libtorch reads it behind the check */
    HTP_PICKLE_OF_LINES,   /* a debug record: which line of which file code was made of */
    HTP_PICKLE_OF_STATE,   /* torch.save() of a dict of tensors: nobody else reads it */
} htp_pickle_role;

/** A tensor of a state, by its name. */
typedef struct htp_pickle_tensor {
    uint32_t name, name_bytes; /* spans of the pickle */
    uint32_t key, key_bytes;   /* of its storage: its record below the folder of storages */
    htp_dtype dtype;
    bool is_parameter;
    bool requires_grad;
    uint32_t rank;
    const int64_t *sizes; /* as what follows, in elements; none is negative */
    const int64_t *strides;
    int64_t offset;
} htp_pickle_tensor;

/** A pickle, and the records it may refer to. */
typedef struct htp_pickle {
    const char *path; /* of the model, for messages */
    const char *name; /* of the record, for messages */
    const htp_archive_record *record;
    const unsigned char *bytes;
    uint32_t count;
    const htp_archive *archive; /* holds the storages of its tensors */
    const char *storages;       /* prefix of their names: "data/"; NULL: it has no tensors */
    bool are_storages_left_out; /* records without contents will do: nobody reads them */
    htp_pickle_role role;
    htp_arena *kept; /* has the sizes and strides of the tensors of a state */
} htp_pickle;

/** The contents of a pickle; filled while it is checked. */
typedef struct htp_pickle_contents {
    htp_pickle_made_list made;
    HTP_VECTOR(htp_pickle_device) devices;
    HTP_VECTOR(htp_pickle_recall) recalls; /* in their order */
    HTP_VECTOR(htp_pickle_tensor) tensors; /* of a state, in their order */
    double cost; /* of the costliest part of the tuple that it is (source/code/code_tuples.h) */
} htp_pickle_contents;

/**
 * Checks a pickle, in time and memory proportional to its bytes. @p scratch holds temporary data,
 * and the lists of @p contents (or NULL, unless it is a state).
 *
 * Refuses with HTP_CODE_BAD_INPUT: reads beyond the end, missing operands, or ones of another kind
 * than libtorch assumes, unknown memo ids, values nested thousands deep, cyclic, or shared
 * exponentially; storages larger than their records; tensors beyond their storages; a state that is
 * no dict of tensors. With HTP_CODE_UNSUPPORTED, by its name: an object of a state that is no plain
 * tensor.
 */
HTP_MUST_USE htp_status htp_pickle_check(htp_arena *scratch, const htp_pickle *pickle,
                                         htp_pickle_contents *contents);

/**
 * Rewrites a checked pickle with other device texts; equal texts that are no devices stay. libtorch
 * parses the names, and knows only its own.
 * @param texts  for contents->devices, one each; NULL keeps it
 * @param bytes  the new pickle in @p arena; NULL if nothing changes
 */
HTP_MUST_USE htp_status htp_pickle_rename_devices(htp_arena *arena, const htp_pickle *pickle,
                                                  const htp_pickle_contents *contents,
                                                  const char *const *texts,
                                                  const unsigned char **bytes, uint32_t *count);

#endif
