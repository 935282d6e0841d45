/*
 * The message of a failure in libtorch, as one line.
 */
#ifndef HTP_INTERPRET_OPERATORS_MESSAGE_H
#define HTP_INTERPRET_OPERATORS_MESSAGE_H

#include <htp/types.h>

/** Reduces the shim's message to one line: its first, without libtorch's sources, with the place in
 * the model's code. A single line stays unchanged. */
void htp_message_shorten(htp_error *error);

#endif
