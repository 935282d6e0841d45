/*
 * The JSON of a program, read to plain structs: the program, its tensors and its arguments. Private
 * to core/exported.
 */
#ifndef HTP_EXPORTED_DOCUMENT_H
#define HTP_EXPORTED_DOCUMENT_H

#include "base/status.h"
#include "exported/document/payloads.h"
#include "exported/document/program.h"
#include "exported/document/signature.h"

/**
 * Reads a program, and checks that it is one: what it names is described, and it has the parts that
 * the schema asks for. It says nothing of what operators are given.
 * @param scratch  holds what is gone when this returns; its recovery point is set
 * @return HTP_CODE_BAD_INPUT for what is no program; HTP_CODE_UNSUPPORTED for other majors
 */
HTP_MUST_USE htp_status htp_document_read(htp_arena *arena, htp_arena *scratch, const char *text,
                                          size_t bytes, htp_exported_program *program);

#endif
