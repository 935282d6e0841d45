#include "lower/emit/table.h"

#include "lower/emit/rows.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const htp_operator rows[] = {
#define HTP_OPERATOR(kind, function, op) {kind, function, op},
#include "lower/emit/operators.def"
};

static const htp_operator complex_rows[] = {
#include "lower/complex/complex_operators.def"
};

static const htp_operator quantized_rows[] = {
#include "lower/quantized/quantized_operators.def"
#undef HTP_OPERATOR
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define ROW_COUNT COUNT_OF(rows)
#define COMPLEX_ROW_COUNT COUNT_OF(complex_rows)
#define QUANTIZED_ROW_COUNT COUNT_OF(quantized_rows)

/** Rows in the order of their names. */
typedef struct table {
    const htp_operator **rows;
    size_t count;
} table;

static const htp_operator *sorted[ROW_COUNT];
static const htp_operator *sorted_complex[COMPLEX_ROW_COUNT];
static const htp_operator *sorted_quantized[QUANTIZED_ROW_COUNT];
static const htp_operator *sorted_all[ROW_COUNT + COMPLEX_ROW_COUNT + QUANTIZED_ROW_COUNT];
static table real_table = {sorted, 0};
static table complex_table = {sorted_complex, 0};
static table quantized_table = {sorted_quantized, 0};
static table all = {sorted_all, 0}; /* each name once */
static pthread_once_t sorting = PTHREAD_ONCE_INIT;

static int compare_rows(const void *a, const void *b)
{
    const htp_operator *const *left = a;
    const htp_operator *const *right = b;
    return strcmp((*left)->kind, (*right)->kind);
}

static void add_rows(table *t, const htp_operator *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        t->rows[t->count++] = &from[i];
    }
    qsort(t->rows, t->count, sizeof(t->rows[0]), compare_rows);
}

static void keep_one_of_each(table *t)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->count; i++) {
        if (kept == 0 || compare_rows(&t->rows[kept - 1], &t->rows[i]) != 0) {
            t->rows[kept++] = t->rows[i];
        }
    }
    t->count = kept;
}

static void sort_rows(void)
{
    add_rows(&real_table, rows, ROW_COUNT);
    add_rows(&complex_table, complex_rows, COMPLEX_ROW_COUNT);
    add_rows(&quantized_table, quantized_rows, QUANTIZED_ROW_COUNT);
    add_rows(&all, rows, ROW_COUNT);
    add_rows(&all, complex_rows, COMPLEX_ROW_COUNT);
    add_rows(&all, quantized_rows, QUANTIZED_ROW_COUNT);
    keep_one_of_each(&all);
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

const htp_operator *htp_table_find_quantized(const char *kind)
{
    return find(&quantized_table, kind);
}

size_t htp_table_count(void)
{
    pthread_once(&sorting, sort_rows);
    return all.count;
}

const char *htp_table_name(size_t index)
{
    pthread_once(&sorting, sort_rows);
    return index < all.count ? sorted_all[index]->kind : NULL;
}
