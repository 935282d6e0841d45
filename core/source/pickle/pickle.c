#include "source/pickle/pickle_machine.h"

#include <string.h>

enum {
    OPCODES = 256,
    PROTOCOL = 2,
};

static uint32_t left(const htp_pickle_machine *machine)
{
    return machine->pickle->count - machine->at;
}

/* Runs an opcode. @p operand is the number that follows it, or that of the table. */
typedef htp_status (*opcode_fn)(htp_pickle_machine *machine, uint64_t operand);

/* ---- plain values ---- */

static htp_status push_plain(htp_pickle_machine *machine, uint64_t kind)
{
    htp_pickle_push(machine, (htp_pickle_kind)kind, 0);
    return HTP_OK;
}

static htp_status push_bool(htp_pickle_machine *machine, uint64_t is_true)
{
    htp_pickle_push(machine, HTP_PICKLE_BOOL, (int64_t)is_true);
    return HTP_OK;
}

static htp_status push_int(htp_pickle_machine *machine, uint64_t number)
{
    htp_pickle_push(machine, HTP_PICKLE_INT, (int64_t)number);
    return HTP_OK;
}

static htp_status push_signed_int(htp_pickle_machine *machine, uint64_t number)
{
    htp_pickle_push(machine, HTP_PICKLE_INT, (int32_t)(uint32_t)number);
    return HTP_OK;
}

/* Only floats are big-endian. */
static htp_status push_float(htp_pickle_machine *machine, uint64_t reversed)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < sizeof(bits); i++) {
        bits = bits << 8 | (reversed >> (8 * i) & 0xff);
    }
    htp_pickle_push(machine, HTP_PICKLE_FLOAT, (int64_t)bits);
    return HTP_OK;
}

static htp_status read_number(htp_pickle_machine *machine, uint32_t bytes, uint64_t *number)
{
    if (bytes > left(machine)) {
        return htp_pickle_damaged(machine, "it is cut short");
    }
    *number = 0;
    for (uint32_t i = bytes; i-- > 0;) {
        *number = *number << 8 | machine->pickle->bytes[machine->at + i];
    }
    machine->at += bytes;
    return HTP_OK;
}

/* Python writes as few bytes as possible, libtorch always eight. The highest bit is the sign. */
static htp_status push_long(htp_pickle_machine *machine, uint64_t bytes)
{
    uint64_t number = 0;
    bool is_short = machine->pickle->role == HTP_PICKLE_OF_STATE && bytes < sizeof(number);
    if (bytes != sizeof(number) && !is_short) {
        return htp_pickle_unknown(machine, "an int of %llu bytes", (unsigned long long)bytes);
    }
    HTP_TRY(read_number(machine, (uint32_t)bytes, &number));
    if (is_short && bytes > 0 && number >> (8 * bytes - 1)) {
        number |= UINT64_MAX << (8 * bytes);
    }
    return push_int(machine, number);
}

static htp_status push_string(htp_pickle_machine *machine, uint64_t bytes)
{
    if (bytes > left(machine)) {
        return htp_pickle_damaged(machine, "a string of %llu bytes, of which %u are there",
                                  (unsigned long long)bytes, left(machine));
    }
    htp_pickle_value value = {.kind = HTP_PICKLE_STRING, .node = machine->opcode};
    value.string.offset = machine->at;
    value.string.bytes = (uint32_t)bytes;
    HTP_PUSH(machine->arena, &machine->stack, value);
    machine->at += (uint32_t)bytes;
    return HTP_OK;
}

/* ---- tuples, lists and dicts ---- */

static htp_status push_empty(htp_pickle_machine *machine, uint64_t kind)
{
    return htp_pickle_make(machine, (htp_pickle_kind)kind, NULL, 0);
}

static htp_status mark(htp_pickle_machine *machine, uint64_t operand)
{
    (void)operand;
    HTP_PUSH(machine->arena, &machine->marks, (uint32_t)machine->stack.count);
    return HTP_OK;
}

static htp_status make_short_tuple(htp_pickle_machine *machine, uint64_t count)
{
    const htp_pickle_value *values = NULL;
    HTP_TRY(htp_pickle_take(machine, (size_t)count, &values));
    return htp_pickle_make(machine, HTP_PICKLE_TUPLE, values, (size_t)count);
}

static htp_status check_pairs(const htp_pickle_machine *machine, htp_pickle_kind kind, size_t count)
{
    if (kind == HTP_PICKLE_DICT && count % 2 != 0) {
        return htp_pickle_damaged(machine, "%zu keys and values: one is missing", count);
    }
    return HTP_OK;
}

static htp_status make_marked(htp_pickle_machine *machine, uint64_t kind)
{
    const htp_pickle_value *values = NULL;
    size_t count = 0;
    HTP_TRY(htp_pickle_take_marked(machine, &values, &count));
    HTP_TRY(check_pairs(machine, (htp_pickle_kind)kind, count));
    return htp_pickle_make(machine, (htp_pickle_kind)kind, values, count);
}

