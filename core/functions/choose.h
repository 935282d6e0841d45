/*
 * Selectors of the modules that become ONNX functions.
 *
 * Commas separate selectors; spaces around them do not count. A selector is
 *
 *   depth=2       the modules with a tag of their own and so many such modules above them: the root
 *                 has depth 0, its children in the tree of tags have depth 1
 *   an address    the modules that it names, without those below them (query/select/address.h)
 *
 * %2C is a comma in a name. Only called modules become functions; the root never does, since its
 * body is the main graph. Each selector must choose at least one module.
 */
#ifndef HTP_FUNCTIONS_CHOOSE_H
#define HTP_FUNCTIONS_CHOOSE_H

#include "base/status.h"
#include "hierarchy/hierarchy.h"

/** Checks the syntax of selectors, for any model. @return HTP_CODE_USAGE for malformed ones */
HTP_MUST_USE htp_status htp_functions_check(const char *selectors);

/**
 * Chooses modules. Linear in the modules, for each selector.
 * @param calls      by module, as in a htp_trace
 * @param selectors  NULL or "": every called module outside torch.nn, perhaps none
 * @param is_chosen  by module: set for each chosen one; all false before
 * @return HTP_CODE_USAGE for malformed selectors, and for one that matches nothing, nothing called,
 *         or the root alone.
 */
HTP_MUST_USE htp_status htp_functions_choose(htp_arena *arena, const htp_hierarchy *hierarchy,
                                             const htp_instance *modules, const uint32_t *calls,
                                             const char *selectors, bool *is_chosen);

#endif
