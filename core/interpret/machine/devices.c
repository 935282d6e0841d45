#include "interpret/machine/devices.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { SHOWN_BYTES = 60 };

static htp_operand operand_of(const char *text)
{
    return (htp_operand){.kind = HTP_OPERAND_DEVICE, .as.text = text, .bytes = strlen(text)};
}

const char *htp_devices_home(const htp_devices *devices)
{
    return devices->home ? devices->home : HTP_DEVICE_CPU;
}

const char *htp_devices_of_record(const htp_devices *devices, const char *record)
{
    uint32_t number = 0;
    bool is_told = devices->records && record && htp_map_get(devices->records, record, &number) &&
                   devices->locations[number];
    bool is_home = is_told && strcmp(devices->locations[number], htp_devices_home(devices)) == 0;
    return is_told && !is_home ? devices->locations[number] : NULL;
}

bool htp_devices_are_several(const htp_devices *devices)
{
    bool are_several = false;
    for (size_t i = 0; devices->records && i < devices->records->count && !are_several; i++) {
        are_several =
            devices->locations[i] && strcmp(devices->locations[i], htp_devices_home(devices)) != 0;
    }
    return are_several;
}

/* ---- names that libtorch has none for ---- */

/* "NEW:0" for "OLD:0"; other texts unchanged. */
static htp_operand with_type(htp_arena *arena, const char *text, size_t bytes, const char *old,
                             const char *new)
{
    const size_t length = strlen(old);
    bool is_old = bytes >= length && memcmp(text, old, length) == 0 &&
                  (bytes == length || text[length] == ':');
    return is_old ? operand_of(htp_arena_printf(arena, "%s%.*s", new, (int)(bytes - length),
                                                text + length))
                  : (htp_operand){.kind = HTP_OPERAND_DEVICE, .as.text = text, .bytes = bytes};
}

htp_operand htp_devices_read(const htp_devices *devices, htp_arena *arena, const char *text,
                             size_t bytes)
{
    return with_type(arena, text, bytes, HTP_DEVICE_ALIAS,
                     devices->renamed ? devices->renamed : HTP_DEVICE_ALIAS);
}

htp_operand htp_devices_write(const htp_devices *devices, htp_arena *arena,
                              const htp_operand *device)
{
    return with_type(arena, device->as.text, device->bytes,
                     devices->renamed ? devices->renamed : HTP_DEVICE_ALIAS, HTP_DEVICE_ALIAS);
}

/* The meta device stays. */
htp_operand htp_devices_for_kernels(const htp_operand *device)
{
    return htp_devices_is_of_type(device->as.text, "meta") ? *device : operand_of(HTP_DEVICE_CPU);
}

/* ---- devices that are made ---- */

static const char *shown(htp_arena *arena, const htp_operand *name)
{
    int count = name->bytes < SHOWN_BYTES ? (int)name->bytes : SHOWN_BYTES;
    char *text =
        htp_arena_printf(arena, "%*s%s", count, "", name->bytes > SHOWN_BYTES ? "..." : "");
    for (int i = 0; i < count; i++) {
        text[i] = iscntrl((unsigned char)name->as.text[i]) ? '?' : name->as.text[i];
    }
    return text;
}

static bool is_known(const htp_devices *devices, const char *type)
{
    return htp_device_origin_of(type) != HTP_DEVICE_OF_NOBODY ||
           (devices->types && htp_map_get(devices->types, type, NULL));
}

bool htp_devices_make(const htp_devices *devices, htp_arena *arena, const htp_operand *name,
                      const htp_operand *index, htp_operand *device, const char **reason)
{
    htp_device read;
    bool is_index_told = index && index->kind == HTP_OPERAND_INT && index->as.i != -1;
    if (!htp_device_read(name->as.text, name->bytes, &read)) {
        *reason = htp_arena_printf(arena, "\"%s\" is no device: it is neither TYPE nor TYPE:INDEX",
                                   shown(arena, name));
        return false;
    }
    if (!is_known(devices, read.type)) {
        *reason = htp_arena_printf(arena,
                                   "\"%s\" is no device of PyTorch, and no tensor of the file "
                                   "was saved on it",
                                   shown(arena, name));
        return false;
    }
    if (is_index_told &&
        (read.index >= 0 || index->as.i < 0 || index->as.i > HTP_DEVICE_INDEX_LIMIT)) {
        *reason = htp_arena_printf(arena, "\"%s\" is no device with the index %" PRId64,
                                   shown(arena, name), index->as.i);
        return false;
    }
    *device =
        operand_of(is_index_told ? htp_arena_printf(arena, "%s:%" PRId64, read.type, index->as.i)
                                 : htp_arena_copy(arena, name->as.text, name->bytes));
    return true;
}

/* ---- queries ---- */

bool htp_devices_is_of_type(const char *device, const char *type)
{
    const size_t length = strlen(type);
    return strncmp(device, type, length) == 0 && (device[length] == '\0' || device[length] == ':');
}

/* "cuda" of "prim::is_cuda"; NULL if the query is not about the device. */
static const char *type_asked_for(const char *query)
{
    static const char prefix[] = "prim::is_";
    static const char *const types[] = {"cpu",  "cuda", "ipu",    "maia", "meta", "mps",
                                        "mtia", "ort",  "vulkan", "xla",  "xpu"};
    const char *asked = query + sizeof(prefix) - 1;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (strncmp(query, prefix, sizeof(prefix) - 1) == 0 && strcmp(asked, types[i]) == 0) {
            return types[i];
        }
    }
    return NULL;
}

bool htp_devices_answer(htp_arena *arena, const char *query, const char *device,
                        htp_operand *answer)
{
    htp_device read = {.index = -1};
    const char *type = type_asked_for(query);
    (void)htp_device_read(device, strlen(device), &read);
    if (type) {
        *answer = (htp_operand){.kind = HTP_OPERAND_BOOL, .as.b = strcmp(read.type, type) == 0};
    } else if (strcmp(query, "prim::device") == 0) {
        *answer = operand_of(device);
    } else if (strcmp(query, "aten::get_device") == 0) {
        *answer = (htp_operand){.kind = HTP_OPERAND_INT, .as.i = read.index};
    } else if (strcmp(query, "prim::type") == 0) {
        *answer = (htp_operand){.kind = HTP_OPERAND_STRING,
                                .as.text = htp_arena_strdup(arena, read.type),
                                .bytes = strlen(read.type)};
    } else if (strcmp(query, "prim::index") == 0) {
        *answer = read.index < 0 ? (htp_operand){.kind = HTP_OPERAND_NONE}
                                 : (htp_operand){.kind = HTP_OPERAND_INT, .as.i = read.index};
    } else {
        return false;
    }
    return true;
}
