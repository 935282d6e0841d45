/*
 * Checks pickles of a TorchScript archive before libtorch's unpickler, which trusts them, reads
 * them. Lists the tensors of a state that torch.save() wrote, which nothing else reads. Private to
 * core/source and core/exported.
 *
 * A pickle is a program for a machine with a stack, marks and a memo. Here it is interpreted
 * abstractly, on kinds, numbers and sizes. A pickle that passes is safe to load.
 *
 * Reference: Python's pickletools, for opcodes of protocol 2; libtorch's unpickler knows some of
 * them.
 */
#ifndef HTP_SOURCE_PICKLE_H
#define HTP_SOURCE_PICKLE_H

#include "base/vector.h"
#include "source/archive/archive.h"

/** A class that a pickle calls, and its argument; see htp_archive_made. Spans are in its bytes. */
typedef struct htp_pickle_made {
    uint32_t module, module_bytes;
    uint32_t name, name_bytes;
    htp_archive_made_kind kind;
    int64_t number; /* of an int; the bits of a float */
    uint32_t text, text_bytes;
} htp_pickle_made;

typedef HTP_VECTOR(htp_pickle_made) htp_pickle_made_list;

/** A device in a pickle: of a storage, or an object. Spans are in its bytes. */
typedef struct htp_pickle_device {
    bool is_storage;
    uint32_t key, key_bytes; /* of a storage: its record below the folder of storages */
    uint32_t text, text_bytes;
    uint32_t opcode; /* offset of the opcode that pushed the text */
} htp_pickle_device;

/** A text that is read from the memo. */
typedef struct htp_pickle_recall {
    uint32_t opcode; /* offset of the opcode that reads it */
    uint32_t first;  /* offset of the opcode that pushed it first */
    uint32_t text, text_bytes;
} htp_pickle_recall;

/** The role of a pickle. */
typedef enum htp_pickle_role {
    HTP_PICKLE_OF_PROGRAM, /* of TorchScript: libtorch reads it after the check */
    HTP_PICKLE_OF_LINES,   /* a debug record, which maps code to lines of source files */
    HTP_PICKLE_OF_STATE,   /* torch.save() of a dict of tensors: read only here */
} htp_pickle_role;

/** A tensor of a state, by its name. */
typedef struct htp_pickle_tensor {
    uint32_t name, name_bytes; /* spans of the pickle */
    uint32_t key, key_bytes;   /* of its storage: its record below the folder of storages */
    htp_dtype dtype;
    bool is_parameter;
    bool requires_grad;
    uint32_t rank;
    const int64_t *sizes; /* these are in elements, and not negative */
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
    bool are_storages_left_out; /* storages may be missing, since they are not read */
    htp_pickle_role role;
    htp_arena *kept; /* for the sizes and strides of tensors of a state */
} htp_pickle;

/** The contents of a pickle; filled while it is checked. */
typedef struct htp_pickle_contents {
    htp_pickle_made_list made;
    HTP_VECTOR(htp_pickle_device) devices;
    HTP_VECTOR(htp_pickle_recall) recalls; /* in their order */
    HTP_VECTOR(htp_pickle_tensor) tensors; /* of a state, in their order */
    double cost; /* of the most expensive part, if it is a tuple (source/code/code_tuples.h) */
} htp_pickle_contents;

/**
 * Checks a pickle, in time and memory proportional to its bytes. @p scratch holds temporary data,
 * and the lists of @p contents (or NULL, unless it is a state).
 *
 * Refuses with HTP_CODE_BAD_INPUT: reads beyond the end; operands that are missing, or of another
 * kind than libtorch assumes; unknown memo ids; values that are cyclic, nested thousands deep, or
 * shared exponentially; storages larger than their records; tensors beyond their storages; a state
 * that is not a dict of tensors. Refuses with HTP_CODE_UNSUPPORTED, and its name, an object of a
 * state that is not a plain tensor.
 */
HTP_MUST_USE htp_status htp_pickle_check(htp_arena *scratch, const htp_pickle *pickle,
                                         htp_pickle_contents *contents);

/**
 * Rewrites a checked pickle with other device names, since libtorch parses them and knows only its
 * own. Equal texts that are not devices stay.
 * @param texts  by entry of contents->devices; NULL keeps the name
 * @param bytes  the new pickle in @p arena; NULL if nothing changes
 */
HTP_MUST_USE htp_status htp_pickle_rename_devices(htp_arena *arena, const htp_pickle *pickle,
                                                  const htp_pickle_contents *contents,
                                                  const char *const *texts,
                                                  const unsigned char **bytes, uint32_t *count);

#endif
