/*
 * Norms in training mode, which update running statistics in place. Most of their schemas do not
 * declare it. Private to core/exported.
 */
#ifndef HTP_EXPORTED_TRAINING_H
#define HTP_EXPORTED_TRAINING_H

#include "exported/call/tape.h"

/** Notes the in-place changes of a norm in training mode: its node gets two more outputs after
 * those of its schema, the updated running mean and variance (core/lower/nn knows them).
 * @param made  the node in the trace
 * @return false if the node is not a norm that may update statistics */
bool htp_training_note(htp_tape *r, const htp_exported_node *node, uint32_t made);

#endif
