/*
 * Devices in an archive: where it was saved, and replacements for device names that libtorch does
 * not know. Private to core/source.
 *
 * Storages are read onto the CPU, whatever their device was. Names of device objects, and of
 * devices in code, are kept, since programs compare them. A name of a renamed backend, which
 * libtorch does not know, becomes HTP_DEVICE_ALIAS for libtorch, and the interpreter restores it
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

/** Notes the devices in code with checked values. Refuses with HTP_CODE_BAD_INPUT a declared value
 * that is not a device. @param record  the code's record; must stay valid */
HTP_MUST_USE htp_status htp_devices_take_code(htp_arena *arena, htp_archive *archive,
                                              const char *record, const htp_syntax_module *module);

/** Checks all noted devices once everything is read. Refuses with HTP_CODE_BAD_INPUT an unknown
 * device that no tensor was saved on. */
HTP_MUST_USE htp_status htp_devices_check(const char *path, const htp_archive *archive);

/** Notes a name that HTP_DEVICE_ALIAS stands for. @return the device's text with the alias; NULL if
 * the alias stands for another name already */
const char *htp_devices_alias(htp_arena *arena, htp_archive *archive, const char *record,
                              const htp_device *device);

/** Notes a device type that only some versions of libtorch have, and a restored object may keep. */
void htp_devices_take_type(htp_arena *arena, htp_archive *archive, const htp_device *device);

/** The facts for the interpreter; points into the archive. */
htp_devices htp_devices_of(const htp_archive *archive);

#endif
