/*
 * The cost of the tuples in an archive's code for libtorch's compiler. Private to core/source.
 *
 * Its alias analysis goes through the elements of a tuple's type twice at each level, and through
 * what a tuple shares as often as it is there: `t = (t, t)`, thirty times, takes it hours. What
 * loops over tuples is compiled once for each element. Costs are visits of types.
 */
#ifndef HTP_SOURCE_CODE_TUPLES_H
#define HTP_SOURCE_CODE_TUPLES_H

#include "source/code/code_syntax.h"

/** The cost of anything but a tuple. */
#define HTP_TUPLES_PLAIN 1.0

/** That of a tuple whose elements cost @p elements together. */
static inline double htp_tuples_cost(double elements)
{
    return 1 + 2 * elements;
}

/**
 * Checks all code of an archive: named tuples may lie anywhere. Takes time with its bytes.
 * @param path      of the model, for messages.
 * @param constant  the cost of the costliest constant that the code may take (constants.pkl).
 *
 * Refuses with HTP_CODE_BAD_INPUT what would keep the compiler busy, with the place.
 */
HTP_MUST_USE htp_status htp_tuples_check(htp_arena *arena, const char *path,
                                         const htp_syntax_module *modules, size_t count,
                                         double constant);

#endif
