/*
 * Devices as PyTorch writes them: "cpu", "cuda:0", "mps". An export has no devices: kernels always
 * get the CPU. The names matter to programs that ask where a tensor lies.
 */
#ifndef HTP_BASE_DEVICE_H
#define HTP_BASE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTP_DEVICE_CPU "cpu"

/** A substitute for a device name that this libtorch may not know: its shortest own one. */
#define HTP_DEVICE_ALIAS "ve"

enum { HTP_DEVICE_TYPE_LIMIT = 32, HTP_DEVICE_INDEX_LIMIT = 127 };

/** A parsed device. */
typedef struct htp_device {
    char type[HTP_DEVICE_TYPE_LIMIT + 1]; /**< "cuda" */
    int32_t index;                        /**< -1: none given */
} htp_device;

/** Who defines a device type. */
typedef enum htp_device_origin {
    HTP_DEVICE_OF_NOBODY,  /**< unknown: perhaps a renamed backend */
    HTP_DEVICE_OF_SOME,    /**< of some versions of libtorch, or of a known backend */
    HTP_DEVICE_OF_LIBTORCH /**< of every libtorch */
} htp_device_origin;

/** Reads "TYPE" or "TYPE:INDEX". @return false if it is neither, or the index is too large */
bool htp_device_read(const char *text, size_t bytes, htp_device *device);

/** Who defines the type of a device. */
htp_device_origin htp_device_origin_of(const char *type);

/** Whether a device is the CPU. */
bool htp_device_is_cpu(const htp_device *device);

/** The name of the device of a tensor created on @p device, written to @p text: accelerators have
 * an index, 0 by default; "cpu" and "meta" have none. */
const char *htp_device_of_tensor(const htp_device *device,
                                 char text[static HTP_DEVICE_TYPE_LIMIT + 16]);

#endif
