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
 *   at:PLACE:ACTION                   right before the call at that place
 *   after:PLACE:MICROSECONDS:ACTION   so long after the call at that place
 *
 * ACTION is signal:NUMBER; signals:NUMBER, twice in a row; cut:FILE, to half of its size;
 * grow:FILE, by 4096 bytes; touch:FILE, which writes one of its bytes once more; or
 * replace:FILE:OTHER, which renames OTHER to FILE. The file is opened now. The report of an act
 * tells what the process would do on the signal at that time: "default", "ignored" or "handled"; of
 * the others "changed". @return false if it is no such order, or cannot be carried out
 */
bool htp_acts_take(const char *order);

/** Acts if this is the place. */
void htp_acts_before(uint64_t place);

#endif
