/*
 * Names in names: tools that change a model call what they add after what it is for,
 * "/encoder/MatMul_quant" or "fused /encoder/MatMul".
 */
#ifndef HTP_QUERY_NAME_PARTS_H
#define HTP_QUERY_NAME_PARTS_H

#include "query/tree/tree.h"

/** Whether anything is called so. */
typedef bool htp_name_is_known(void *user, const char *name, size_t length);

/**
 * The longest part of a name that is known: at its beginning, or behind a space. It ends before
 * what is no part of words; before an underscore where it tells a scope. What has very many such
 * parts is no name that anybody made, and has none.
 * @return empty: there is none
 */
htp_slice htp_name_longest_part(const char *name, htp_name_is_known *is_known, void *user);

#endif
