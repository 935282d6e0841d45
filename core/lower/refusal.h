/*
 * Why there is no lowering for an operator. Private to core/lower.
 */
#ifndef HTP_LOWER_REFUSAL_H
#define HTP_LOWER_REFUSAL_H

/** Why no exporter can write an operator, in place or not. @param kind  "aten::rand"
 * @return NULL where there is no such reason */
const char *htp_refusal_find(const char *kind);

/** The reason to give for an operator without a row in the table. @param kind  "aten::rand" */
const char *htp_refusal_reason(const char *kind);

#endif
