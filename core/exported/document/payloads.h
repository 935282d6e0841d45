/*
 * The tables of tensors in records of their own, which PyTorch 2.9 and later write. Private to
 * core/exported.
 */
#ifndef HTP_EXPORTED_PAYLOADS_H
#define HTP_EXPORTED_PAYLOADS_H

#include "base/arena.h"
#include "base/status.h"
#include "base/vector.h"
#include "interpret/trace/instances.h"

/** A tensor of a table. */
typedef struct htp_exported_payload {
    const char *record; /**< that has its bytes, below the folder of tensors */
    htp_weight weight;  /**< without bytes and owner */
} htp_exported_payload;

/** The tensors of a table, in order. */
typedef HTP_VECTOR(htp_exported_payload) htp_exported_payloads;

/**
 * Reads a table: {"config": {NAME: {"path_name": ..., "tensor_meta": ...}}}. Objects and special
 * tensors are left out; nodes that read one are refused.
 * @param name      of its record, for messages
 * @param scratch   its recovery point is set
 * @param payloads  receives the tensors, in @p arena
 * @return HTP_CODE_BAD_INPUT if the text is not a table
 */
HTP_MUST_USE htp_status htp_exported_payloads_read(htp_arena *arena, htp_arena *scratch,
                                                   const char *name, const char *text, size_t bytes,
                                                   htp_exported_payloads *payloads);

#endif