/* Adds @p values to the list or dict on top of the stack. */
static htp_status extend_top(htp_pickle_machine *machine, uint64_t kind,
                             const htp_pickle_value *values, size_t count)
{
    const htp_pickle_value *target = NULL;
    HTP_TRY(htp_pickle_take(machine, 1, &target));
    machine->stack.count++;
    if (target->kind != kind) {
        return htp_pickle_damaged(machine, "it adds to something that is no %s",
                                  kind == HTP_PICKLE_LIST ? "list" : "dict");
    }
    HTP_TRY(check_pairs(machine, (htp_pickle_kind)kind, count));
    return htp_pickle_extend(machine, target, values, count);
}

static htp_status extend_marked(htp_pickle_machine *machine, uint64_t kind)
{
    const htp_pickle_value *values = NULL;
    size_t count = 0;
    HTP_TRY(htp_pickle_take_marked(machine, &values, &count));
    return extend_top(machine, kind, values, count);
}

static htp_status set_item(htp_pickle_machine *machine, uint64_t operand)
{
    (void)operand;
    const htp_pickle_value *values = NULL;
    HTP_TRY(htp_pickle_take(machine, 2, &values));
    return extend_top(machine, HTP_PICKLE_DICT, values, 2);
}

/* ---- the memo ---- */

/* libtorch's table grows to the largest id, so ids must not jump: writers count up. */
static htp_status put(htp_pickle_machine *machine, uint64_t id)
{
    const htp_pickle_value *value = NULL;
    HTP_TRY(htp_pickle_take(machine, 1, &value));
    machine->stack.count++;
    if (id > machine->memo.count) {
        return htp_pickle_damaged(machine, "memo number %llu follows %zu others",
                                  (unsigned long long)id, machine->memo.count);
    }
    if (id < machine->memo.count) {
        machine->memo.items[id] = *value;
    } else {
        htp_pickle_value copy = *value;
        HTP_PUSH(machine->arena, &machine->memo, copy);
    }
    return HTP_OK;
}

static htp_status get(htp_pickle_machine *machine, uint64_t id)
{
    if (id >= machine->memo.count) {
        return htp_pickle_damaged(machine, "memo number %llu was never given",
                                  (unsigned long long)id);
    }
    htp_pickle_value value = machine->memo.items[id];
    htp_pickle_note_recall(machine, &value);
    HTP_PUSH(machine->arena, &machine->stack, value);
    return HTP_OK;
}

/* ---- functions and classes ---- */

static htp_status read_line(htp_pickle_machine *machine, const char **line, uint32_t *bytes)
{
    const unsigned char *begin = machine->pickle->bytes + machine->at;
    const unsigned char *end = memchr(begin, '\n', left(machine));
    if (!end) {
        return htp_pickle_damaged(machine, "a name has no end");
    }
    *line = (const char *)begin;
    *bytes = (uint32_t)(end - begin);
    machine->at += *bytes + 1;
    return HTP_OK;
}

static htp_status push_global(htp_pickle_machine *machine, uint64_t operand)
{
    (void)operand;
    const char *module = NULL;
    const char *name = NULL;
    uint32_t module_bytes = 0;
    uint32_t name_bytes = 0;
    HTP_TRY(read_line(machine, &module, &module_bytes));
    HTP_TRY(read_line(machine, &name, &name_bytes));
    return htp_pickle_find_global(machine, module, module_bytes, name, name_bytes);
}

static htp_status new_object(htp_pickle_machine *machine, uint64_t operand)
{
    (void)operand;
    const htp_pickle_value *values = NULL;
    HTP_TRY(htp_pickle_take(machine, 2, &values));
    if (values[0].kind != HTP_PICKLE_CLASS || values[1].kind != HTP_PICKLE_TUPLE) {
        return htp_pickle_damaged(machine, "an object of something that is no class");
    }
    const htp_pickle_value type = values[0];
    htp_pickle_push(machine, HTP_PICKLE_NEW, 0);
    machine->stack.items[machine->stack.count - 1].string = type.string;
    return HTP_OK;
}

/* libtorch treats building objects and calling functions alike. */
static htp_status call(htp_pickle_machine *machine, uint64_t operand)
{
    (void)operand;
    const htp_pickle_value *values = NULL;
    HTP_TRY(htp_pickle_take(machine, 2, &values));
    const htp_pickle_value callee = values[0];
    const htp_pickle_value argument = values[1];
    switch ((htp_pickle_kind)callee.kind) {
    case HTP_PICKLE_CALL:
        return htp_pickle_call(machine, (uint32_t)callee.number, &argument);
    case HTP_PICKLE_CLASS:
    case HTP_PICKLE_NEW:
        htp_pickle_note_made(machine, &callee, &argument);
        return htp_pickle_make(machine, HTP_PICKLE_OBJECT, &argument, 1);
    default:
        return htp_pickle_damaged(machine, "it calls something that is no function and no class");
    }
}

static htp_status load_storage(htp_pickle_machine *machine, uint64_t operand)
{
    (void)operand;
    const htp_pickle_value *values = NULL;
    HTP_TRY(htp_pickle_take(machine, 1, &values));
    const htp_pickle_value id = *values;
    return htp_pickle_make_storage(machine, &id);
}

