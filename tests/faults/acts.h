/*
 * What happens to a run of the program with faults on purpose, at a place or after a time: a
 * signal, or another process that changes one of its inputs.
 */
#ifndef TESTS_FAULTS_ACTS_H
#define TESTS_FAULTS_ACTS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Takes the order of an act:
 *
 *   at:PLACE:ACTION          right before the call with that number
 *   after:MICROSECONDS:ACTION
 *
 * ACTION is signal:NUMBER; cut:FILE, to half of its size; grow:FILE, by 4096 bytes; or touch:FILE,
 * which writes one of its bytes once more. The file is opened now. @return false if it is no such
 * order, or cannot be carried out
 */
bool htp_acts_take(const char *order);

/** Acts if this is the place. */
void htp_acts_before(uint64_t place);

/** In a process that was just forked: the time goes on for it, too. */
void htp_acts_forked(void);

#endif
