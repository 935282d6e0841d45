/*
 * A host of the library with the default handling of the signals that writes raise.
 */
#ifndef TESTS_FAULTS_HOSTING_H
#define TESTS_FAULTS_HOSTING_H

/** The words: what it does, a model, and the output. @return the code of the status, whose message
 * is printed; HTP_HOSTING_CHANGED if signals are handled differently afterwards */
int htp_hosting_run(int count, char **words);

enum { HTP_HOSTING_CHANGED = 70 };

#endif
