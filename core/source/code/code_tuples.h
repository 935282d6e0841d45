/*
 * The cost of the tuples in an archive's code for libtorch's compiler. Private to core/source.
 *
 * Its alias analysis visits the elements of a tuple's type twice at each level, and shared parts
 * once per occurrence: thirty times `t = (t, t)` takes hours. Loops over tuples are compiled once
 * per element. Costs count visits of types.
 */
#ifndef HTP_SOURCE_CODE_TUPLES_H
#define HTP_SOURCE_CODE_TUPLES_H

#include "source/code/code_syntax.h"

/** The cost of anything but a tuple. */
#define HTP_TUPLES_PLAIN 1.0

/** The cost of a tuple whose elements cost @p elements together. */
static inline double htp_tuples_cost(double elements)
{
    return 1 + 2 * elements;
}

/**
 * Checks all code of an archive: named tuples may be in any record. Linear in its bytes.
 * @param path      of the model, for messages.
 * @param constant  the largest cost of a constant that the code may use (constants.pkl).
 *
 * Refuses with HTP_CODE_BAD_INPUT code that would stall the compiler, with the place.
 */
HTP_MUST_USE htp_status htp_tuples_check(htp_arena *arena, const char *path,
                                         const htp_syntax_module *modules, size_t count,
                                         double constant);

#endif
