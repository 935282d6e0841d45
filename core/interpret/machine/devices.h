/*
 * The devices that a program sees when it asks for them.
 *
 * An export has no device: kernels get the CPU in place of each. A program that asks gets the
 * answers from where its file was saved: inputs and weights are on the archive's device (home), and
 * results where libtorch puts them: on a named device, else on the operands' device, else on the
 * CPU.
 */
#ifndef HTP_INTERPRET_MACHINE_DEVICES_H
#define HTP_INTERPRET_MACHINE_DEVICES_H

#include "base/arena.h"
#include "base/device.h"
#include "base/map.h"

#include <htp/runner.h>

/** The device of a tensor that may be on several, depending on data. */
#define HTP_DEVICE_UNDECIDED ""

/** The devices in the archive. All zeros: everything is on the CPU. */
typedef struct htp_devices {
    const char *home;       /**< "cuda:0"; NULL: the CPU */
    const char *renamed;    /**< the type for which HTP_DEVICE_ALIAS stands; NULL */
    const htp_map *types;   /**< types of the devices of tensors in the file; NULL */
    const htp_map *records; /**< name of record -> its number; NULL */
    const char **locations; /**< by record: the device of its tensor; NULL: home */
} htp_devices;

/** The device of inputs and weights. */
const char *htp_devices_home(const htp_devices *devices);

/** The device of a tensor in the archive, by its record (htp_tensor_view); NULL: that of inputs. */
const char *htp_devices_of_record(const htp_devices *devices, const char *record);

/** Whether tensors in the archive are on other devices than inputs. */
bool htp_devices_are_several(const htp_devices *devices);

/** Translates a device from libtorch's name to the program's: in @p arena, or @p text itself. */
htp_operand htp_devices_read(const htp_devices *devices, htp_arena *arena, const char *text,
                             size_t bytes);

/** Translates a device back to a name that libtorch can parse. */
htp_operand htp_devices_write(const htp_devices *devices, htp_arena *arena,
                              const htp_operand *device);

/** The device that kernels get in place of @p device. */
htp_operand htp_devices_for_kernels(const htp_operand *device);

/**
 * The device of torch.device(name) and torch.device(name, index).
 * @param index   NULL: in the name, if any
 * @param reason  receives why it is invalid
 */
bool htp_devices_make(const htp_devices *devices, htp_arena *arena, const htp_operand *name,
                      const htp_operand *index, htp_operand *device, const char **reason);

/** Whether a device, "cuda:0", is of a type, "cuda". */
bool htp_devices_is_of_type(const char *device, const char *type);

/** A query about a tensor that is on @p device: "prim::is_cuda", "aten::get_device",
 * "prim::device"; or about a device: "prim::type", "prim::index". @return false if it is no such
 * query */
bool htp_devices_answer(htp_arena *arena, const char *query, const char *device,
                        htp_operand *answer);

#endif
