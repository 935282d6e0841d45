/*
 * Shared parts of loss functions. Private to core/lower.
 */
#ifndef HTP_LOWER_LOSS_H
#define HTP_LOWER_LOSS_H

#include "lower/compose/formula.h"

/** The argument reduction. */
enum { HTP_LOSS_NONE = 0, HTP_LOSS_MEAN = 1, HTP_LOSS_SUM = 2 };

/** Binds the output to losses, or to their mean or sum as the argument reduction says. */
void htp_loss_bind(const htp_formula *f, htp_tensor_id losses);

/** @p x times the argument weight, where there is one. */
htp_tensor_id htp_loss_weigh(const htp_formula *f, htp_tensor_id x);

#endif
