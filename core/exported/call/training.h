/*
 * Norms in training mode, which update running statistics in place. Most of their schemas do not
 * declare it. Private to core/exported.
 */
#ifndef HTP_EXPORTED_TRAINING_H
#define HTP_EXPORTED_TRAINING_H

#include "exported/call/tape.h"

/** Notes what a norm in training mode does to memory: two more outputs of its node, behind those of
 * its schema, are the updated running mean and variance (core/lower/nn knows them).
 * @param made  the node in the trace
 * @return false where the node is none of those that may update statistics in place */
bool htp_training_note(htp_tape *r, const htp_exported_node *node, uint32_t made);

#endif
