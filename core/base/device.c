#include "base/device.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static bool is_type_character(char c, bool is_first)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (!is_first && c >= '0' && c <= '9');
}

/* An index without leading zeroes. */
static bool read_index(const char *text, size_t bytes, int32_t *index)
{
    *index = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] < '0' || text[i] > '9' || (i > 0 && *index == 0)) {
            return false;
        }
        *index = *index * 10 + (text[i] - '0');
        if (*index > HTP_DEVICE_INDEX_LIMIT) {
            return false;
        }
    }
    return bytes > 0;
}

bool htp_device_read(const char *text, size_t bytes, htp_device *device)
{
    size_t length = 0;
    while (length < bytes && is_type_character(text[length], length == 0)) {
        length++;
    }
    if (length == 0 || length > HTP_DEVICE_TYPE_LIMIT) {
        return false;
    }
    memcpy(device->type, text, length);
    device->type[length] = '\0';
    device->index = -1;
    return length == bytes || (text[length] == ':' &&
                               read_index(text + length + 1, bytes - length - 1, &device->index));
}

htp_device_origin htp_device_origin_of(const char *type)
{
    /* Device types of all supported versions. */
    static const char *const of_libtorch[] = {
        "cpu", "cuda", "ipu", "xpu",  "mkldnn", "opengl", "opencl", "ideep", "hip",
        "ve",  "fpga", "xla", "lazy", "vulkan", "mps",    "meta",   "hpu",   "privateuseone",
    };
    /* Only some versions have ort, maia and mtia; others rename privateuseone. */
    static const char *const of_some[] = {
        "gcu", "jax", "maia",    "mlu",  "msnpu", "mtia",  "musa", "neuron", "npu",
        "ocl", "ort", "openreg", "rbln", "sdaa",  "spyre", "supa", "tpu",    "webgpu",
    };
    if (htp_text_is_one_of(type, of_libtorch, COUNT_OF(of_libtorch))) {
        return HTP_DEVICE_OF_LIBTORCH;
    }
    return htp_text_is_one_of(type, of_some, COUNT_OF(of_some)) ? HTP_DEVICE_OF_SOME
                                                                : HTP_DEVICE_OF_NOBODY;
}

bool htp_device_is_cpu(const htp_device *device)
{
    return strcmp(device->type, HTP_DEVICE_CPU) == 0;
}

const char *htp_device_of_tensor(const htp_device *device,
                                 char text[static HTP_DEVICE_TYPE_LIMIT + 16])
{
    bool has_index = !htp_device_is_cpu(device) && strcmp(device->type, "meta") != 0;
    if (has_index) {
        (void)snprintf(text, HTP_DEVICE_TYPE_LIMIT + 16, "%s:%d", device->type,
                       device->index < 0 ? 0 : (int)device->index);
    } else {
        (void)snprintf(text, HTP_DEVICE_TYPE_LIMIT + 16, "%s", device->type);
    }
    return text;
}
