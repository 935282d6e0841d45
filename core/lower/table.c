#include "lower/table.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const htp_operator rows[] = {
#define HTP_OPERATOR(kind, function, op) {kind, function, op},
#include "lower/operators.def"
};

static const htp_operator complex_rows[] = {
#include "lower/complex_operators.def"
#undef HTP_OPERATOR
};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))
#define COMPLEX_ROW_COUNT (sizeof(complex_rows) / sizeof(complex_rows[0]))

/** Rows in the order of their names. */
typedef struct table {
    const htp_operator **rows;
    size_t count;
} table;

static const htp_operator *sorted[ROW_COUNT];
static const htp_operator *sorted_complex[COMPLEX_ROW_COUNT];
static const htp_operator *sorted_both[ROW_COUNT + COMPLEX_ROW_COUNT];
static const table real_table = {sorted, ROW_COUNT};
static const table complex_table = {sorted_complex, COMPLEX_ROW_COUNT};
static table both = {sorted_both, 0}; /* each name once */
static pthread_once_t sorting = PTHREAD_ONCE_INIT;

static int compare_rows(const void *a, const void *b)
{
    const htp_operator *const *left = a;
    const htp_operator *const *right = b;
    return strcmp((*left)->kind, (*right)->kind);
}

static void sort_table(const table *t, const htp_operator *from)
{
    for (size_t i = 0; i < t->count; i++) {
        t->rows[i] = &from[i];
    }
    qsort(t->rows, t->count, sizeof(t->rows[0]), compare_rows);
}

static void sort_rows(void)
{
    sort_table(&real_table, rows);
    sort_table(&complex_table, complex_rows);
    size_t other = 0;
    for (size_t i = 0; i < ROW_COUNT || other < COMPLEX_ROW_COUNT;) {
        int order = 0;
        if (i == ROW_COUNT || other == COMPLEX_ROW_COUNT) {
            order = i == ROW_COUNT ? 1 : -1;
        } else {
            order = compare_rows(&sorted[i], &sorted_complex[other]);
        }
        sorted_both[both.count++] = order > 0 ? sorted_complex[other] : sorted[i];
        i += order <= 0;
        other += order >= 0;
    }
}

static const htp_operator *find(const table *t, const char *kind)
{
    pthread_once(&sorting, sort_rows);
    const htp_operator wanted = {.kind = kind};
    const htp_operator *key = &wanted;
    const htp_operator *const *found =
        bsearch(&key, t->rows, t->count, sizeof(t->rows[0]), compare_rows);
    return found ? *found : NULL;
}

const htp_operator *htp_table_find(const char *kind)
{
    return find(&real_table, kind);
}

const htp_operator *htp_table_find_complex(const char *kind)
{
    return find(&complex_table, kind);
}

size_t htp_lower_operator_count(void)
{
    pthread_once(&sorting, sort_rows);
    return both.count;
}

const char *htp_lower_operator_name(size_t index)
{
    pthread_once(&sorting, sort_rows);
    return index < both.count ? sorted_both[index]->kind : NULL;
}
