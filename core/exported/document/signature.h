/*
 * The signature of a program: pytrees, as arguments of forward(). Private to core/exported.
 */
#ifndef HTP_EXPORTED_SIGNATURE_H
#define HTP_EXPORTED_SIGNATURE_H

#include "base/status.h"
#include "exported/document/program.h"
#include "interpret/trace/inputs.h"

/** An argument, or a part of one. */
typedef struct htp_exported_part {
    const char *name;      /**< as htp_argument has it */
    const char *flat_name; /** < including those of its containers: "past_0_key" */
    const char *path;      /**< the same for messages: "past.0.key" */
    uint32_t input;        /**< of the program; HTP_NONE where it has parts */
    const struct htp_exported_part *parts;
    uint32_t count;
} htp_exported_part;

typedef struct htp_exported_signature {
    const htp_exported_part *parts; /**< by argument */
    const htp_argument *arguments;
    uint32_t count;
    const char *returns;
} htp_exported_signature;

/** Reads it. @return HTP_CODE_BAD_INPUT where the pytree is not that of the inputs */
HTP_MUST_USE htp_status htp_exported_signature_read(htp_arena *arena,
                                                    const htp_exported_program *program,
                                                    htp_exported_signature *signature);

#endif
