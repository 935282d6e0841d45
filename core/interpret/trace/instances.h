/*
 * The module instances of a model, and their weights.
 */
#ifndef HTP_INTERPRET_TRACE_INSTANCES_H
#define HTP_INTERPRET_TRACE_INSTANCES_H

#include <htp/types.h>

/** A module instance. Index 0 is the root; a parent precedes its children; the order is that of
 * definition, depth first. */
typedef struct htp_instance {
    const char *name;            /**< attribute name in the parent; "" for the root */
    const char *path;            /**< dotted attribute path; "" for the root */
    const char *qualified_class; /**< "torch.nn.modules.linear.Linear", without mangling;
                                    "__main__.Net" without a package */
    const char *const *aliases;  /**< further attribute paths of the same instance */
    uint32_t parent;             /**< HTP_NONE for the root */
    uint32_t alias_count;
    bool is_frozen; /**< has no attributes at all, not even those of every nn.Module: the result of
                       torch.jit.freeze() */
} htp_instance;

/** A tensor of the archive: parameter, buffer, tensor attribute, or constant of the code. */
typedef struct htp_weight {
    const char *name; /**< dotted path; constants have generated names */
    uint32_t module;  /**< owner, or HTP_NONE for a constant */
    bool is_parameter;
    bool is_buffer; /**< a tensor attribute that is not a parameter */
    bool requires_grad;
    htp_dtype dtype;
    uint32_t rank;
    const int64_t *dims;
    const int64_t *strides; /**< in elements; may be 0 or in any order, never negative */
    uint64_t storage;       /**< equal for tensors that share a storage */
    int64_t storage_offset; /**< in elements */
    const void *data;       /**< first byte of the storage, native byte order; the mapped archive
                                 or memory; never NULL unless there are no elements */
    uint64_t storage_bytes; /**< bytes that may be read from data on */
    bool is_mapped;         /**< data is in a read-only mapping of a file: pages already read may
                                be dropped (MADV_DONTNEED) */
    uint64_t file_offset;   /**< of data in that file, where it is mapped */
} htp_weight;

#endif
