#include "source/code/code_values.h"

#include "source/code/code_tokens.h"

#include <string.h>

enum { SHOWN_BYTES = 60 };

/* ---- literals ---- */

static bool is_literal(const htp_syntax_module *module, const htp_syntax_node *node);

static bool are_literals(const htp_syntax_module *module, const htp_syntax_node *node)
{
    for (uint32_t i = 0; i < node->count; i++) {
        if (!is_literal(module, node->parts[i])) {
            return false;
        }
    }
    return true;
}

static bool is_dotted_name(const htp_syntax_node *node)
{
    while (node->kind == HTP_SYNTAX_ATTRIBUTE) {
        node = node->parts[0];
    }
    return node->kind == HTP_SYNTAX_NAME;
}

static bool is_text(const htp_syntax_module *module, const htp_syntax_node *node, const char *text)
{
    const size_t bytes = node->end - node->start;
    return bytes == strlen(text) && memcmp(module->code.text + node->start, text, bytes) == 0;
}

const htp_syntax_node *htp_values_find_device(const htp_syntax_module *module,
                                              const htp_syntax_node *node)
{
    bool is_device = node->kind == HTP_SYNTAX_CALL && node->count >= 2 &&
                     is_dotted_name(node->parts[0]) &&
                     is_text(module, node->parts[0], "torch.device") &&
                     node->parts[1]->kind == HTP_SYNTAX_STRING;
    return is_device ? node->parts[1] : NULL;
}

/* Two calls that PyTorch writes: torch.device("cpu"), and annotate(List[int], []), whose first
 * argument is a type. */
static bool is_literal_call(const htp_syntax_module *module, const htp_syntax_node *call)
{
    const htp_syntax_node *callee = call->parts[0];
    if (htp_syntax_is_name(module, callee, "annotate")) {
        return call->count == 3 && call->parts[1]->kind != HTP_SYNTAX_KEYWORD &&
               is_literal(module, call->parts[2]);
    }
    return call->count == 2 && htp_values_find_device(module, call);
}

/* Whether a value needs no code to run: numbers (a complex one is a sum or difference of its
 * parts), texts, names, and collections of these. */
static bool is_literal(const htp_syntax_module *module, const htp_syntax_node *node)
{
    switch (node->kind) {
    case HTP_SYNTAX_NAME:
    case HTP_SYNTAX_NUMBER:
    case HTP_SYNTAX_STRING:
    case HTP_SYNTAX_TRUE:
    case HTP_SYNTAX_FALSE:
    case HTP_SYNTAX_NONE:
        return true;
    case HTP_SYNTAX_ATTRIBUTE:
        return is_dotted_name(node);
    case HTP_SYNTAX_UNARY:
        return node->operation == '-' && are_literals(module, node);
    case HTP_SYNTAX_BINARY:
        return (node->operation == '+' || node->operation == '-') && are_literals(module, node);
    case HTP_SYNTAX_TUPLE:
    case HTP_SYNTAX_LIST:
    case HTP_SYNTAX_DICT:
        return are_literals(module, node);
    case HTP_SYNTAX_CALL:
        return is_literal_call(module, node);
    default:
        return false;
    }
}

/* ---- declarations ---- */

/* Names the declaration in the message: "the default of argument" and its name; or, with @p owner,
 * the name and the class. */
static htp_status refuse(const htp_syntax_module *module, const htp_syntax_node *value,
                         const htp_syntax_node *named, const htp_syntax_node *owner)
{
    const char *text = module->code.text;
    const int name_bytes = (int)(owner ? named->end - named->start : named->name_bytes);
    const uint32_t bytes = value->end - value->start;
    return htp_status_make(
        HTP_CODE_UNSUPPORTED,
        "%s: %s, line %zu: %s%.*s%s%.*s is computed by \"%.*s%s\", which does not run when a file "
        "is opened; write out its value",
        module->code.path, module->code.name, htp_code_line(&module->code, value->start),
        owner ? "" : "the default of argument ", name_bytes,
        text + (owner ? named->start : named->name), owner ? " of class " : "",
        owner ? (int)owner->name_bytes : 0, owner ? text + owner->name : "",
        (int)(bytes > SHOWN_BYTES ? SHOWN_BYTES : bytes), text + value->start,
        bytes > SHOWN_BYTES ? "..." : "");
}

/* Class bodies also declare types of attributes whose names are not identifiers:
 * __annotations__["0"] = Tensor. */
static htp_status check_class(const htp_syntax_module *module, const htp_syntax_node *declared)
{
    const htp_syntax_node *body = declared->parts[1];
    for (uint32_t i = 0; i < body->count; i++) {
        const htp_syntax_node *statement = body->parts[i];
        if (statement->kind != HTP_SYNTAX_ASSIGNMENT) {
            continue;
        }
        const htp_syntax_node *target = statement->parts[0];
        const htp_syntax_node *value = statement->parts[statement->count - 1];
        if (value && target->kind != HTP_SYNTAX_SUBSCRIPT && !is_literal(module, value)) {
            return refuse(module, value, target, declared);
        }
    }
    return HTP_OK;
}

/* torch.jit.optimize_for_inference() writes constants without their values. */
static htp_status check_constant(const htp_syntax_module *module, const htp_syntax_node *call)
{
    const htp_syntax_node *callee = call->parts[0];
    if (!is_dotted_name(callee) || !is_text(module, callee, "ops.prim.ConstantMKLDNNTensor")) {
        return HTP_OK;
    }
    return htp_status_make(HTP_CODE_BAD_INPUT,
                           "%s: %s, line %zu: the file has lost weights, which "
                           "torch.jit.optimize_for_inference() packs for one processor and "
                           "save() leaves out: libtorch cannot load it either; save the module "
                           "before it is optimized",
                           module->code.path, module->code.name,
                           htp_code_line(&module->code, call->start));
}

/* Functions may be declared anywhere, even within others. */
static htp_status check_declarations(const htp_syntax_module *module, const htp_syntax_node *node)
{
    if (node->kind == HTP_SYNTAX_CLASS) {
        HTP_TRY(check_class(module, node));
    }
    if (node->kind == HTP_SYNTAX_CALL) {
        HTP_TRY(check_constant(module, node));
    }
    if (node->kind == HTP_SYNTAX_PARAMETER && node->parts[1] &&
        !is_literal(module, node->parts[1])) {
        return refuse(module, node->parts[1], node, NULL);
    }
    for (uint32_t i = 0; i < node->count; i++) {
        if (node->parts[i]) {
            HTP_TRY(check_declarations(module, node->parts[i]));
        }
    }
    return HTP_OK;
}

htp_status htp_values_check(const htp_syntax_module *module)
{
    return check_declarations(module, module->declarations);
}
