/*
 * Operator names in programs, and their meaning in libtorch's schemas. Private to core/exported.
 */
#ifndef HTP_EXPORTED_NAMES_H
#define HTP_EXPORTED_NAMES_H

#include "exported/document/document.h"

/** An operator on numbers. */
typedef struct htp_number_name {
    const char *target; /**< name in programs: "_operator.mul" */
    const char *name;   /**< "aten::mul" */
    bool has_overloads; /**< an overload for the kinds of the operands follows the name */
} htp_number_name;

/** The operator on numbers of a target; NULL: none. */
const htp_number_name *htp_names_number(const char *target);

/** Whether a target is a check, whose result no operator reads. */
bool htp_names_is_check(const char *target);

/**
 * The operator of a node by its name in traces: "aten::add.Tensor" of "torch.ops.aten.add.Tensor".
 * @param kind  receives the name
 * @return the node, or one with the arguments of another operator that does the same
 */
const htp_exported_node *htp_names_translate(htp_arena *arena, const htp_exported_node *node,
                                             const char **kind);

#endif
