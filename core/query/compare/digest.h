/*
 * Digests of contents.
 *
 * 128 bits of XXH3 under a seed drawn for each comparison, so that nobody can prepare a collision.
 * Digests of two runs are not comparable.
 */
#ifndef HTP_QUERY_DIGEST_H
#define HTP_QUERY_DIGEST_H

#include "onnx/reader/view.h"

typedef struct htp_digest {
    uint64_t low, high;
} htp_digest;

/** An unpredictable seed. */
uint64_t htp_digest_seed(void);

/** The digest of some bytes. */
htp_digest htp_digest_of(uint64_t seed, const void *bytes, size_t count);

/** The digest of a number and two digests in this order. */
htp_digest htp_digest_mix(uint64_t seed, uint64_t number, htp_digest a, htp_digest b);

/** Adds a digest to a sum, which does not depend on the order. */
static inline void htp_digest_add(htp_digest *sum, htp_digest term)
{
    sum->low += term.low;
    sum->high += term.high;
}

static inline bool htp_digest_equals(htp_digest a, htp_digest b)
{
    return a.low == b.low && a.high == b.high;
}

/** The contents of a constant. */
typedef struct htp_content {
    htp_digest value; /* its type, dims and elements */
    htp_digest type;  /* its type and dims */
} htp_content;

/** The content of a list of @p count elements of @p data_type, or of a scalar. @p bytes has @p size
 * bytes. */
htp_content htp_content_of(uint64_t seed, int32_t data_type, bool is_list, uint64_t count,
                           const void *bytes, size_t size);

/** The content of a list of strings, or of a single one. */
htp_content htp_content_of_strings(uint64_t seed, bool is_list, const htp_span *strings,
                                   size_t count);

/**
 * The contents of all tensors of a view, by number. Equal elements have equal digests, whether
 * stored raw, typed or in a data file. The content of a sparse tensor is that of its first tensor.
 * Shared ranges of data files are read once.
 * @return HTP_CODE_BAD_INPUT if a data file was changed.
 */
HTP_MUST_USE htp_status htp_contents_read(htp_arena *arena, const htp_view *view, uint64_t seed,
                                          const htp_content **contents);

#endif
