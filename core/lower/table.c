#include "lower/table.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const htp_operator rows[] = {
#define HTP_OPERATOR(kind, function, op) {kind, function, op},
#include "lower/operators.def"
#undef HTP_OPERATOR
};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

static const htp_operator *sorted[ROW_COUNT];
static pthread_once_t sorting = PTHREAD_ONCE_INIT;

static int compare_rows(const void *a, const void *b)
{
    const htp_operator *const *left = a;
    const htp_operator *const *right = b;
    return strcmp((*left)->kind, (*right)->kind);
}

static void sort_rows(void)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        sorted[i] = &rows[i];
    }
    qsort(sorted, ROW_COUNT, sizeof(sorted[0]), compare_rows);
}

static const htp_operator *find_exact(const char *kind)
{
    pthread_once(&sorting, sort_rows);
    const htp_operator wanted = {.kind = kind};
    const htp_operator *key = &wanted;
    const htp_operator *const *found =
        bsearch(&key, sorted, ROW_COUNT, sizeof(sorted[0]), compare_rows);
    return found ? *found : NULL;
}

const htp_operator *htp_table_find(const char *kind)
{
    const htp_operator *row = find_exact(kind);
    if (row) {
        return row;
    }
    const char *name_end = strchr(kind, '.');
    size_t length = name_end ? (size_t)(name_end - kind) : strlen(kind);
    char pure[128];
    if (length < 2 || kind[length - 1] != '_' || kind[length - 2] == '_' ||
        strlen(kind) >= sizeof(pure)) {
        return NULL;
    }
    memcpy(pure, kind, length - 1);
    memcpy(pure + length - 1, kind + length, strlen(kind + length) + 1);
    return find_exact(pure);
}

size_t htp_lower_operator_count(void)
{
    return ROW_COUNT;
}

const char *htp_lower_operator_name(size_t index)
{
    pthread_once(&sorting, sort_rows);
    return index < ROW_COUNT ? sorted[index]->kind : NULL;
}
