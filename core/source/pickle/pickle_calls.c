/*
 * Functions that pickles of TorchScript call. libtorch unpacks their arguments without checking the
 * count, and tags lists with element types that they may not have.
 */
#include "base/device.h"
#include "source/pickle/pickle_machine.h"

#include <string.h>

enum { TYPE_DEPTH_LIMIT = 100 }; /* libtorch parses types recursively */

typedef htp_status (*call_fn)(htp_pickle_machine *machine, const htp_pickle_value *argument,
                              uint32_t parameter);

/* Opens a tuple of at least @p count arguments. */
static htp_status open_arguments(const htp_pickle_machine *machine,
                                 const htp_pickle_value *argument, uint32_t count,
                                 const htp_pickle_value **parts)
{
    *parts = machine->items.items;
    if (argument->kind != HTP_PICKLE_TUPLE) {
        return htp_pickle_damaged(machine, "a function is called without a tuple of arguments");
    }
    const htp_pickle_node *node = htp_pickle_node_of(machine, argument);
    if (node->count < count) {
        return htp_pickle_damaged(machine, "a function is called with %u arguments, not with %u",
                                  node->count, count);
    }
    *parts = HTP_FROM(&machine->items, node->first);
    return HTP_OK;
}

static void push_again(htp_pickle_machine *machine, const htp_pickle_value *value)
{
    htp_pickle_value copy = *value;
    HTP_PUSH(machine->arena, &machine->stack, copy);
}

/* ---- lists ---- */

/* A list whose elements have kinds among the bits of @p kinds. */
static htp_status tag_list(htp_pickle_machine *machine, const htp_pickle_value *list,
                           uint32_t kinds)
{
    if (list->kind != HTP_PICKLE_LIST) {
        return htp_pickle_damaged(machine, "it makes a list of something else");
    }
    if (htp_pickle_node_of(machine, list)->kinds & ~kinds) {
        return htp_pickle_damaged(machine, "a list has elements of another type than it says");
    }
    push_again(machine, list);
    return HTP_OK;
}

static htp_status build_list(htp_pickle_machine *machine, const htp_pickle_value *argument,
                             uint32_t kinds)
{
    const htp_pickle_value *parts = NULL;
    HTP_TRY(open_arguments(machine, argument, 1, &parts));
    return tag_list(machine, parts, kinds);
}

static htp_status check_type(const htp_pickle_machine *machine, const htp_pickle_value *type)
{
    const unsigned char *text = machine->pickle->bytes + type->string.offset;
    uint32_t depth = 0;
    for (uint32_t i = 0; i < type->string.bytes; i++) {
        bool closes = text[i] == ']' || text[i] == ')';
        depth += text[i] == '[' || text[i] == '(';
        depth -= closes && depth > 0;
        if (depth > TYPE_DEPTH_LIMIT) {
            return htp_pickle_damaged(machine, "a type is nested more than %d deep",
                                      TYPE_DEPTH_LIMIT);
        }
    }
    return HTP_OK;
}

static htp_status restore_type(htp_pickle_machine *machine, const htp_pickle_value *argument,
                               uint32_t parameter)
{
    (void)parameter;
    const htp_pickle_value *parts = NULL;
    HTP_TRY(open_arguments(machine, argument, 2, &parts));
    if ((parts[0].kind != HTP_PICKLE_LIST && parts[0].kind != HTP_PICKLE_DICT) ||
        parts[1].kind != HTP_PICKLE_STRING) {
        return htp_pickle_damaged(machine, "it gives a type to something that is no list and no "
                                           "dict");
    }
    HTP_TRY(check_type(machine, &parts[1]));
    push_again(machine, &parts[0]);
    return HTP_OK;
}

/* ---- values ---- */

static htp_status make_complex(htp_pickle_machine *machine, const htp_pickle_value *argument,
                               uint32_t parameter)
{
    (void)parameter;
    const htp_pickle_value *parts = NULL;
    HTP_TRY(open_arguments(machine, argument, 2, &parts));
    if (parts[0].kind != HTP_PICKLE_FLOAT || parts[1].kind != HTP_PICKLE_FLOAT) {
        return htp_pickle_damaged(machine, "a complex number that is not made of two floats");
    }
    return htp_pickle_make(machine, HTP_PICKLE_OBJECT, NULL, 0);
}

