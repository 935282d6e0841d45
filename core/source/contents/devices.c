#include "source/contents/devices.h"

#include <string.h>

static htp_status refuse_two(const char *path, const char *record, const htp_archive *archive,
                             const char *type)
{
    return htp_status_make(HTP_CODE_UNSUPPORTED,
                           "%s: %s: devices of two backends, %s and %s, are in one file", path,
                           record, archive->devices.renamed, type);
}

static const char *text_of(htp_arena *arena, const char *type, int32_t index)
{
    return index < 0 ? htp_arena_strdup(arena, type)
                     : htp_arena_printf(arena, "%s:%d", type, (int)index);
}

const char *htp_devices_alias(htp_arena *arena, htp_archive *archive, const char *record,
                              const htp_device *device)
{
    htp_archive_devices *devices = &archive->devices;
    if (!devices->renamed) {
        devices->renamed = htp_arena_strdup(arena, device->type);
        devices->renamed_in = htp_arena_strdup(arena, record);
    }
    return strcmp(devices->renamed, device->type) == 0
               ? text_of(arena, HTP_DEVICE_ALIAS, device->index)
               : NULL;
}

void htp_devices_take_type(htp_arena *arena, htp_archive *archive, const htp_device *device)
{
    if (!archive->devices.other_type &&
        htp_device_origin_of(device->type) != HTP_DEVICE_OF_LIBTORCH) {
        archive->devices.other_type = htp_arena_strdup(arena, device->type);
    }
}

/* The first device other than the CPU takes precedence. */
static void take_hint(const char **hint, const char *device)
{
    if (!*hint || strcmp(*hint, HTP_DEVICE_CPU) == 0) {
        *hint = device;
    }
}

/* ---- pickles ---- */

/* The slot of a storage's location; NULL if no record holds the storage. */
static const char **location_of(htp_arena *arena, htp_archive *archive, const htp_pickle *pickle,
                                const htp_pickle_device *device)
{
    const char *name =
        htp_arena_printf(&archive->scratch, "%s%.*s", pickle->storages, (int)device->key_bytes,
                         (const char *)pickle->bytes + device->key);
    uint32_t index = 0;
    if (!htp_map_get(&archive->by_name, name, &index)) {
        return NULL;
    }
    if (!archive->devices.locations) {
        archive->devices.locations = HTP_NEW_ARRAY(arena, const char *, archive->record_count);
    }
    return &archive->devices.locations[index];
}

static void take_type(htp_arena *arena, htp_archive_devices *devices, const char *type)
{
    if (!htp_map_get(&devices->types, type, NULL)) {
        htp_map_set(arena, &devices->types, htp_arena_strdup(arena, type), 0);
    }
}

/* Texts that are not devices, and tensors saved without contents, do not count. */
static void take_storage(htp_arena *arena, htp_archive *archive, const htp_pickle *pickle,
                         const htp_pickle_device *recorded, const char **hint)
{
    htp_device device;
    char text[HTP_DEVICE_TYPE_LIMIT + 16];
    if (!htp_device_read((const char *)pickle->bytes + recorded->text, recorded->text_bytes,
                         &device) ||
        strcmp(device.type, "meta") == 0) {
        return;
    }
    const char *location = htp_device_of_tensor(&device, text);
    const char **place = location_of(arena, archive, pickle, recorded);
    bool is_known = *hint && strcmp(*hint, location) == 0; /* few devices occur often */
    location = is_known ? *hint : htp_arena_strdup(arena, location);
    take_hint(hint, location);
    take_type(arena, &archive->devices, device.type);
    htp_devices_take_type(arena, archive, &device);
    if (place) {
        *place = location;
    }
}

