/*
 * Selectors of the modules that become ONNX functions.
 *
 * Selectors stand between commas; spaces around them do not count. One is
 *
 *   depth=2       the modules with a tag of their own that have so many above them; the root has
 *                 none, and depth=1 is what is right below it in the tree of tags
 *   an address    the modules that it names themselves, not those below them:
 * query/select/address.h
 *
 * %2C is a comma in a name. Only called modules become functions; the root never does, since its
 * body is the main graph. Each selector must choose at least one module.
 */
#ifndef HTP_FUNCTIONS_CHOOSE_H
#define HTP_FUNCTIONS_CHOOSE_H

#include "base/status.h"
#include "hierarchy/hierarchy.h"

/** Whether selectors can be read, whatever the model is. @return HTP_CODE_USAGE where not. */
HTP_MUST_USE htp_status htp_functions_check(const char *selectors);

/**
 * Chooses modules. Linear in the modules, for each selector.
 * @param calls      by module, as in a htp_trace
 * @param selectors  NULL or "": every called module outside torch.nn, perhaps none
 * @param is_chosen  by module; false before
 * @return HTP_CODE_USAGE for malformed selectors, and for one that matches nothing, nothing called,
 *         or the root alone.
 */
HTP_MUST_USE htp_status htp_functions_choose(htp_arena *arena, const htp_hierarchy *hierarchy,
                                             const htp_instance *modules, const uint32_t *calls,
                                             const char *selectors, bool *is_chosen);

#endif
