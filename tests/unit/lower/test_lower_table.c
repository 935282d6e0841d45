#include "lower/driver/lower.h"
#include "lower/emit/table.h"
#include "unit.h"

#include <string.h>

UNIT_TEST(names_are_sorted_and_unique)
{
    ck_assert_uint_gt(htp_table_count(), 100);
    for (size_t i = 1; i < htp_table_count(); i++) {
        const char *before = htp_table_name(i - 1);
        const char *name = htp_table_name(i);
        ck_assert_msg(strcmp(before, name) < 0, "%s is not before %s", before, name);
    }
    ck_assert_ptr_null(htp_table_name(htp_table_count()));
}

UNIT_TEST(names_have_a_namespace)
{
    for (size_t i = 0; i < htp_table_count(); i++) {
        ck_assert_ptr_nonnull(strstr(htp_table_name(i), "::"));
    }
}

UNIT_TEST(every_row_is_found)
{
    for (size_t i = 0; i < htp_table_count(); i++) {
        const char *name = htp_table_name(i);
        const htp_operator *row = htp_table_find(name);
        row = row ? row : htp_table_find_complex(name);
        row = row ? row : htp_table_find_quantized(name);
        ck_assert_ptr_nonnull(row);
        ck_assert_str_eq(row->kind, htp_table_name(i));
        ck_assert(row->lower != NULL);
    }
}

UNIT_TEST(overloads_are_told_apart)
{
    ck_assert_ptr_nonnull(htp_table_find("aten::add.Tensor"));
    ck_assert_ptr_null(htp_table_find("aten::add.out"));
    ck_assert_ptr_null(htp_table_find("aten::nothing"));
    ck_assert_ptr_null(htp_table_find(""));
    ck_assert_ptr_null(htp_table_find("_"));
}

UNIT_MAIN("lower/table", names_are_sorted_and_unique, names_have_a_namespace, every_row_is_found,
          overloads_are_told_apart)
