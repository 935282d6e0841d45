/*
 * The signature of a program: arguments of forward(), from pytrees. Private to core/exported.
 */
#ifndef HTP_EXPORTED_SIGNATURE_H
#define HTP_EXPORTED_SIGNATURE_H

#include "base/status.h"
#include "exported/document/program.h"
#include "interpret/trace/inputs.h"

/** An argument, or a part of one. */
typedef struct htp_exported_part {
    const char *name;      /**< as in htp_argument */
    const char *flat_name; /**< with the names of its containers: "past_0_key" */
    const char *path;      /**< likewise, for messages: "past.0.key" */
    uint32_t input;        /**< of the program; HTP_NONE if it has parts */
    const struct htp_exported_part *parts;
    uint32_t count;
} htp_exported_part;

typedef struct htp_exported_signature {
    const htp_exported_part *parts; /**< by argument */
    const htp_argument *arguments;
    uint32_t count;
    const char *returns;
} htp_exported_signature;

/** Reads the signature. @return HTP_CODE_BAD_INPUT if the pytree does not fit the inputs */
HTP_MUST_USE htp_status htp_exported_signature_read(htp_arena *arena,
                                                    const htp_exported_program *program,
                                                    htp_exported_signature *signature);

#endif
