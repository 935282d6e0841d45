/*
 * Module instances to tags: the rules of the tag specification.
 *
 * A tag is the address of one module instance, "/" and the segments of its eligible ancestors:
 * /Net/Encoder/Layer.0. Two instances never share a tag, one instance never has two.
 *
 * The root is eligible, as is every module whose qualified class does not begin with "torch.nn.". A
 * group is the eligible modules with one short class name and one nearest eligible ancestor in the
 * attribute tree. A segment is
 * - Class.N if all attribute names of the group are distinct numbers;
 * - Class.PATH, the dotted attribute path below that ancestor, for each of a group of several;
 * - Class for a group of one.
 * `%`, `/`, control characters, bytes that are not UTF-8, and `.` inside one attribute name are
 * percent-encoded (%2F); an empty name is written `%`. So no two segments are equal.
 *
 * Nesting is unbounded, tags are not: below an address of more than HTP_TAG_LENGTH bytes, tags
 * begin with `/...N` instead, N being the index of its module; a longer attribute path begins with
 * `...N` in the same way. Memory stays linear in the modules.
 */
#ifndef HTP_HIERARCHY_HIERARCHY_H
#define HTP_HIERARCHY_HIERARCHY_H

#include "base/text.h"
#include "interpret/trace/trace.h"

/** Version of the rules, written to the model's metadata. */
#define HTP_TAG_RULES_VERSION "1"

/** Bytes of the longest address that is written out; longer ones are numbers. */
#define HTP_TAG_LENGTH 1024

typedef struct htp_hierarchy_options {
    bool include_torch_nn; /* every class is eligible */
} htp_hierarchy_options;

/** The result of the rules for one module. */
typedef struct htp_hierarchy_module {
    const char *class_name; /* the last part of the qualified class, not encoded */
    const char *tag;        /* of the module itself if eligible, else of the nearest eligible
                               ancestor */
    const char *full_tag;   /* the tag if every class were eligible */
    uint32_t level;         /* 0 for the root, counted over all modules */
    uint32_t owner;         /* the module whose tag this is: itself or an ancestor */
    bool is_torch_nn;
    bool is_eligible;
    bool is_leaf;
} htp_hierarchy_module;

typedef struct htp_hierarchy {
    const htp_hierarchy_module *modules; /* by module index */
    uint32_t module_count;
} htp_hierarchy;

/** Appends a name percent-encoded as in tags; its dots stay when @p keep_dots. */
void htp_hierarchy_add_encoded(htp_text *text, const char *name, bool keep_dots);

/**
 * Tags every module. Linear in the modules.
 * @param modules  parents precede children, index 0 is the root.
 */
htp_hierarchy *htp_hierarchy_build(htp_arena *arena, const htp_instance *modules,
                                   uint32_t module_count, const htp_hierarchy_options *options);

/**
 * The tag of every scope: that of the deepest eligible module in its chain of calls (not of
 * attributes).
 * @param scopes  callers precede callees.
 * @return one module index (the owner of the tag) per scope.
 */
const uint32_t *htp_hierarchy_tag_scopes(htp_arena *arena, const htp_hierarchy *hierarchy,
                                         const htp_trace_scope *scopes, uint32_t scope_count);

#endif
