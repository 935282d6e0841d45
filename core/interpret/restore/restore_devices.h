/*
 * Devices in what restores an object. Private to the files that are called restore.
 */
#ifndef HTP_INTERPRET_RESTORE_RESTORE_DEVICES_H
#define HTP_INTERPRET_RESTORE_RESTORE_DEVICES_H

#include "interpret/restore/restore.h"

/** Answers queries about devices. @param is_done  it is such a query */
htp_outcome htp_restore_device(htp_follower *f, htp_restore_step *step, bool *is_done);

/** Makes an operator copy what it moves, and notes what it leaves elsewhere than at home. Refuses
 * to change what may be in the memory of another tensor. */
htp_outcome htp_restore_note_devices(htp_follower *f, htp_restore_step *step,
                                     const htp_program_schema *schema);

/** Puts the CPU in the place of devices that a node is given; or, where it keeps them, what
 * libtorch can parse. */
void htp_restore_hide_devices(htp_follower *f, const htp_restore_step *step, bool are_kept);

/** Gives devices that come out of libtorch their names. */
void htp_restore_show_devices(htp_follower *f, htp_restore_step *step);

#endif
