/*
 * Devices in an archive: where it was saved, and replacements for device names that libtorch does
 * not know. Private to core/source.
 *
 * Storages are read onto the CPU, whatever their device was. The name of a device object, or of a
 * device in code, is kept, since programs compare them. A name that libtorch does not know, of a
 * renamed backend, becomes HTP_DEVICE_ALIAS for libtorch, and the interpreter restores it
 * (interpret/machine/devices.h).
 *
 * The archive was saved on the device of its weights: the first one in data.pkl that is not the
 * CPU, else the CPU. Without weights, other tensors decide, then devices in attributes, then
 * devices on which the code makes tensors; else the CPU.
 */
#ifndef HTP_SOURCE_DEVICES_H
#define HTP_SOURCE_DEVICES_H

#include "source/archive/archive.h"
#include "source/code/code_syntax.h"
#include "source/pickle/pickle.h"

/**
 * Notes the devices in a checked pickle.
 * @param arena        for results
 * @param are_weights  it holds the weights
 */
HTP_MUST_USE htp_status htp_devices_take_pickle(htp_arena *arena, htp_archive *archive,
                                                const htp_pickle *pickle,
                                                const htp_pickle_contents *contents,
                                                bool are_weights);

/** The same for code with checked values. Refuses with HTP_CODE_BAD_INPUT a declared value that is
 * no device. @param record  the code's record; must stay valid */
HTP_MUST_USE htp_status htp_devices_take_code(htp_arena *arena, htp_archive *archive,
                                              const char *record, const htp_syntax_module *module);

/** Checks them all, when everything was read. Refuses with HTP_CODE_BAD_INPUT a device that nobody
 * knows, and no tensor was saved on. */
HTP_MUST_USE htp_status htp_devices_check(const char *path, const htp_archive *archive);

/** Notes another name for HTP_DEVICE_ALIAS. @return the device's text with the alias; NULL if that
 * has another meaning already */
const char *htp_devices_alias(htp_arena *arena, htp_archive *archive, const char *record,
                              const htp_device *device);

/** Notes a device type that not every libtorch has, which a restored object may keep. */
void htp_devices_take_type(htp_arena *arena, htp_archive *archive, const htp_device *device);

/** The facts for the interpreter; points into the archive. */
htp_devices htp_devices_of(const htp_archive *archive);

#endif
