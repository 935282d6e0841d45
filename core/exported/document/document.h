/*
 * The JSON of a program, read to plain structs: the program, its tensors and its arguments. Private
 * to core/exported.
 */
#ifndef HTP_EXPORTED_DOCUMENT_H
#define HTP_EXPORTED_DOCUMENT_H

#include "base/limits/limits.h"
#include "base/status.h"
#include "exported/document/payloads.h"
#include "exported/document/program.h"
#include "exported/document/signature.h"

/**
 * Reads a program and checks its form: every name is defined, and required members exist. Operands
 * are not checked.
 * @param scratch  temporary memory; its recovery point is set
 * @param limits   NULL: all defaults
 * @return HTP_CODE_BAD_INPUT for malformed programs; HTP_CODE_UNSUPPORTED for other major versions,
 * and beyond a limit
 */
HTP_MUST_USE htp_status htp_document_read(htp_arena *arena, htp_arena *scratch, const char *text,
                                          size_t bytes, const htp_limits *limits,
                                          htp_exported_program *program);

#endif
