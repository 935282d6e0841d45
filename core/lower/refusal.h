/*
 * Why there is no lowering for an operator. Private to core/lower.
 */
#ifndef HTP_LOWER_REFUSAL_H
#define HTP_LOWER_REFUSAL_H

/** The reason to give for an operator without a row in the table. @param kind  "aten::rand" */
const char *htp_refusal_reason(const char *kind);

#endif
