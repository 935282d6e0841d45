/*
 * Checks code of a TorchScript archive before libtorch parses it: its parser, its compiler and the
 * destructors of their trees are recursive. Private to core/source.
 */
#ifndef HTP_SOURCE_CODE_H
#define HTP_SOURCE_CODE_H

#include "base/arena.h"
#include "base/limits/limits.h"
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

struct htp_syntax_module;

/** What code costs libtorch. */
typedef struct htp_code_counts {
    uint64_t operations; /**< calls, operators, attributes, slices */
    uint64_t values;     /**< names, constants and statements of functions */
    uint64_t pairs;      /**< of a method and a member of one class */
} htp_code_counts;

/**
 * Counts constructs that are short in the file but expensive in libtorch: a call takes 4.5 kB of
 * its memory, a name up to 1.2 kB, and each method or attribute of a class is compared with all
 * earlier ones.
 * @param counts  of the records so far; receives the sums
 * @return HTP_CODE_UNSUPPORTED beyond the limits of these, of members of a class, or of pairs
 */
HTP_MUST_USE htp_status htp_code_count(const struct htp_syntax_module *module,
                                       const htp_limits *limits, htp_code_counts *counts);

/** Refuses with HTP_CODE_UNSUPPORTED code with so many returns, breaks and exceptions that
 * libtorch's compiler would take minutes; at the default limit it takes about 4 seconds.
 * @param work  for the records so far; receives the sum */
HTP_MUST_USE htp_status htp_code_check_exits(const struct htp_syntax_module *module,
                                             const htp_limits *limits, double *work);

#endif