static htp_status make_device(htp_pickle_machine *machine, const htp_pickle_value *argument,
                              uint32_t parameter)
{
    (void)parameter;
    const htp_pickle_value *parts = NULL;
    HTP_TRY(open_arguments(machine, argument, 1, &parts));
    if (parts[0].kind != HTP_PICKLE_STRING) {
        return htp_pickle_damaged(machine, "a device without a string for a name");
    }
    const htp_pickle_value text = parts[0];
    htp_device device;
    if (!htp_device_read((const char *)machine->pickle->bytes + text.string.offset,
                         text.string.bytes, &device)) {
        return htp_pickle_damaged(
            machine, "the invalid device \"%s\"",
            htp_archive_printable(machine->arena,
                                  (const char *)machine->pickle->bytes + text.string.offset,
                                  text.string.bytes));
    }
    htp_pickle_note_device(machine, &text, NULL);
    return htp_pickle_make(machine, HTP_PICKLE_OBJECT, NULL, 0);
}

/* Hooks of a tensor, which are not read. */
static htp_status make_none(htp_pickle_machine *machine, const htp_pickle_value *argument,
                            uint32_t parameter)
{
    (void)argument;
    (void)parameter;
    htp_pickle_push(machine, HTP_PICKLE_NONE, 0);
    return HTP_OK;
}

static htp_status make_parameter(htp_pickle_machine *machine, const htp_pickle_value *argument,
                                 uint32_t parameter)
{
    (void)parameter;
    const htp_pickle_value *parts = NULL;
    HTP_TRY(open_arguments(machine, argument, 2, &parts));
    if (parts[0].kind != HTP_PICKLE_TENSOR || parts[1].kind != HTP_PICKLE_BOOL) {
        return htp_pickle_damaged(machine, "a parameter that is no tensor");
    }
    if (machine->pickle->role == HTP_PICKLE_OF_STATE) {
        const htp_pickle_value tensor = parts[0];
        htp_pickle_push_parameter(machine, &tensor, parts[1].number != 0);
    } else {
        push_again(machine, &parts[0]);
    }
    return HTP_OK;
}

/* ---- all of them ---- */

enum { IN_PROGRAM = 1, IN_STATE = 2 };

#define KIND(name) (1U << HTP_PICKLE_##name)

static const struct function {
    const char *module;
    const char *name;
    call_fn run;
    uint32_t parameter;
    unsigned where; /* the roles in which it may be called */
} functions[] = {
    {"torch._utils", "_rebuild_tensor_v2", htp_pickle_make_tensor, false, IN_PROGRAM | IN_STATE},
    {"torch._utils", "_rebuild_tensor_v3", htp_pickle_make_untyped, 0, IN_STATE},
    {"torch._utils", "_rebuild_qtensor", htp_pickle_make_tensor, true, IN_PROGRAM},
    {"torch._utils", "_rebuild_sparse_tensor", htp_pickle_make_sparse, 0, IN_PROGRAM},
    {"torch._utils", "_rebuild_parameter", make_parameter, 0, IN_PROGRAM | IN_STATE},
    {"torch._utils", "_rebuild_parameter_with_state", make_parameter, 0, IN_STATE},
    {"collections", "OrderedDict", make_none, 0, IN_PROGRAM | IN_STATE},
    {"torch.jit._pickle", "restore_type_tag", restore_type, 0, IN_PROGRAM},
    {"torch.jit._pickle", "build_intlist", build_list, KIND(INT), IN_PROGRAM},
    {"torch.jit._pickle", "build_tensorlist", build_list, KIND(TENSOR) | KIND(NONE), IN_PROGRAM},
    {"torch.jit._pickle", "build_doublelist", build_list, KIND(FLOAT), IN_PROGRAM},
    {"torch.jit._pickle", "build_boollist", build_list, KIND(BOOL), IN_PROGRAM},
    {"__main__", "IntList", tag_list, KIND(INT), IN_PROGRAM},
    {"builtins", "complex", make_complex, 0, IN_PROGRAM},
    {"torch", "device", make_device, 0, IN_PROGRAM},
};

static const struct qscheme {
    const char *name;
    htp_pickle_qscheme qscheme;
} qschemes[] = {
    {"per_tensor_affine", HTP_PICKLE_PER_TENSOR},
    {"per_channel_affine", HTP_PICKLE_PER_CHANNEL},
    {"per_channel_affine_float_qparams", HTP_PICKLE_PER_CHANNEL},
    {"per_tensor_symmetric", HTP_PICKLE_OTHER_QSCHEME},
    {"per_channel_symmetric", HTP_PICKLE_OTHER_QSCHEME},
};

/* Namespaces of libtorch: names without a row do not exist in it. */
static const char *const closed_modules[] = {"torch", "torch.jit._pickle", "torch._tensor",
                                             "torch.distributed.rpc", "__main__"};

