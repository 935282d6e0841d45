/*
 * The tables of tensors that are records of an archive, as PyTorch 2.9 and later write them.
 * Private to core/exported.
 */
#ifndef HTP_EXPORTED_PAYLOADS_H
#define HTP_EXPORTED_PAYLOADS_H

#include "base/arena.h"
#include "base/status.h"
#include "base/vector.h"
#include "interpret/trace/instances.h"

/** A tensor of a table. */
typedef struct htp_exported_payload {
    const char *record; /**< that has its bytes, below the folder of them */
    htp_weight weight;  /**< without bytes, and without an owner */
} htp_exported_payload;

/** Those of a table, in their order. */
typedef HTP_VECTOR(htp_exported_payload) htp_exported_payloads;

/**
 * Reads a table: {"config": {NAME: {"path_name": ..., "tensor_meta": ...}}}. Objects, and kinds of
 * tensors of their own, are left out: who reads one is refused.
 * @param name     of its record, for messages
 * @param scratch  with its recovery point
 * @param payloads receives them, in @p arena
 * @return HTP_CODE_BAD_INPUT for what is no table
 */
HTP_MUST_USE htp_status htp_exported_payloads_read(htp_arena *arena, htp_arena *scratch,
                                                   const char *name, const char *text, size_t bytes,
                                                   htp_exported_payloads *payloads);

#endif
