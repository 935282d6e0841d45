#include "interpret/steps/inference.h"

#include "interpret/lanes/execute.h"
#include "interpret/steps/handlers.h"

#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Arguments in schemas that only training sets. */
static const char *const flags[] = {"train", "training", "use_input_stats"};
static const char probability[] = "dropout_p";
static const char statistics[] = "running_mean";

enum { NO_ARGUMENT = -1 };

static int find_argument(const htp_program_schema *schema, const char *name)
{
    for (uint32_t i = 0; i < schema->argument_count; i++) {
        if (strcmp(schema->arguments[i].name, name) == 0) {
            return (int)i;
        }
    }
    return NO_ARGUMENT;
}

/* The source text of written code begins with a space, that of traced code is a stack. */
static bool is_traced(const htp_machine *m, const htp_place *place)
{
    const char *text = m->places->find_text(m->places->self, place->function, place->node);
    return text[0] != ' ';
}

/* ---- flags ---- */

static bool is_zero(const htp_item *item)
{
    const htp_operand *value = &item->lane[0];
    return (value->kind == HTP_OPERAND_BOOL && !value->as.b) ||
           (value->kind == HTP_OPERAND_FLOAT && value->as.f == 0) ||
           (value->kind == HTP_OPERAND_INT && value->as.i == 0);
}

/* A constant that means training; None is not false. */
static bool means_training(const htp_items *inputs, int argument)
{
    const htp_item *item =
        argument >= 0 && (size_t)argument < inputs->count ? inputs->items[argument] : NULL;
    return item && item->kind == HTP_ITEM_PLAIN && htp_is_constant(item) && !is_zero(item);
}

/* Norms without running statistics always use those of the batch. */
static bool is_always_on(const htp_program_schema *schema, const htp_items *inputs)
{
    int running = find_argument(schema, statistics);
    return running >= 0 && (size_t)running < inputs->count && htp_is_none(inputs->items[running]);
}

static void clear_flags(htp_machine *m, htp_step *step, const htp_program_schema *schema)
{
    htp_items *inputs = &step->inputs;
    for (size_t i = 0; i < COUNT_OF(flags); i++) {
        int argument = find_argument(schema, flags[i]);
        if (means_training(inputs, argument) && !is_always_on(schema, inputs) &&
            is_traced(m, &step->place)) {
            inputs->items[argument] = htp_item_bool(m, false);
        }
    }
    int argument = find_argument(schema, probability);
    if (means_training(inputs, argument) && is_traced(m, &step->place)) {
        inputs->items[argument] = htp_item_float(m, 0.0);
    }
}

/* ---- the count of batches ---- */

/* The object that a value was read from as an attribute; NULL. */
static const htp_item *find_holder(const htp_frame *frame, uint32_t value)
{
    const htp_program_function *function = &frame->code->function;
    uint32_t producer = function->values[value].producer;
    const htp_program_node *node = producer == HTP_NONE ? NULL : &function->nodes[producer];
    return node && strcmp(node->kind, "prim::GetAttr") == 0 ? frame->values[node->inputs[0]] : NULL;
}

/* The number of operators that read a value. Being returned, perhaps in a tuple, does not count. */
static size_t count_uses(const htp_program_function *function, uint32_t value)
{
    size_t uses = 0;
    for (uint32_t i = 0; i < function->node_count; i++) {
        const htp_program_node *node = &function->nodes[i];
        bool is_tuple = strcmp(node->kind, "prim::TupleConstruct") == 0;
        for (uint32_t k = 0; k < node->input_count && !is_tuple; k++) {
            uses += node->inputs[k] == value;
        }
    }
    return uses;
}

/* Whether a node of the function normalises by running statistics of an object. */
static bool has_norm_of(const htp_machine *m, const htp_frame *frame, uint32_t object)
{
    const htp_program_function *function = &frame->code->function;
    for (uint32_t i = 0; i < function->node_count; i++) {
        const htp_program_node *node = &function->nodes[i];
        int running = node->schema == HTP_NONE
                          ? NO_ARGUMENT
                          : find_argument(&m->program->schemas[node->schema], statistics);
        const htp_item *holder = running >= 0 && (uint32_t)running < node->input_count
                                     ? find_holder(frame, node->inputs[running])
                                     : NULL;
        if (holder && holder->kind == HTP_ITEM_OBJECT && holder->object == object) {
            return true;
        }
    }
    return false;
}

/* The object that owns a tensor of the archive, or HTP_NONE. */
static uint32_t owner_of(const htp_machine *m, const htp_item *item)
{
    const htp_weights *weights = &m->instances->weights;
    uint32_t module =
        item->weight < weights->count ? weights->items[item->weight].module : HTP_NONE;
    return module < m->module_count ? m->instances->objects.items[module] : HTP_NONE;
}

/* Whether the step counts batches: it adds to an integer beside running statistics that nothing
 * else in the function reads; the next call of the module may. */
static bool counts_batches(const htp_machine *m, const htp_step *step)
{
    const htp_program_node *node = step->node;
    const htp_item *count = step->inputs.count > 0 ? step->inputs.items[0] : NULL;
    if (strcmp(node->kind, "aten::add_") != 0 || !count || !htp_is_tensor(count) ||
        htp_tensor_in(count, 0)->rank != 0 || !htp_type_is_whole(htp_tensor_in(count, 0)->type)) {
        return false;
    }
    const htp_program_function *function = &step->frame->code->function;
    uint32_t owner = owner_of(m, count);
    return owner != HTP_NONE && count_uses(function, node->inputs[0]) == 1 &&
           count_uses(function, node->outputs[0]) == 0 && has_norm_of(m, step->frame, owner) &&
           is_traced(m, &step->place);
}

