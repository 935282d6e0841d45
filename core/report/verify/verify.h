/*
 * Where two models part, as text, as JSON, and for the page.
 */
#ifndef HTP_REPORT_VERIFY_H
#define HTP_REPORT_VERIFY_H

#include "base/json/json.h"
#include "verify/verify.h"

/** As text: what ran, the module tree down to @p depth levels (all where it is negative), and the
 * modules that add error beyond the tolerance. Ends with a newline. */
const char *htp_report_verification(htp_arena *arena, const htp_verification *verification,
                                    int depth);

/** As one JSON object, with all modules. null stands for unknown, "inf" for infinity. */
const char *htp_report_verification_json(htp_arena *arena, const htp_verification *verification);

/** The document of a page (report/page/page.h): one JSON object. */
void htp_report_verification_page(htp_json *json, const htp_verification *verification);

#endif
