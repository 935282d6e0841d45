/*
 * Devices of a program's tensors, as far as it asks.
 *
 * An export has no device: kernels are given the CPU in the place of each. A program that asks gets
 * the answers of the place where its file was saved: inputs and weights are on the archive's device
 * (home), and results are where libtorch puts them: on a named device, else on the operands'
 * device, else on the CPU.
 */
#ifndef HTP_INTERPRET_MACHINE_DEVICES_H
#define HTP_INTERPRET_MACHINE_DEVICES_H

#include "base/arena.h"
#include "base/device.h"
#include "base/map.h"

#include <htp/runner.h>

/** That of a tensor which is on several, as the data decides. */
#define HTP_DEVICE_UNDECIDED ""

/** The devices in the archive. All zeroes: everything is on the CPU. */
typedef struct htp_devices {
    const char *home;       /**< "cuda:0"; NULL: the CPU */
    const char *renamed;    /**< a type that HTP_DEVICE_ALIAS stands for; NULL */
    const htp_map *types;   /**< of devices that tensors of the file are on; NULL */
    const htp_map *records; /**< their numbers, by name; NULL */
    const char **locations; /**< by record: where its tensor is; NULL: at home */
} htp_devices;

/** Where inputs and weights are. */
const char *htp_devices_home(const htp_devices *devices);

/** Where a tensor of the archive is, by its record (htp_tensor_view); NULL: where inputs are. */
const char *htp_devices_of_record(const htp_devices *devices, const char *record);

/** Whether tensors of the archive are elsewhere than inputs. */
bool htp_devices_are_several(const htp_devices *devices);

/** A device as libtorch hands it out, as the program has it: in @p arena, or @p text itself. */
htp_operand htp_devices_read(const htp_devices *devices, htp_arena *arena, const char *text,
                             size_t bytes);

/** The same the other way: as libtorch can parse it. */
htp_operand htp_devices_write(const htp_devices *devices, htp_arena *arena,
                              const htp_operand *device);

/** The device that kernels are given in the place of one. */
htp_operand htp_devices_for_kernels(const htp_operand *device);

/**
 * The device of torch.device(name) and torch.device(name, index).
 * @param index   NULL: in the name, if any
 * @param reason  receives why it is invalid
 */
bool htp_devices_make(const htp_devices *devices, htp_arena *arena, const htp_operand *name,
                      const htp_operand *index, htp_operand *device, const char **reason);

/** A query about a device. */
bool htp_devices_is_of_type(const char *device, const char *type);

/** A query about a tensor that is on @p device: "prim::is_cuda", "aten::get_device",
 * "prim::device"; or about a device: "prim::type", "prim::index". @return false: it is none */
bool htp_devices_answer(htp_arena *arena, const char *query, const char *device,
                        htp_operand *answer);

#endif
