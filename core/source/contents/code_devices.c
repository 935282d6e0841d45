/*
 * Devices in code: torch.device("cuda:0").
 */
#include "source/code/code_tokens.h"
#include "source/code/code_values.h"
#include "source/contents/devices.h"

#include <string.h>

typedef struct reading {
    htp_arena *arena; /* for results */
    htp_archive *archive;
    const htp_syntax_module *module;
    char *changed; /* the text with other names; NULL: unchanged */
} reading;

/* The text of a device: a single string without escapes. Concatenated and prefixed strings have
 * other first or last characters. */
static bool read_text(const reading *r, const htp_syntax_node *text, htp_device *device)
{
    const char *begin = r->module->code.text + text->start;
    const size_t bytes = text->end - text->start;
    bool is_whole = text->end < r->module->code.count && strchr(",)", begin[bytes]);
    return is_whole && bytes >= 2 && begin[bytes - 1] == begin[0] &&
           htp_device_read(begin + 1, bytes - 2, device);
}

/* ---- devices of new tensors ---- */

/* The device of torch.zeros([2], device=torch.device("cuda:0")) and torch.to(x, torch.device(...)),
 * but not one in a comparison. */
static const htp_syntax_node *find_made_on(const htp_syntax_module *module,
                                           const htp_syntax_node *call, uint32_t argument)
{
    static const char moves[] = "torch.to";
    const htp_syntax_node *value = call->parts[argument];
    const htp_syntax_node *callee = call->parts[0];
    if (value->kind == HTP_SYNTAX_KEYWORD) {
        static const char name[] = "device";
        bool is_device = value->name_bytes == strlen(name) &&
                         memcmp(module->code.text + value->name, name, strlen(name)) == 0;
        return is_device ? htp_values_find_device(module, value->parts[0]) : NULL;
    }
    bool is_move = callee->end - callee->start == strlen(moves) &&
                   memcmp(module->code.text + callee->start, moves, strlen(moves)) == 0;
    return is_move && argument == 2 ? htp_values_find_device(module, value) : NULL;
}

static void take_made_on(reading *r, const htp_syntax_node *call)
{
    htp_archive_devices *devices = &r->archive->devices;
    for (uint32_t i = 1; i < call->count && !devices->of_code; i++) {
        const htp_syntax_node *text = find_made_on(r->module, call, i);
        htp_device device;
        char on[HTP_DEVICE_TYPE_LIMIT + 16];
        if (text && read_text(r, text, &device) && !htp_device_is_cpu(&device) &&
            strcmp(device.type, "meta") != 0) {
            devices->of_code = htp_arena_strdup(r->arena, htp_device_of_tensor(&device, on));
        }
    }
}

/* ---- declared devices ---- */

static htp_status refuse(const reading *r, const htp_syntax_node *text, const char *problem)
{
    const htp_code_record *code = &r->module->code;
    return htp_status_make(
        HTP_CODE_BAD_INPUT, "%s: %s, line %zu: a declaration has the device %s, %s", code->path,
        code->name, htp_code_line(code, text->start),
        htp_archive_printable(r->arena, code->text + text->start, text->end - text->start),
        problem);
}

/* Positions in the code must not change: blanks fill the rest. */
static htp_status replace(reading *r, const htp_syntax_node *text, const htp_device *device)
{
    const htp_code_record *code = &r->module->code;
    const size_t bytes = text->end - text->start;
    const char *alias = htp_devices_alias(r->arena, r->archive, code->name, device);
    if (!alias || strlen(alias) > bytes - 2) {
        return refuse(r, text, "which no libtorch knows");
    }
    if (!r->changed) {
        r->changed = htp_arena_copy(r->arena, code->text, code->count);
    }
    char *at = r->changed + text->start;
    const char quote = *at++;
    memset(at, ' ', bytes - 1);
    while (*alias) {
        *at++ = *alias++;
    }
    *at = quote;
    return HTP_OK;
}

/* libtorch evaluates declared values when it reads the code. */
static htp_status take_declared(reading *r, const htp_syntax_node *text)
{
    htp_device device;
    if (!read_text(r, text, &device)) {
        return refuse(r, text, "which is neither TYPE nor TYPE:INDEX");
    }
    if (strcmp(device.type, HTP_DEVICE_ALIAS) == 0) {
        r->archive->devices.has_alias = true;
    }
    return htp_device_origin_of(device.type) == HTP_DEVICE_OF_LIBTORCH ? HTP_OK
                                                                       : replace(r, text, &device);
}

/* ---- all of it ---- */

static htp_status walk(reading *r, const htp_syntax_node *node, bool is_declared)
{
    const htp_syntax_node *text = htp_values_find_device(r->module, node);
    htp_device device;
    if (text && is_declared) {
        HTP_TRY(take_declared(r, text));
    } else if (text && read_text(r, text, &device) &&
               htp_device_origin_of(device.type) == HTP_DEVICE_OF_SOME) {
        htp_devices_take_type(r->arena, r->archive, &device);
    }
    if (node->kind == HTP_SYNTAX_CALL) {
        take_made_on(r, node);
    }
    bool declares = node->kind == HTP_SYNTAX_CLASS || node->kind == HTP_SYNTAX_PARAMETER;
    bool runs = node->kind == HTP_SYNTAX_FUNCTION;
    for (uint32_t i = 0; i < node->count; i++) {
        if (node->parts[i]) {
            HTP_TRY(walk(r, node->parts[i], declares || (is_declared && !runs)));
        }
    }
    return HTP_OK;
}

htp_status htp_devices_take_code(htp_arena *arena, htp_archive *archive, const char *record,
                                 const htp_syntax_module *module)
{
    reading r = {.arena = arena, .archive = archive, .module = module};
    HTP_TRY(walk(&r, module->declarations, false));
    const htp_archive_given given = {record, r.changed ? r.changed : module->code.text,
                                     module->code.count};
    HTP_PUSH(arena, &archive->given, given);
    return HTP_OK;
}
