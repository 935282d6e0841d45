/*
 * Operators whose output layouts depend on how libtorch was built.
 */
#ifndef HTP_INTERPRET_META_BUILDS_H
#define HTP_INTERPRET_META_BUILDS_H

/** When a row of builds.def applies. */
typedef enum htp_builds_when {
    HTP_BUILDS_ALWAYS,
    HTP_BUILDS_STRIDED,
} htp_builds_when;

/** A row of builds.def. */
typedef struct htp_meta_builds {
    const char *name;
    htp_builds_when when;
    const char *reason; /* a clause */
} htp_meta_builds;

/** The row of an operator, by its name without overload; or NULL. */
const htp_meta_builds *htp_meta_builds_find(const char *name);

#endif
