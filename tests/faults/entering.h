/*
 * A host of the library that enters its sandbox.
 */
#ifndef TESTS_FAULTS_ENTERING_H
#define TESTS_FAULTS_ENTERING_H

/** Enters it for models, and an output in the folder "out". @return the code of the status, whose
 * message is printed */
int htp_entering_run(int count, char **models);

#endif
