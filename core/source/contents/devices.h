/*
 * Devices that an archive names: where it was saved, and what libtorch reads in the place of names
 * that it has no device for. Private to core/source.
 *
 * Storages may have been anywhere: their bytes are in the archive, and libtorch reads them as the
 * CPU's. Of a device that is an object, or declared by code, its name is kept: programs compare
 * them. libtorch knows its own names alone; another one, of a backend that renamed itself, becomes
 * HTP_DEVICE_ALIAS for it, and is given back its name by who reads the program
 * (interpret/machine/devices.h).
 *
 * The archive was saved where its weights are: on the first device of data.pkl that is not the CPU,
 * or there. Where it has no weights, other tensors, devices in attributes, and devices on which the
 * code makes tensors tell, in this order; where none does, the CPU.
 */
#ifndef HTP_SOURCE_DEVICES_H
#define HTP_SOURCE_DEVICES_H

#include "source/archive/archive.h"
#include "source/code/code_syntax.h"
#include "source/pickle/pickle.h"

/**
 * Takes down the devices that a pickle names, once it was checked.
 * @param arena        for what stays
 * @param are_weights  it holds the weights
 */
HTP_MUST_USE htp_status htp_devices_take_pickle(htp_arena *arena, htp_archive *archive,
                                                const htp_pickle *pickle,
                                                const htp_pickle_contents *contents,
                                                bool are_weights);

/** The same of code, once its values were checked. Refuses with HTP_CODE_BAD_INPUT a declared value
 * that is no device. @param record  that it is in; stays */
HTP_MUST_USE htp_status htp_devices_take_code(htp_arena *arena, htp_archive *archive,
                                              const char *record, const htp_syntax_module *module);

/** Checks them all, when everything was read. Refuses with HTP_CODE_BAD_INPUT a device that nobody
 * knows, and no tensor was saved on. */
HTP_MUST_USE htp_status htp_devices_check(const char *path, const htp_archive *archive);

/** Takes down another name for what HTP_DEVICE_ALIAS stands for. @return the device's text with it;
 * NULL where it stands for another one already */
const char *htp_devices_alias(htp_arena *arena, htp_archive *archive, const char *record,
                              const htp_device *device);

/** Takes down a type that not every libtorch has, which a restored object may keep. */
void htp_devices_take_type(htp_arena *arena, htp_archive *archive, const htp_device *device);

/** What follows the program needs to know of them; points into the archive. */
htp_devices htp_devices_of(const htp_archive *archive);

#endif