/* A device object. */
static htp_status take_object(htp_arena *arena, htp_archive *archive, const htp_pickle *pickle,
                              const htp_pickle_device *recorded, const char **text)
{
    htp_archive_devices *devices = &archive->devices;
    htp_device device;
    char on[HTP_DEVICE_TYPE_LIMIT + 16];
    *text = NULL;
    if (!htp_device_read((const char *)pickle->bytes + recorded->text, recorded->text_bytes,
                         &device)) {
        return HTP_OK; /* the check of the pickle refuses it */
    }
    if (!htp_device_is_cpu(&device)) {
        take_hint(&devices->of_others, htp_arena_strdup(arena, htp_device_of_tensor(&device, on)));
    }
    devices->has_alias = devices->has_alias || strcmp(device.type, HTP_DEVICE_ALIAS) == 0;
    if (htp_device_origin_of(device.type) == HTP_DEVICE_OF_LIBTORCH) {
        return HTP_OK;
    }
    *text = htp_devices_alias(arena, archive, pickle->name, &device);
    return *text ? HTP_OK : refuse_two(pickle->path, pickle->name, archive, device.type);
}

static bool is_cpu(const htp_pickle *pickle, const htp_pickle_device *recorded)
{
    return recorded->text_bytes == strlen(HTP_DEVICE_CPU) &&
           memcmp(pickle->bytes + recorded->text, HTP_DEVICE_CPU, recorded->text_bytes) == 0;
}

htp_status htp_devices_take_pickle(htp_arena *arena, htp_archive *archive, const htp_pickle *pickle,
                                   const htp_pickle_contents *contents, bool are_weights)
{
    htp_archive_devices *devices = &archive->devices;
    const char **hint = are_weights ? &devices->of_weights : &devices->of_others;
    const char **texts = HTP_NEW_ARRAY(&archive->scratch, const char *, contents->devices.count);
    for (size_t i = 0; i < contents->devices.count; i++) {
        const htp_pickle_device *recorded = &contents->devices.items[i];
        if (recorded->is_storage) {
            take_storage(arena, archive, pickle, recorded, hint);
            texts[i] = is_cpu(pickle, recorded) ? NULL : HTP_DEVICE_CPU;
        } else {
            HTP_TRY(take_object(arena, archive, pickle, recorded, &texts[i]));
        }
    }
    const unsigned char *bytes = NULL;
    uint32_t count = 0;
    HTP_TRY(htp_pickle_rename_devices(arena, pickle, contents, texts, &bytes, &count));
    if (bytes) {
        const htp_archive_given given = {pickle->record->name, bytes, count};
        HTP_PUSH(arena, &archive->given, given);
    }
    return HTP_OK;
}

/* ---- all of them ---- */

htp_status htp_devices_check(const char *path, const htp_archive *archive)
{
    const htp_archive_devices *devices = &archive->devices;
    if (!devices->renamed) {
        return HTP_OK;
    }
    if (devices->has_alias) {
        return refuse_two(path, devices->renamed_in, archive, HTP_DEVICE_ALIAS);
    }
    if (htp_device_origin_of(devices->renamed) == HTP_DEVICE_OF_NOBODY &&
        !htp_map_get(&devices->types, devices->renamed, NULL)) {
        return htp_status_make(
            HTP_CODE_BAD_INPUT,
            "%s: %s: a device of type \"%s\", which PyTorch does not know, and no "
            "tensor of the file was saved on; save the model on the CPU",
            path, devices->renamed_in, devices->renamed);
    }
    return HTP_OK;
}

htp_devices htp_devices_of(const htp_archive *archive)
{
    const htp_archive_devices *devices = &archive->devices;
    const char *home = devices->of_weights ? devices->of_weights : devices->of_others;
    bool has_home = devices->of_weights || (home && strcmp(home, HTP_DEVICE_CPU) != 0);
    return (htp_devices){.home = has_home ? home : devices->of_code,
                         .renamed = devices->renamed ? devices->renamed : devices->other_type,
                         .types = &devices->types,
                         .records = devices->locations ? &archive->by_name : NULL,
                         .locations = devices->locations};
}
