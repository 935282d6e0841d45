/*
 * Reads an initializer's bytes as ONNX stores them, contiguous and in order, from the mapped
 * archive, where they may have any strides. No more than a block is copied.
 */
#ifndef HTP_ONNX_PAYLOAD_H
#define HTP_ONNX_PAYLOAD_H

#include "base/status.h"
#include "onnx/builder/builder.h"
#include "onnx/serialize/strided.h"

/** A reader of an initializer's bytes. Long runs are returned in place, short ones are gathered.
 * Other layouts are transposed in a block; conversions are done in small parts. */
typedef struct htp_payload {
    const htp_builder *model;
    const htp_derivation *derivation; /* or NULL */
    uint32_t boxes_begun;
    bool is_mapped;    /* the bytes are mapped, and pages may be dropped once read */
    bool reads_mapped; /* the current box is in a mapping, whose pages are dropped at its end */
    const htp_weight *weight; /* the box's */
    htp_strided strided;
    const unsigned char *raw; /* read but not yet converted */
    uint64_t raw_left;
    uint64_t converted;    /* elements */
    size_t converted_size; /* of one */
    unsigned char *block;  /* or NULL */
    uint64_t block_bytes;
    unsigned char gathered[1 << 14];
    unsigned char made[1 << 16]; /* as much as a file takes without copying it once more */
} htp_payload;

/**
 * Checks an initializer of @p model, or a candidate, and counts its bytes.
 *
 * Dims, strides and offset come from a hostile file: all are checked against the size of the
 * storage. @return HTP_CODE_BAD_INPUT if they do not fit, HTP_CODE_UNSUPPORTED for a dtype that
 * cannot be written; both name the initializer.
 */
HTP_MUST_USE htp_status htp_payload_check(const htp_builder *model,
                                          const htp_initializer *initializer, uint64_t *bytes);

/** The block size for reading a checked initializer fast; 0: no block needed. At most 64 MiB. */
uint64_t htp_payload_block(const htp_builder *model, const htp_initializer *initializer);

/** Begins to read a checked initializer. A caller with memory for a block sets it afterwards. */
void htp_payload_begin(htp_payload *payload, const htp_builder *model,
                       const htp_initializer *initializer);

/** The next bytes, valid until the next call. @return their number; 0 at the end. */
uint64_t htp_payload_next(htp_payload *payload, const unsigned char **bytes);

/** Copies an initializer to @p to, all @p bytes of it. @return false if it has fewer, or
 * htp_payload_check() refused it */
bool htp_payload_copy(htp_payload *payload, const htp_builder *model,
                      const htp_initializer *initializer, void *to, uint64_t bytes);

/** The offset of the bytes in the mapped archive. Call it after htp_payload_begin(), before
 * anything is read. @return false if they are not contiguous there */
bool htp_payload_lies_in_file(const htp_payload *payload, uint64_t *offset);

#endif
