/*
 * Nodes of __setstate__ methods: those interpreted here, and operators.
 */
#include "interpret/restore/restore_devices.h"

#include "interpret/operators/operand_checks.h"
#include "interpret/operators/operator_facts.h"

#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

typedef htp_outcome handler(htp_follower *f, htp_restore_step *step);

static htp_outcome require(htp_follower *f, const htp_restore_step *step, uint32_t count)
{
    return step->input_count >= count
               ? HTP_GOES_ON
               : htp_restore_fail(f, "%s is given too few operands", step->node->kind);
}

static htp_outcome give(htp_restore_step *step, htp_operand output)
{
    step->only = output;
    step->outputs = &step->only;
    step->output_count = 1;
    return HTP_GOES_ON;
}

/* ---- values ---- */

static htp_operand operand_of(htp_follower *f, const htp_program_data *data)
{
    switch (data->kind) {
    case HTP_DATA_INT:
        return (htp_operand){.kind = HTP_OPERAND_INT, .as.i = data->number};
    case HTP_DATA_BOOL:
        return (htp_operand){.kind = HTP_OPERAND_BOOL, .as.b = data->number != 0};
    case HTP_DATA_FLOAT:
        return (htp_operand){.kind = HTP_OPERAND_FLOAT, .as.f = data->real};
    case HTP_DATA_STRING:
        return (htp_operand){
            .kind = HTP_OPERAND_STRING, .as.text = data->string, .bytes = data->bytes};
    case HTP_DATA_DEVICE:
        return htp_devices_read(&f->of.devices, &f->arena, data->string, data->bytes);
    case HTP_DATA_OBJECT:
        return (htp_operand){.kind = HTP_OPERAND_OBJECT, .as.object = data->object};
    case HTP_DATA_NONE:
        return (htp_operand){.kind = HTP_OPERAND_NONE};
    default:
        return (htp_operand){.kind = HTP_OPERAND_OTHER, .as.other = data->other};
    }
}

/* Function constants are found by node. */
static htp_outcome do_constant(htp_follower *f, htp_restore_step *step)
{
    uint32_t data = step->node->data;
    return give(step, data == HTP_NONE ? (htp_operand){.kind = HTP_OPERAND_NONE}
                                       : operand_of(f, &f->of.program->data[data]));
}

static htp_outcome do_nothing(htp_follower *f, htp_restore_step *step)
{
    (void)f;
    return give(step, (htp_operand){.kind = HTP_OPERAND_NONE});
}

static htp_outcome do_same(htp_follower *f, htp_restore_step *step)
{
    HTP_DO(require(f, step, 1));
    return give(step, step->inputs[0]);
}

/* Attributes and containers, whose types belong to the runner. */
static htp_outcome do_evaluate(htp_follower *f, htp_restore_step *step)
{
    const htp_runner *runner = f->of.runner;
    htp_restore_hide_devices(f, step, true);
    switch (runner->evaluate(runner->self, step->frame->number, step->number, step->inputs,
                             step->input_count, &step->outputs, &step->output_count, f->error)) {
    case HTP_RUN_OK:
        htp_restore_show_devices(f, step);
        return HTP_GOES_ON;
    case HTP_RUN_NO_MEMORY:
        return HTP_BREAKS;
    default:
        return HTP_FAILS;
    }
}

static htp_outcome do_create_object(htp_follower *f, htp_restore_step *step)
{
    const htp_runner *runner = f->of.runner;
    uint32_t type = step->frame->code.values[step->node->outputs[0]].type;
    uint32_t object = runner->make_object(runner->self, f->of.program->types[type].class_number);
    if (object == HTP_NONE) {
        (void)htp_restore_fail(f, "out of memory");
        return HTP_BREAKS;
    }
    return give(step, (htp_operand){.kind = HTP_OPERAND_OBJECT, .as.object = object});
}

static htp_outcome do_isinstance(htp_follower *f, htp_restore_step *step)
{
    const htp_runner *runner = f->of.runner;
    HTP_DO(require(f, step, 1));
    htp_restore_hide_devices(f, step, true);
    bool is_one =
        runner->is_instance(runner->self, step->frame->number, step->number, &step->inputs[0]);
    return give(step, (htp_operand){.kind = HTP_OPERAND_BOOL, .as.b = is_one});
}

/* ---- calls ---- */

static htp_outcome call(htp_follower *f, htp_restore_step *step, uint32_t function,
                        const htp_operand *inputs, uint32_t count)
{
    htp_operand output = {.kind = HTP_OPERAND_NONE};
    HTP_DO(htp_restore_call(f, function, inputs, count, &output));
    return give(step, output);
}