static bool is_name(const char *text, uint32_t bytes, const char *name)
{
    return strlen(name) == bytes && memcmp(text, name, bytes) == 0;
}

/* Names in the module torch that are numbers. */
static bool push_constant(htp_pickle_machine *machine, const char *name, uint32_t bytes)
{
    const bool is_state = machine->pickle->role == HTP_PICKLE_OF_STATE;
    int64_t dtype = htp_pickle_find_dtype(name, bytes);
    if (dtype < 0 && is_state) {
        dtype = htp_pickle_find_named_dtype(name, bytes);
    }
    if (dtype >= 0) {
        htp_pickle_push(machine, HTP_PICKLE_DTYPE, dtype);
        return true;
    }
    for (size_t i = 0; !is_state && i < sizeof(qschemes) / sizeof(qschemes[0]); i++) {
        if (is_name(name, bytes, qschemes[i].name)) {
            htp_pickle_push(machine, HTP_PICKLE_QSCHEME, qschemes[i].qscheme);
            return true;
        }
    }
    return false;
}

htp_status htp_pickle_find_global(htp_pickle_machine *machine, const char *module,
                                  uint32_t module_bytes, const char *name, uint32_t name_bytes)
{
    const bool is_state = machine->pickle->role == HTP_PICKLE_OF_STATE;
    const unsigned here = is_state ? IN_STATE : IN_PROGRAM;
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if ((functions[i].where & here) && is_name(module, module_bytes, functions[i].module) &&
            is_name(name, name_bytes, functions[i].name)) {
            htp_pickle_push(machine, HTP_PICKLE_CALL, (int64_t)i);
            return HTP_OK;
        }
    }
    if (is_name(module, module_bytes, "torch") && push_constant(machine, name, name_bytes)) {
        return HTP_OK;
    }
    if (is_state && is_name(module, module_bytes, "torch.storage") &&
        is_name(name, name_bytes, "UntypedStorage")) {
        htp_pickle_push(machine, HTP_PICKLE_DTYPE, htp_pickle_find_named_dtype("uint8", 5));
        return HTP_OK;
    }
    if (is_state) {
        return htp_pickle_refuse_object(machine, module, module_bytes, name, name_bytes);
    }
    for (size_t i = 0; i < sizeof(closed_modules) / sizeof(closed_modules[0]); i++) {
        if (is_name(module, module_bytes, closed_modules[i])) {
            return htp_pickle_unknown(machine, "%s.%s, which is nothing that TorchScript saves",
                                      closed_modules[i],
                                      htp_archive_printable(machine->arena, name, name_bytes));
        }
    }
    htp_pickle_push(machine, HTP_PICKLE_CLASS, 0);
    htp_pickle_value *type = &machine->stack.items[machine->stack.count - 1];
    type->string.offset = (uint32_t)((const unsigned char *)module - machine->pickle->bytes);
    type->string.bytes = module_bytes;
    return HTP_OK;
}

void htp_pickle_note_made(htp_pickle_machine *machine, const htp_pickle_value *type,
                          const htp_pickle_value *argument)
{
    if (!machine->contents) {
        return;
    }
    const unsigned char *bytes = machine->pickle->bytes;
    htp_pickle_made made = {.module = type->string.offset,
                            .module_bytes = type->string.bytes,
                            .name = type->string.offset + type->string.bytes + 1,
                            .kind = HTP_ARCHIVE_MADE_OF_OTHER};
    const unsigned char *end = memchr(bytes + made.name, '\n', machine->pickle->count - made.name);
    made.name_bytes = end ? (uint32_t)(end - bytes) - made.name : 0;
    if (argument->kind == HTP_PICKLE_STRING) {
        made.kind = HTP_ARCHIVE_MADE_OF_TEXT;
        made.text = argument->string.offset;
        made.text_bytes = argument->string.bytes;
    } else if (argument->kind == HTP_PICKLE_INT || argument->kind == HTP_PICKLE_FLOAT) {
        made.kind =
            argument->kind == HTP_PICKLE_INT ? HTP_ARCHIVE_MADE_OF_INT : HTP_ARCHIVE_MADE_OF_FLOAT;
        made.number = argument->number;
    }
    HTP_PUSH(machine->arena, &machine->contents->made, made);
}

htp_status htp_pickle_call(htp_pickle_machine *machine, uint32_t row,
                           const htp_pickle_value *argument)
{
    return functions[row].run(machine, argument, functions[row].parameter);
}
