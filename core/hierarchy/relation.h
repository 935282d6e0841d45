/*
 * Tags relative to a call: the tag specification's section on functions.
 */
#ifndef HTP_HIERARCHY_RELATION_H
#define HTP_HIERARCHY_RELATION_H

#include <stdbool.h>

/** A tag relative to that of a call: "." for the call's own, the part after its slash for one
 * below, and otherwise the absolute tag, which begins with a slash. Points into @p tag except for
 * ".". */
const char *htp_relation_tag(const char *tag, const char *call);

/** A dotted attribute path relative to that of a call: "" for an equal one; NULL for one that is
 * not below. */
const char *htp_relation_path(const char *path, const char *call);

#endif