static htp_outcome do_call_method(htp_follower *f, htp_restore_step *step)
{
    uint32_t method = HTP_NONE;
    HTP_DO(require(f, step, 1));
    HTP_DO(htp_restore_find_method(f, &step->inputs[0], step->node->name, &method));
    return call(f, step, method, step->inputs, step->input_count);
}

/* The first operand is the function. */
static htp_outcome do_call_function(htp_follower *f, htp_restore_step *step)
{
    HTP_DO(require(f, step, 1));
    return call(f, step, step->node->function, step->inputs + 1, step->input_count - 1);
}

static htp_outcome do_raise(htp_follower *f, htp_restore_step *step)
{
    bool has_text = step->input_count > 0 && step->inputs[0].kind == HTP_OPERAND_STRING;
    return htp_restore_fail(f, "__setstate__ of %s raised: %s", f->class_name,
                            has_text ? step->inputs[0].as.text : "an exception");
}

/* ---- operators ---- */

/* Whether an argument of this name is a size or count. */
static bool is_count(const char *name)
{
    static const char *const counts[] = {
        "size",      "sizes", "shape",  "repeats", "dims",  "output_size",
        "pad",       "n",     "m",      "end",     "steps", "window_length",
        "row",       "col",   "length", "high",    "count", "num_classes",
        "minlength", "bins",  "width",  "N",       "k",     "lengths",
    };
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        if (strcmp(name, counts[i]) == 0) {
            return true;
        }
    }
    return false;
}

static double at_least_one(double number)
{
    double size = number < 0 ? -number : number;
    return size > 1 ? size : 1;
}

/* Whether an operator repeats a list or text, by a number of any name. */
static bool repeats(const htp_follower *f, const htp_program_schema *schema)
{
    return strcmp(schema->name, "aten::mul") == 0 && schema->argument_count > 0 &&
           f->of.program->types[schema->arguments[0].type].kind != HTP_TYPE_TENSOR;
}

/* The number of elements of a tensor, of the largest one in a list, or of a list. */
static double extent_of(const htp_operand *value)
{
    double largest = value->kind == HTP_OPERAND_LIST ? value->count : 1;
    if (value->kind == HTP_OPERAND_TENSOR) {
        return (double)value->as.tensor->elements;
    }
    for (uint32_t i = 0; value->kind == HTP_OPERAND_LIST && i < value->count; i++) {
        const htp_operand *element = &value->as.elements[i];
        double extent =
            element->kind == HTP_OPERAND_TENSOR ? (double)element->as.tensor->elements : 0;
        largest = extent > largest ? extent : largest;
    }
    return largest;
}

/* The product of sizes; 0 if this is no list of ints. */
static double product_of(const htp_operand *sizes)
{
    double product = sizes->kind == HTP_OPERAND_LIST && sizes->count > 0 ? 1 : 0;
    for (uint32_t i = 0; product > 0 && i < sizes->count; i++) {
        const htp_operand *size = &sizes->as.elements[i];
        product *= size->kind == HTP_OPERAND_INT ? at_least_one((double)size->as.i) : 0;
    }
    return product;
}

/* An upper bound of the elements of results: the largest operand times all numbers that are sizes
 * or counts. */
static double elements_asked_for(const htp_follower *f, const htp_program_schema *schema,
                                 const htp_operand *inputs, uint32_t count)
{
    bool any_number = repeats(f, schema);
    double largest = 1;
    double times = 1;
    for (uint32_t i = 0; i < count; i++) {
        const htp_operand *input = &inputs[i];
        bool counts = i < schema->argument_count && is_count(schema->arguments[i].name);
        double extent = 1;
        if (input->kind == HTP_OPERAND_INT) {
            times *= counts || any_number ? at_least_one((double)input->as.i) : 1;
        } else if (input->kind == HTP_OPERAND_STRING) {
            extent = (double)input->bytes;
        } else {
            double sizes = counts ? product_of(input) : 0;
            times *= sizes > 0 ? sizes : 1;
            extent = sizes > 0 ? 1 : extent_of(input);
        }
        largest = extent > largest ? extent : largest;
    }
    return largest * times;
}

/* Describes the operands, on top of those of outer nodes. */
static htp_outcome describe_operands(htp_follower *f, htp_restore_step *step)
{
    const htp_runner *runner = f->of.runner;
    size_t first = (size_t)(step->inputs - f->operands.items);
    for (uint32_t i = 0; i < step->input_count; i++) {
        htp_operand described = f->operands.items[first + i];
        if (described.kind == HTP_OPERAND_OTHER &&
            !runner->describe(runner->self, &described, &described)) {
            return htp_restore_refuse(f, "%s of values with too many parts", step->node->kind);
        }
        HTP_PUSH(&f->arena, &f->operands, described);
    }
    step->inputs = HTP_FROM(&f->operands, first); /* the list may have moved */
    return HTP_GOES_ON;
}

