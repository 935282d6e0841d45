/*
 * The values that declarations of an archive's code hold: defaults of arguments and of the fields
 * of named tuples, constants of classes. Private to core/source.
 */
#ifndef HTP_SOURCE_CODE_VALUES_H
#define HTP_SOURCE_CODE_VALUES_H

#include "source/code/code_syntax.h"

/**
 * Checks declared values. libtorch's interpreter computes them while it reads the code; PyTorch
 * only ever writes literals. Refuses with HTP_CODE_UNSUPPORTED, with the declaration, any value
 * that runs code. Refuses with HTP_CODE_BAD_INPUT constants that were written without their values.
 */
HTP_MUST_USE htp_status htp_values_check(const htp_syntax_module *module);

/** The text of a device that is written out, torch.device("cpu"): its node; NULL of other nodes. */
const htp_syntax_node *htp_values_find_device(const htp_syntax_module *module,
                                              const htp_syntax_node *node);

#endif
