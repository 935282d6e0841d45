/*
 * Checks code of a TorchScript archive before libtorch parses it: its parser, its compiler, and
 * what frees their trees call themselves once for each level of what they read. Private to
 * core/source.
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
 * Checks code in time proportional to its bytes. Refuses with HTP_CODE_BAD_INPUT what is nested
 * deeper than PyTorch ever writes it: brackets, indented blocks, chains of operators, of "elif";
 * and what has no tokens (source/code/code_tokens.h).
 * @param tokens  receives all of them, in @p arena; what was in it is forgotten, its room is not
 */
HTP_MUST_USE htp_status htp_code_check(htp_arena *arena, const htp_code_record *code,
                                       struct htp_code_token_list *tokens);

#endif
