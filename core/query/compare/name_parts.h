/*
 * Names within names: tools name the nodes that they add after existing ones,
 * "/encoder/MatMul_quant" or "fused /encoder/MatMul".
 */
#ifndef HTP_QUERY_NAME_PARTS_H
#define HTP_QUERY_NAME_PARTS_H

#include "query/tree/tree.h"

/** Whether something has this name. */
typedef bool htp_name_is_known(void *user, const char *name, size_t length);

/**
 * The longest known part of a name. It begins where the name does, or after a space. It ends before
 * a character that is not part of words or, if it has a scope, before an underscore. Names with
 * very many candidates are given up.
 * @return empty: none
 */
htp_slice htp_name_longest_part(const char *name, htp_name_is_known *is_known, void *user);

#endif
