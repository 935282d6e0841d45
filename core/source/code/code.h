/*
 * Checks code of a TorchScript archive before libtorch parses it: its parser, its compiler and the
 * destructors of their trees are recursive. Private to core/source.
 */
#ifndef HTP_SOURCE_CODE_H
#define HTP_SOURCE_CODE_H

#include "base/arena.h"
#include "base/status.h"

#include <stddef.h>

/** The code of a record. */
typedef struct htp_code_record {
    const char *path; /* of the model, for messages */
    const char *name; /* of the record */
    const char *text; /* not terminated */
    size_t count;     /* bytes, less than 4 GiB */
} htp_code_record;

struct htp_code_token_list;

/**
 * Checks code in time proportional to its bytes. Refuses with HTP_CODE_BAD_INPUT nesting that is
 * deeper than PyTorch ever writes, of brackets, indented blocks, chains of operators or of "elif";
 * and invalid tokens (source/code/code_tokens.h).
 * @param tokens  receives all tokens, in @p arena; replaces old ones and reuses their memory
 */
HTP_MUST_USE htp_status htp_code_check(htp_arena *arena, const htp_code_record *code,
                                       struct htp_code_token_list *tokens);

#endif