static htp_status stop(htp_pickle_machine *machine, uint64_t operand)
{
    (void)operand;
    if (machine->marks.count != 0 || machine->stack.count != 1) {
        return htp_pickle_damaged(machine,
                                  "it ends with %zu values and %zu marks in place of one "
                                  "value",
                                  machine->stack.count, machine->marks.count);
    }
    machine->is_done = true;
    return HTP_OK;
}

/* ---- all of them ---- */

/* The opcodes of libtorch's unpickler. */
static const struct opcode {
    opcode_fn run;
    uint32_t bytes; /* size of the operand; 0: none */
    uint32_t operand;
} opcodes[OPCODES] = {
    ['N'] = {push_plain, 0, HTP_PICKLE_NONE},
    [0x88] = {push_bool, 0, true},
    [0x89] = {push_bool, 0, false},
    ['K'] = {push_int, 1, 0},
    ['M'] = {push_int, 2, 0},
    ['J'] = {push_signed_int, 4, 0},
    [0x8a] = {push_long, 1, 0},
    ['G'] = {push_float, 8, 0},
    ['X'] = {push_string, 4, 0},
    [')'] = {push_empty, 0, HTP_PICKLE_TUPLE},
    [']'] = {push_empty, 0, HTP_PICKLE_LIST},
    ['}'] = {push_empty, 0, HTP_PICKLE_DICT},
    ['('] = {mark, 0, 0},
    ['t'] = {make_marked, 0, HTP_PICKLE_TUPLE},
    ['l'] = {make_marked, 0, HTP_PICKLE_LIST},
    ['d'] = {make_marked, 0, HTP_PICKLE_DICT},
    [0x85] = {make_short_tuple, 0, 1},
    [0x86] = {make_short_tuple, 0, 2},
    [0x87] = {make_short_tuple, 0, 3},
    ['e'] = {extend_marked, 0, HTP_PICKLE_LIST},
    ['u'] = {extend_marked, 0, HTP_PICKLE_DICT},
    ['s'] = {set_item, 0, 0},
    ['q'] = {put, 1, 0},
    ['r'] = {put, 4, 0},
    ['h'] = {get, 1, 0},
    ['j'] = {get, 4, 0},
    ['c'] = {push_global, 0, 0},
    [0x81] = {new_object, 0, 0},
    ['b'] = {call, 0, 0},
    ['R'] = {call, 0, 0},
    ['Q'] = {load_storage, 0, 0},
    ['.'] = {stop, 0, 0},
};

static htp_status run_opcode(htp_pickle_machine *machine)
{
    machine->opcode = machine->at;
    uint64_t code = 0;
    HTP_TRY(read_number(machine, 1, &code));
    const struct opcode *opcode = &opcodes[code];
    if (!opcode->run) {
        return htp_pickle_unknown(machine, "opcode 0x%02x, which libtorch does not know",
                                  (unsigned)code);
    }
    uint64_t operand = opcode->operand;
    if (opcode->bytes > 0) {
        HTP_TRY(read_number(machine, opcode->bytes, &operand));
    }
    return opcode->run(machine, operand);
}

/* The largest cost among the parts of the tuple on the stack, or of a value that is not a tuple. */
static double cost_of_parts(const htp_pickle_machine *machine)
{
    const htp_pickle_value *root = machine->stack.items;
    double most = 0;
    if (!root || root->kind != HTP_PICKLE_TUPLE) {
        return root ? htp_pickle_cost_of(machine, root) : 0;
    }
    const htp_pickle_node *tuple = htp_pickle_node_of(machine, root);
    for (uint32_t i = 0; i < tuple->count; i++) {
        const double cost = htp_pickle_cost_of(machine, htp_pickle_part(machine, tuple, i));
        most = cost > most ? cost : most;
    }
    return most;
}

htp_status htp_pickle_run(htp_pickle_machine *machine)
{
    static const unsigned char beginning[] = {0x80, PROTOCOL};
    const htp_pickle *pickle = machine->pickle;
    if (pickle->count < sizeof(beginning) ||
        memcmp(pickle->bytes, beginning, sizeof(beginning)) != 0) {
        return htp_pickle_unknown(machine, "no pickle of protocol %d", PROTOCOL);
    }
    machine->at = sizeof(beginning);
    while (!machine->is_done) {
        HTP_TRY(run_opcode(machine));
    }
    return pickle->role == HTP_PICKLE_OF_LINES ? htp_pickle_check_debug(machine) : HTP_OK;
}

htp_status htp_pickle_check(htp_arena *scratch, const htp_pickle *pickle,
                            htp_pickle_contents *contents)
{
    htp_pickle_machine machine = {.arena = scratch, .pickle = pickle, .contents = contents};
    HTP_TRY(htp_pickle_run(&machine));
    if (contents) {
        contents->cost = cost_of_parts(&machine);
    }
    return pickle->role == HTP_PICKLE_OF_STATE ? htp_pickle_list_state(&machine) : HTP_OK;
}
