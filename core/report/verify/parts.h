/*
 * What the outputs of a verification have in common. Private to core/report/verify.
 */
#ifndef HTP_REPORT_VERIFY_PARTS_H
#define HTP_REPORT_VERIFY_PARTS_H

#include "base/json/json.h"
#include "report/verify/verify.h"

/** The first model, whose modules and nodes are told. */
const htp_view *htp_verified_view(const htp_verification *v);
const htp_tree *htp_verified_tree(const htp_verification *v);

/** Where a node was written, "FILE:LINE"; NULL: not known. */
const char *htp_verified_place(htp_arena *arena, const htp_verification *v, uint32_t node);

/** A number; "inf" for infinity. */
void htp_verified_number(htp_json *json, const char *key, double number);

/** A difference; null where it is not known. */
void htp_verified_difference(htp_json *json, const char *key, const htp_difference_of *difference);

/** The operator of a module that adds most; null where none does. */
void htp_verified_worst(htp_json *json, const htp_verification *v,
                        const htp_verify_operator *worst);

/** The name of the tensor that tells the first module; NULL: its own error does, or there is
 * none. */
const char *htp_verified_first_tensor(const htp_verification *v);

/** What is not compared: how many tensors for each reason, and the first of them. Nothing where all
 * are. */
void htp_verified_uncompared_text(htp_text *text, const htp_verification *v);

/** Likewise, all of them: "not_compared". */
void htp_verified_uncompared_json(htp_json *json, const htp_verification *v);

/** Lists whose counterparts have another length. Nothing where none has. */
void htp_verified_lengths_text(htp_text *text, const htp_verification *v);

/** Likewise: "lists_of_another_length". */
void htp_verified_lengths_json(htp_json *json, const htp_verification *v);

/** The members of an object that describe the run: models, sizes, counts, the first module. */
void htp_verified_summary(htp_json *json, const htp_verification *v);

#endif
