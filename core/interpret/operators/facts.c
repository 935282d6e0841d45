/* Facts about operators, by name. Rows are sorted as by strcmp(). */
#include "interpret/operators/facts.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum {
#define HTP_FACT(fact) fact = HTP_FACT_##fact,
#define HTP_FACTS(name, facts)
#include "interpret/operators/facts.def"
#undef HTP_FACTS
#undef HTP_FACT
};

typedef struct row {
    const char *name;
    unsigned facts;
} row;

static const row rows[] = {
#define HTP_FACT(fact)
#define HTP_FACTS(name, facts) {name, facts},
#include "interpret/operators/facts.def"
#undef HTP_FACTS
#undef HTP_FACT
};

unsigned htp_operator_facts(const char *name)
{
    const row *found =
        bsearch(name, rows, sizeof(rows) / sizeof(rows[0]), sizeof(rows[0]), htp_row_compare);
    return found ? found->facts : 0;
}

bool htp_has_fact(const char *name, unsigned facts)
{
    return (htp_operator_facts(name) & facts) != 0;
}

const char *htp_operator_functional_name(const char *name, char room[HTP_OPERATOR_NAME_ROOM])
{
    size_t length = strlen(name);
    if (length == 0 || length > HTP_OPERATOR_NAME_ROOM || name[length - 1] != '_') {
        return NULL;
    }
    memcpy(room, name, length - 1);
    room[length - 1] = '\0';
    return room;
}
