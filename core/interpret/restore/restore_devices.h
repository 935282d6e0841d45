/*
 * Devices in __setstate__ methods. Private to core/interpret/restore.
 */
#ifndef HTP_INTERPRET_RESTORE_RESTORE_DEVICES_H
#define HTP_INTERPRET_RESTORE_RESTORE_DEVICES_H

#include "interpret/restore/restore.h"

/** Answers queries about devices. @param is_done  receives whether it is such a query */
htp_outcome htp_restore_device(htp_follower *f, htp_restore_step *step, bool *is_done);

/** Makes an operator copy the tensor that it moves, and records results away from home. Refuses to
 * change a tensor that may share another one's memory. */
htp_outcome htp_restore_note_devices(htp_follower *f, htp_restore_step *step,
                                     const htp_program_schema *schema);

/** Replaces a node's devices by the CPU; or, if it stores them, by names that libtorch can
 * parse. */
void htp_restore_hide_devices(htp_follower *f, const htp_restore_step *step, bool are_kept);

/** Translates devices that libtorch returns to the program's names. */
void htp_restore_show_devices(htp_follower *f, htp_restore_step *step);

#endif
