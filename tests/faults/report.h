/*
 * What the faults of a run did: a line for each, "PLACE WHAT ADDRESS...", in a file that all its
 * processes append to. So a fault that was ordered and never came is seen.
 */
#ifndef TESTS_FAULTS_REPORT_H
#define TESTS_FAULTS_REPORT_H

#include "callers.h"

/** Opens the file, before the program gives up the right to. */
bool htp_report_open(const char *path);

/** Adds a line. @param what  a call, or what was done. @param stack  NULL: no addresses. May be
 * called by signal handlers. */
void htp_report_add(uint64_t place, const char *what, const htp_callers *stack);

#endif
