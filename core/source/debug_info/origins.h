/*
 * The origins of a record of code: the source ranges of its pieces, by its debug record. Private to
 * core/source.
 *
 * A source is a text in shared parts, joined on first use. For traced code, the text is the
 * tracer's stack.
 */
#ifndef HTP_SOURCE_ORIGINS_H
#define HTP_SOURCE_ORIGINS_H

#include "base/intern.h"
#include "base/text.h"
#include "base/vector.h"
#include "source/pickle/pickle.h"

/** A source file, or a piece of one. */
typedef struct htp_code_origin_source {
    const char *file;    /* NULL: it has no name */
    uint64_t first_line; /* of the file */
    uint64_t bytes;
    uint32_t first_part; /* index into the list of parts */
    uint32_t part_count;
    const char *text;      /* joined on first use; NULL before */
    const uint64_t *lines; /* offsets, found on first use; NULL before */
    size_t line_count;
} htp_code_origin_source;

/** A range of a source: the origin of the code from its offset to that of the next one. There are
 * many, so offsets have 32 bits: no code and no joined text exceeds 4 GiB. */
typedef struct htp_code_origin {
    uint32_t offset;
    uint32_t begin; /* within the source, like end */
    uint32_t end;
    uint32_t source;
} htp_code_origin;

/** The origins of one record. An empty one is all zeroes. */
typedef struct htp_code_origins {
    HTP_VECTOR(htp_code_origin) ranges; /* by offset */
    HTP_VECTOR(htp_code_origin_source) sources;
    HTP_VECTOR(uint32_t) parts; /* numbers of texts */
} htp_code_origins;

/** A piece of a source, which may hold NULs. */
typedef struct htp_code_text {
    const char *bytes;
    uint32_t count;
} htp_code_text;

/** Texts of all records, each kept once, since layers of a model are traced through the same lines.
 */
typedef struct htp_code_texts {
    htp_map by_bytes;                 /* from bytes to numbers of pieces */
    HTP_VECTOR(htp_code_text) pieces; /* that sources are joined from */
    htp_map by_parts;                 /* from numbers of pieces to joined texts */
    HTP_VECTOR(const char *) joined;  /* texts */
    uint64_t joined_bytes;
    htp_interned kept;
    htp_text join; /* buffer of the text being joined */
} htp_code_texts;

/** An empty set of texts in @p arena. */
htp_code_texts htp_code_texts_in(htp_arena *arena);

/** The number of a text, which is copied if it is new. */
uint32_t htp_code_texts_add(htp_code_texts *texts, const char *bytes, uint32_t count);

/**
 * Reads a debug record into empty origins, in time and memory proportional to its bytes. Both texts
 * and origins will be in the arena of @p texts; @p scratch is for temporary memory.
 *
 * Refuses with HTP_CODE_BAD_INPUT malformed pickles, and other records.
 */
HTP_MUST_USE htp_status htp_code_origins_read(htp_code_texts *texts, htp_arena *scratch,
                                              const htp_pickle *pickle, htp_code_origins *origins);

/** The origin of code at an offset, or NULL. */
const htp_code_origin *htp_code_origins_find(const htp_code_origins *origins, uint64_t offset);

/** The source of a range. */
htp_code_origin_source *htp_code_origins_source(const htp_code_origins *origins,
                                                const htp_code_origin *origin);

/** The line of its file that a range begins in; 0 if the source is too large. */
uint32_t htp_code_origins_line(htp_code_texts *texts, const htp_code_origins *origins,
                               const htp_code_origin *origin);

/** The text of a range: a space and its first line, or the tracer's whole stack; "" if the source
 * is too large. Equal texts share a pointer. */
const char *htp_code_origins_text(htp_code_texts *texts, const htp_code_origins *origins,
                                  const htp_code_origin *origin);

#endif
