/*
 * Devices in a pickle, and a copy of the pickle with other names. A text used repeatedly is stored
 * once, and may be a device in one place and a plain text in another.
 */
#include "source/pickle/pickle_machine.h"

#include <stdlib.h>
#include <string.h>

/* No longer plain text is also the device of a storage in files that PyTorch writes. */
enum { SHARED_LIMIT = 256 };

void htp_pickle_note_device(htp_pickle_machine *machine, const htp_pickle_value *text,
                            const htp_pickle_value *key)
{
    if (!machine->contents) {
        return;
    }
    htp_pickle_device device = {.is_storage = key != NULL,
                                .text = text->string.offset,
                                .text_bytes = text->string.bytes,
                                .opcode = text->node};
    if (key) {
        device.key = key->string.offset;
        device.key_bytes = key->string.bytes;
    }
    HTP_PUSH(machine->arena, &machine->contents->devices, device);
}

void htp_pickle_note_recall(htp_pickle_machine *machine, htp_pickle_value *value)
{
    if (value->kind != HTP_PICKLE_STRING) {
        return;
    }
    if (machine->contents) {
        const htp_pickle_recall recall = {machine->opcode, value->node, value->string.offset,
                                          value->string.bytes};
        HTP_PUSH(machine->arena, &machine->contents->recalls, recall);
    }
    value->node = machine->opcode;
}

/* ---- edits ---- */

/* Replaces the text that an opcode pushes. */
typedef struct edit {
    uint32_t opcode;
    uint32_t bytes; /* of the text */
    const char *text;
    bool is_other; /* differs from the old one */
} edit;

typedef struct editing {
    htp_arena *arena;
    const htp_pickle *pickle;
    HTP_VECTOR(edit) edits;
    htp_map by_opcode; /* index in edits */
} editing;

static htp_status damaged(const editing *e, uint32_t opcode, const char *problem)
{
    return htp_status_make(HTP_CODE_BAD_INPUT,
                           "%s: damaged archive: %s, byte %u: %s; save the model again",
                           e->pickle->path, e->pickle->name, opcode, problem);
}

static const edit *find_edit(const editing *e, uint32_t opcode)
{
    uint32_t index = 0;
    return htp_map_get_bytes(&e->by_opcode, &opcode, sizeof(opcode), &index)
               ? &e->edits.items[index]
               : NULL;
}

static void add_edit(editing *e, const edit *made)
{
    htp_map_set_bytes(e->arena, &e->by_opcode, &made->opcode, sizeof(made->opcode),
                      (uint32_t)e->edits.count);
    HTP_PUSH(e->arena, &e->edits, *made);
}

static htp_status rename_devices(editing *e, const htp_pickle_contents *contents,
                                 const char *const *texts)
{
    for (size_t i = 0; i < contents->devices.count; i++) {
        const htp_pickle_device *device = &contents->devices.items[i];
        const char *old = (const char *)e->pickle->bytes + device->text;
        edit made = {device->opcode, device->text_bytes, old, texts[i] != NULL};
        if (texts[i]) {
            made.text = texts[i];
            made.bytes = (uint32_t)strlen(texts[i]);
        }
        const edit *known = find_edit(e, device->opcode);
        if (known &&
            (known->bytes != made.bytes || memcmp(known->text, made.text, made.bytes) != 0)) {
            return damaged(e, device->opcode, "one text is two devices");
        }
        if (!known) {
            add_edit(e, &made);
        }
    }
    return HTP_OK;
}

/* Plain texts read from the memo must stay. */
static htp_status keep_texts(editing *e, const htp_pickle_contents *contents)
{
    for (size_t i = 0; i < contents->recalls.count; i++) {
        const htp_pickle_recall *recall = &contents->recalls.items[i];
        const edit *first = find_edit(e, recall->first);
        if (!first || !first->is_other || find_edit(e, recall->opcode)) {
            continue;
        }
        if (recall->text_bytes > SHARED_LIMIT) {
            return damaged(e, recall->opcode, "a long text is where a storage was, too");
        }
        const edit made = {recall->opcode, recall->text_bytes,
                           (const char *)e->pickle->bytes + recall->text, false};
        add_edit(e, &made);
    }
    return HTP_OK;
}

/* ---- the new pickle ---- */

static int compare_edits(const void *a, const void *b)
{
    uint32_t left = ((const edit *)a)->opcode;
    uint32_t right = ((const edit *)b)->opcode;
    return (left > right) - (left < right);
}

static uint32_t little_endian(const unsigned char *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* The length of an opcode that pushes a text. */
static uint32_t extent_of(const unsigned char *opcode)
{
    switch (*opcode) {
    case 'X':
        return 5 + little_endian(opcode + 1);
    case 'h':
        return 2;
    default: /* 'j' */
        return 5;
    }
}

static unsigned char *write_text(unsigned char *at, const edit *made)
{
    *at++ = 'X';
    for (uint32_t shift = 0; shift < 32; shift += 8) {
        *at++ = (unsigned char)(made->bytes >> shift);
    }
    memcpy(at, made->text, made->bytes);
    return at + made->bytes;
}

static const unsigned char *apply(const editing *e, uint32_t *count)
{
    const htp_pickle *pickle = e->pickle;
    uint64_t most = pickle->count;
    for (size_t i = 0; i < e->edits.count; i++) {
        most += 5 + (uint64_t)e->edits.items[i].bytes;
    }
    unsigned char *made = most > UINT32_MAX ? NULL : htp_arena_alloc(e->arena, (size_t)most);
    unsigned char *at = made;
    uint32_t from = 0;
    for (size_t i = 0; made && i < e->edits.count; i++) {
        const edit *next = &e->edits.items[i];
        memcpy(at, pickle->bytes + from, next->opcode - from);
        at = write_text(at + (next->opcode - from), next);
        from = next->opcode + extent_of(pickle->bytes + next->opcode);
    }
    if (made) {
        memcpy(at, pickle->bytes + from, pickle->count - from);
        *count = (uint32_t)(at - made) + (pickle->count - from);
    }
    return made;
}

htp_status htp_pickle_rename_devices(htp_arena *arena, const htp_pickle *pickle,
                                     const htp_pickle_contents *contents, const char *const *texts,
                                     const unsigned char **bytes, uint32_t *count)
{
    editing e = {.arena = arena, .pickle = pickle};
    bool any_change = false;
    *bytes = NULL;
    for (size_t i = 0; i < contents->devices.count; i++) {
        any_change = any_change || texts[i];
    }
    if (!any_change) {
        return HTP_OK;
    }
    HTP_TRY(rename_devices(&e, contents, texts));
    HTP_TRY(keep_texts(&e, contents));
    qsort(e.edits.items, e.edits.count, sizeof(*e.edits.items), compare_edits);
    *bytes = apply(&e, count);
    return *bytes ? HTP_OK : damaged(&e, 0, "it is too large");
}
