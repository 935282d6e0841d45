/* Rows of builds.def by name, sorted as by strcmp(). */
#include "interpret/meta/builds.h"

#include "base/text.h"

#include <stdlib.h>

static const htp_meta_builds rows[] = {
#define HTP_META_BUILDS(name, when, reason) {name, when, reason},
#include "interpret/meta/builds.def"
#undef HTP_META_BUILDS
};

const htp_meta_builds *htp_meta_builds_find(const char *name)
{
    return bsearch(name, rows, sizeof(rows) / sizeof(rows[0]), sizeof(rows[0]), htp_row_compare);
}