/* ---- stochastic depth ---- */

static const htp_recorded_node *producer_of(const htp_machine *m, const htp_item *item)
{
    return item->producer == HTP_NONE ? NULL : &m->recording.nodes.items[item->producer];
}

/* Operand @p index of the node that makes an item, in place or not; NULL for another operator. */
static const htp_item *operand_of(const htp_machine *m, const htp_item *item, const char *operator_,
                                  uint32_t index)
{
    const htp_recorded_node *node = producer_of(m, item);
    size_t length = strlen(operator_);
    if (!node || strncmp(node->kind, operator_, length) != 0 || index >= node->input_count) {
        return NULL;
    }
    const char *rest = node->kind + length;
    rest += *rest == '_';
    return *rest == '\0' || *rest == '.' ? m->recording.items.items[node->inputs[index]] : NULL;
}

static bool read_number(htp_machine *m, const htp_item *item, double *number)
{
    htp_operand value = item->lane[0];
    if (!htp_is_constant(item) || (htp_is_tensor(item) && !htp_is_real(item))) {
        return false;
    }
    if (htp_is_tensor(item) && (htp_tensor_in(item, 0)->elements != 1 ||
                                !htp_tensor_number(m, htp_tensor_in(item, 0), &value))) {
        return false;
    }
    *number = value.kind == HTP_OPERAND_FLOAT ? value.as.f : (double)value.as.i;
    return value.kind == HTP_OPERAND_FLOAT || value.kind == HTP_OPERAND_INT;
}

/* Whether an item is a random mask: bernoulli(p), or floor(rand() + p). */
static bool is_mask(htp_machine *m, const htp_item *item, double *kept)
{
    const htp_item *drawn = operand_of(m, item, "aten::bernoulli", 1);
    if (drawn) {
        return read_number(m, drawn, kept);
    }
    const htp_item *sum = operand_of(m, item, "aten::floor", 0);
    const htp_item *uniform = sum ? operand_of(m, sum, "aten::add", 0) : NULL;
    return uniform && operand_of(m, uniform, "aten::rand", 0) &&
           read_number(m, operand_of(m, sum, "aten::add", 1), kept);
}

/* The dividend, if an item is a quotient by a number; or NULL. */
static const htp_item *dividend_of(htp_machine *m, const htp_item *item, double by)
{
    const htp_item *divisor = operand_of(m, item, "aten::div", 1);
    double number = 0;
    return divisor && read_number(m, divisor, &number) && number == by
               ? operand_of(m, item, "aten::div", 0)
               : NULL;
}

/* Whether a mask has the dtype of its factor, and is broadcast to its sizes. */
static bool fits(const htp_machine *m, const htp_item *mask, const htp_item *whole)
{
    bool fits = htp_is_tensor(mask) && htp_is_tensor(whole);
    for (uint32_t lane = 0; fits && lane < m->lane_count; lane++) {
        const htp_runner_tensor *a = htp_tensor_in(mask, lane);
        const htp_runner_tensor *b = htp_tensor_in(whole, lane);
        fits = a->type == b->type && a->rank <= b->rank;
        for (uint32_t i = 1; fits && i <= a->rank; i++) {
            fits = a->dims[a->rank - i] == 1 || a->dims[a->rank - i] == b->dims[b->rank - i];
        }
    }
    return fits;
}

/* The value of a product without dropping: for x * (mask / p) or (x / p) * mask; or NULL. */
static const htp_item *find_undropped(htp_machine *m, const htp_item *x, const htp_item *by)
{
    const htp_item *divisor = operand_of(m, by, "aten::div", 1);
    double kept = 0;
    double number = 0;
    if (divisor && read_number(m, divisor, &number)) {
        const htp_item *mask = dividend_of(m, by, number);
        return is_mask(m, mask, &kept) && kept == number && fits(m, by, x) ? x : NULL;
    }
    const htp_item *whole = is_mask(m, by, &kept) ? dividend_of(m, x, kept) : NULL;
    return whole && fits(m, by, whole) ? whole : NULL;
}

static htp_outcome multiply(htp_machine *m, htp_step *step, htp_items *outputs, bool *is_done)
{
    const htp_items *inputs = &step->inputs;
    if (inputs->count < 2 || !htp_is_tensor(inputs->items[0]) || !htp_is_tensor(inputs->items[1])) {
        return HTP_GOES_ON;
    }
    const htp_item *whole = find_undropped(m, inputs->items[0], inputs->items[1]);
    whole = whole ? whole : find_undropped(m, inputs->items[1], inputs->items[0]);
    if (!whole || !is_traced(m, &step->place)) {
        return HTP_GOES_ON;
    }
    *is_done = true;
    htp_item *given = m->recording.items.items[whole->id];
    htp_item *dropped = htp_item_float(m, 0.0);
    htp_item *no = htp_item_bool(m, false);
    htp_item *same = NULL;
    HTP_DO(htp_handler_run(m, "aten::dropout", "", HTP_ITEMS(m, given, dropped, no), &step->place,
                           &same));
    return htp_handler_give(m, outputs, same);
}

htp_outcome htp_inference_apply(htp_machine *m, htp_step *step, htp_items *outputs, bool *is_done)
{
    *is_done = false;
    if (step->node->schema == HTP_NONE) {
        return HTP_GOES_ON;
    }
    if (counts_batches(m, step)) {
        *is_done = true;
        return htp_handler_give(m, outputs, step->inputs.items[0]);
    }
    if (strcmp(step->node->kind, "aten::mul") == 0) {
        return multiply(m, step, outputs, is_done);
    }
    clear_flags(m, step, &m->program->schemas[step->node->schema]);
    return HTP_GOES_ON;
}
