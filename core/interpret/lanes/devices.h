/*
 * Devices of tensors, as the program sees them (machine/devices.h).
 */
#ifndef HTP_INTERPRET_LANES_DEVICES_H
#define HTP_INTERPRET_LANES_DEVICES_H

#include "interpret/lanes/call.h"

/** The device of a tensor. */
const char *htp_item_device(const htp_machine *m, const htp_item *item);

/** Puts a tensor onto a device. */
void htp_item_place(const htp_machine *m, htp_item *tensor, const char *device);

/** Adds the device of another value to a tensor that stands for several; if they differ, its device
 * is unknown. */
void htp_item_join_device(const htp_machine *m, htp_item *tensor, const htp_item *other);

/** Sets the devices of a call's outputs. */
void htp_call_place(const htp_machine *m, const htp_call *call, htp_items *outputs);

/**
 * Makes aten::to copy a tensor that it moves, or may move, to another device.
 * @return whether the output may still be the tensor itself
 */
bool htp_call_note_move(htp_machine *m, htp_call *call);

#endif
