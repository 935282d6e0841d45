/*
 * The message of a failure in libtorch, as one line.
 */
#ifndef HTP_INTERPRET_OPERATORS_MESSAGE_H
#define HTP_INTERPRET_OPERATORS_MESSAGE_H

#include <htp/types.h>

/** Makes what the shim left one line: the first, without libtorch's own sources, and with the place
 * in the model's code that stands below it. A line stays as it is. */
void htp_message_shorten(htp_error *error);

#endif