/* Describes the contents of handles for the check, then drops them. */
static htp_outcome check_operands(htp_follower *f, const htp_program_schema *schema,
                                  htp_restore_step *step)
{
    size_t before = f->operands.count;
    HTP_DO(describe_operands(f, step));
    const htp_operands operands = {.all = HTP_FROM(&f->operands, before),
                                   .count = step->input_count,
                                   .arguments = schema->arguments,
                                   .argument_count = schema->argument_count,
                                   .runner = f->of.runner,
                                   .budget = &f->budget};
    f->operands.count = before;
    f->made += elements_asked_for(f, schema, operands.all, step->input_count);
    if (f->made > (double)htp_limit_value(f->of.limits, HTP_LIMIT_RESTORED)) {
        return htp_restore_exceed(f, HTP_LIMIT_RESTORED);
    }
    htp_operand_check *check = htp_operand_check_find(schema->name);
    htp_error reason;
    f->budget.is_exceeded = false;
    if (!check || check(&operands, &reason)) {
        return HTP_GOES_ON;
    }
    (void)htp_restore_fail(f, "%s", reason.message);
    return f->budget.is_exceeded ? HTP_UNSUPPORTED : HTP_FAILS;
}

/* Clears uninitialised memory, which must not be visible. */
static htp_outcome fill_with_zeroes(htp_follower *f, const htp_restore_step *step)
{
    const htp_runner *runner = f->of.runner;
    if (f->zero == HTP_NONE) {
        f->zero = runner->find(runner->self, "aten::zero_", "");
    }
    if (f->zero == HTP_NONE) {
        return htp_restore_fail(f, "the result of %s cannot be cleared", step->node->kind);
    }
    for (uint32_t i = 0; i < step->output_count; i++) {
        const htp_operand *outputs = NULL;
        uint32_t count = 0;
        HTP_DO(htp_restore_run(f, f->zero, &step->outputs[i], 1, &outputs, &count));
    }
    return HTP_GOES_ON;
}

static htp_outcome run_operator(htp_follower *f, htp_restore_step *step)
{
    const htp_program_node *node = step->node;
    bool is_done = false;
    HTP_DO(htp_restore_device(f, step, &is_done));
    if (is_done) {
        return HTP_GOES_ON;
    }
    if (node->schema == HTP_NONE) {
        return htp_restore_refuse(f, "%s", node->kind);
    }
    htp_program_schema schema = f->of.program->schemas[node->schema]; /* a copy: tables may move */
    HTP_DO(htp_restore_note_devices(f, step, &schema));
    htp_restore_hide_devices(f, step, false);
    if (!htp_operator_may_run(&schema) || htp_operator_is_unchecked(&schema) ||
        node->is_nondeterministic) {
        return htp_restore_refuse(f, "%s", node->kind);
    }
    HTP_DO(check_operands(f, &schema, step));
    HTP_DO(htp_restore_run(f, node->schema, step->inputs, step->input_count, &step->outputs,
                           &step->output_count));
    return htp_operator_is_uninitialised(schema.name) ? fill_with_zeroes(f, step) : HTP_GOES_ON;
}

htp_outcome htp_restore_node(htp_follower *f, htp_restore_step *step)
{
    static const struct {
        const char *kind;
        handler *follow;
    } rows[] = {
        {"prim::Constant", do_constant},
        {"prim::GetAttr", do_evaluate},
        {"prim::SetAttr", do_evaluate},
        {"prim::CallMethod", do_call_method},
        {"prim::CallFunction", do_call_function},
        {"prim::CreateObject", do_create_object},
        {"prim::RaiseException", do_raise},
        {"prim::Uninitialized", do_nothing},
        {"prim::Print", do_nothing},
        {"aten::warn", do_nothing},
        {"prim::unchecked_cast", do_same},
        {"prim::unchecked_unwrap_optional", do_same},
        {"prim::isinstance", do_isinstance},
        {"prim::ListConstruct", do_evaluate},
        {"prim::TupleConstruct", do_evaluate},
        {"prim::DictConstruct", do_evaluate},
        {"prim::ListUnpack", do_evaluate},
        {"prim::TupleUnpack", do_evaluate},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (strcmp(rows[i].kind, step->node->kind) == 0) {
            return rows[i].follow(f, step);
        }
    }
    return run_operator(f, step);
}
