/*
 * The values in declarations of an archive's code: defaults of arguments and of fields of named
 * tuples, constants of classes. Private to core/source.
 */
#ifndef HTP_SOURCE_CODE_VALUES_H
#define HTP_SOURCE_CODE_VALUES_H

#include "source/code/code_syntax.h"

/**
 * Checks declared values. libtorch's interpreter computes them while it reads the code, although
 * PyTorch writes only literals. Refuses with HTP_CODE_UNSUPPORTED any value that runs code, and
 * with HTP_CODE_BAD_INPUT constants that were written without their values; both name the
 * declaration.
 */
HTP_MUST_USE htp_status htp_values_check(const htp_syntax_module *module);

/** The node of the text in a call torch.device("cpu"); NULL for other nodes. */
const htp_syntax_node *htp_values_find_device(const htp_syntax_module *module,
                                              const htp_syntax_node *node);

#endif
