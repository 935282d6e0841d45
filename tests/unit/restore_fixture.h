/*
 * Objects that are restored with the made-up runner: attributes, lists, tuples and dicts are values
 * that it hands out whole.
 */
#ifndef HTP_TESTS_RESTORE_FIXTURE_H
#define HTP_TESTS_RESTORE_FIXTURE_H

#include "interpret/restore/restore.h"
#include "runner_fixture.h"

#include <inttypes.h>

/** A list, tuple or dict, by what it begins with in text. */
typedef struct restore_held {
    char opens;
    HTP_VECTOR(htp_operand) items;
} restore_held;

typedef struct restore_attribute {
    uint32_t object;
    const char *name;
    htp_operand value;
} restore_attribute;

/** What bodies begin with: the parts of the state, ([4, 5], 3, True). */
#define STATE "%l:list, %n:int, %c:bool = prim::TupleUnpack(%state)\n"
#define ONE "%one:int = prim::Constant<1>()\n"
#define NOTHING "%none = prim::Constant<None>()\n"

/** How a refusal ends, and its code. */
#define REFUSED ", which does not run when a file is opened; save the module without "
#define RUNS_NOT HTP_CODE_UNSUPPORTED

/** One restoration. */
typedef struct restoration {
    runner_fixture *made_up;
    htp_runner runner;
    HTP_VECTOR(restore_attribute) attributes; /* in the order in which they were first set */
    htp_text ran;                             /* kinds of operators that ran, and methods */
    htp_runner_facts facts;
    uint64_t ticks;
    uint64_t stops_at; /* the tick that stops it; 0: none */
    htp_code code;
    const char *message; /* why it failed; "" */
} restoration;

static inline restore_held *restore_held_of(const htp_operand *operand)
{
    ck_assert_int_eq(operand->kind, HTP_OPERAND_OTHER);
    return (restore_held *)(uintptr_t)operand->as.other;
}

static inline htp_operand restore_hold(htp_arena *arena, char opens, const htp_operand *items,
                                       uint32_t count)
{
    restore_held *made = HTP_NEW(arena, restore_held);
    made->opens = opens;
    for (uint32_t i = 0; i < count; i++) {
        HTP_PUSH(arena, &made->items, items[i]);
    }
    return (htp_operand){.kind = HTP_OPERAND_OTHER, .as.other = made};
}

/* ---- the runner ------------------------------------------------------------------------------ */

static inline uint32_t restore_find(void *self, const char *name, const char *overload)
{
    restoration *r = self;
    return runner_find(r->made_up, name, overload);
}

static inline htp_run_code restore_give(restoration *r, htp_operand output,
                                        const htp_operand **outputs, uint32_t *output_count)
{
    htp_operand *kept = HTP_NEW(r->made_up->arena, htp_operand);
    *kept = output;
    *outputs = kept;
    *output_count = 1;
    return HTP_RUN_OK;
}

static inline htp_run_code restore_run(void *self, uint32_t schema, htp_run_mode mode,
                                       const htp_operand *inputs, uint32_t input_count,
                                       const htp_operand **outputs, uint32_t *output_count,
                                       htp_error *error)
{
    restoration *r = self;
    const char *kind = r->made_up->program->program.schemas[schema].kind;
    htp_operand none = {.kind = HTP_OPERAND_NONE};
    ck_assert_int_eq(mode, HTP_RUN_WHOLE);
    htp_text_addf(&r->ran, " %s", kind);
    if (strcmp(kind, "aten::append.t") == 0) {
        HTP_PUSH(r->made_up->arena, &restore_held_of(&inputs[0])->items, inputs[1]);
        return restore_give(r, inputs[0], outputs, output_count);
    }
    if (strcmp(kind, "aten::len.t") == 0) {
        int64_t count = (int64_t)restore_held_of(&inputs[0])->items.count;
        return restore_give(r, (htp_operand){.kind = HTP_OPERAND_INT, .as.i = count}, outputs,
                            output_count);
    }
    bool is_given = strcmp(kind, "aten::zero_") == 0 || strcmp(kind, "aten::mul.left_t") == 0 ||
                    strstr(kind, ".__setstate__");
    if (is_given || strcmp(kind, "aten::empty") == 0 || strcmp(kind, "aten::zeros") == 0) {
        return restore_give(r, is_given ? inputs[0] : none, outputs, output_count);
    }
    return runner_run(r->made_up, schema, mode, inputs, input_count, outputs, output_count, error);
}

static inline restore_attribute *restore_find_attribute(restoration *r, uint32_t object,
                                                        const char *name)
{
    for (size_t i = 0; i < r->attributes.count; i++) {
        restore_attribute *attribute = &r->attributes.items[i];
        if (attribute->object == object && strcmp(attribute->name, name) == 0) {
            return attribute;
        }
    }
    HTP_PUSH(r->made_up->arena, &r->attributes,
             (restore_attribute){.object = object, .name = name});
    return &r->attributes.items[r->attributes.count - 1];
}

static inline htp_run_code restore_evaluate(void *self, uint32_t function, uint32_t node,
                                            const htp_operand *inputs, uint32_t input_count,
                                            const htp_operand **outputs, uint32_t *output_count,
                                            htp_error *error)
{
    restoration *r = self;
    const htp_program_node *of = &r->made_up->program->program.functions[function].nodes[node];
    bool sets = strcmp(of->kind, "prim::SetAttr") == 0;
    if (sets || strcmp(of->kind, "prim::GetAttr") == 0) {
        if (inputs[0].kind != HTP_OPERAND_OBJECT) {
            (void)snprintf(error->message, sizeof(error->message), "it is no object");
            return HTP_RUN_RAISED;
        }
        restore_attribute *of_object = restore_find_attribute(r, inputs[0].as.object, of->name);
        of_object->value = sets ? inputs[1] : of_object->value;
        return restore_give(r, of_object->value, outputs, output_count);
    }
    if (strstr(of->kind, "Unpack")) {
        const restore_held *held = restore_held_of(&inputs[0]);
        *outputs = held->items.items;
        *output_count = (uint32_t)held->items.count;
        return HTP_RUN_OK;
    }
    char opens = strstr(of->kind, "List") ? '[' : strstr(of->kind, "Dict") ? '{' : '(';
    htp_operand made = restore_hold(r->made_up->arena, opens, inputs, input_count);
    return restore_give(r, made, outputs, output_count);
}

static inline bool restore_describe(void *self, const htp_operand *handle, htp_operand *described)
{
    const restore_held *held = restore_held_of(handle);
    (void)self;
    *described = (htp_operand){.kind = HTP_OPERAND_LIST,
                               .count = (uint32_t)held->items.count,
                               .type = HTP_NONE,
                               .as.elements = held->items.items};
    return true;
}

static inline uint32_t restore_make_object(void *self, uint32_t class_number)
{
    restoration *r = self;
    return runner_make_object(r->made_up, class_number);
}

static inline const htp_runner_facts *restore_facts(void *self)
{
    restoration *r = self;
    return &r->facts;
}

static inline bool restore_tick(void *user, uint64_t done, uint64_t total)
{
    restoration *r = user;
    (void)done;
    (void)total;
    return ++r->ticks != r->stops_at;
}

/* ---- programs -------------------------------------------------------------------------------- */

/** Gives classes the names that people know them by, as readers of programs do. */
static inline void restore_name_classes(htp_arena *arena, program_fixture *p)
{
    static const char root[] = "__torch__.";
    static const char mangling[] = "___torch_mangle_7.";
    for (size_t i = 0; i < p->classes.count; i++) {
        htp_program_class *of = &p->classes.items[i];
        bool is_of_code = strncmp(of->name, root, strlen(root)) == 0;
        const char *plain = of->name + (is_of_code ? strlen(root) : 0);
        const char *mangled = strstr(plain, mangling);
        of->plain_name = mangled ? htp_arena_printf(arena, "%.*s%s", (int)(mangled - plain), plain,
                                                    mangled + strlen(mangling))
                                 : plain;
    }
}

/** The program of a text that stands behind some classes and operators. */
static inline restoration *restore_prepare(htp_arena *arena, const char *text)
{
    static const char *const declared = "schema aten::append.t self:list! el:int -> r:list\n"
                                        "schema aten::mul.left_t l:list n:int -> r:list\n"
                                        "schema aten::empty size:list\n"
                                        "schema aten::zero_ self! -> self!\n"
                                        "schema aten::rand size:list\n"
                                        "class Net count=0\n"
                                        "class Block count=0\n"
                                        "class __torch__.torch.classes.quantized.Packed count=0\n"
                                        "class __torch__.torch.classes.house.Table count=0\n"
                                        "class __torch__.torch.classes.cuda.Stream count=0\n"
                                        "class __torch__.model.___torch_mangle_7.Deep count=0\n";
    restoration *r = HTP_NEW(arena, restoration);
    const htp_program *program = program_read(
        arena, htp_arena_printf(arena, "%s%s%s", runner_schemas_text(arena), declared, text));
    r->made_up = runner_make_up(arena, program);
    restore_name_classes(arena, r->made_up->program);
    r->ran.arena = arena;
    r->facts.engine = "nobody";
    r->runner = (htp_runner){.self = r,
                             .find = restore_find,
                             .run = restore_run,
                             .evaluate = restore_evaluate,
                             .describe = restore_describe,
                             .make_object = restore_make_object,
                             .is_instance = runner_is_instance,
                             .facts = restore_facts};
    return r;
}

/** Restores the object of a class from ([4, 5], 3, True). */
static inline void restore_follow(restoration *r, const char *class_name)
{
    htp_arena *arena = r->made_up->arena;
    const htp_operand numbers[] = {{.kind = HTP_OPERAND_INT, .as.i = 4},
                                   {.kind = HTP_OPERAND_INT, .as.i = 5}};
    const htp_operand parts[] = {restore_hold(arena, '[', numbers, 2),
                                 {.kind = HTP_OPERAND_INT, .as.i = 3},
                                 {.kind = HTP_OPERAND_BOOL, .as.b = true}};
    const htp_operand state = restore_hold(arena, '(', parts, 3);
    const htp_restoring of = {.program = &r->made_up->program->program,
                              .runner = &r->runner,
                              .object =
                                  program_named(&r->made_up->program->class_names, class_name),
                              .state = &state,
                              .tick = restore_tick,
                              .user = r};
    htp_status status = htp_restore(&of);
    r->code = htp_status_code(status);
    r->message = htp_arena_strdup(arena, htp_status_message(status));
    htp_status_free(status);
}

/* ---- text ------------------------------------------------------------------------------------ */

static inline void restore_add_value(htp_text *text, const htp_operand *value)
{
    switch (value->kind) {
    case HTP_OPERAND_INT:
        htp_text_addf(text, "%" PRId64, value->as.i);
        return;
    case HTP_OPERAND_FLOAT:
        htp_text_addf(text, "%g", value->as.f);
        return;
    case HTP_OPERAND_BOOL:
        htp_text_add(text, value->as.b ? "True" : "False");
        return;
    case HTP_OPERAND_STRING:
        htp_text_addf(text, "'%s'", value->as.text);
        return;
    case HTP_OPERAND_OBJECT:
        htp_text_addf(text, "object");
        return;
    case HTP_OPERAND_OTHER:
        break;
    default:
        htp_text_add(text, "None");
        return;
    }
    const restore_held *held = restore_held_of(value);
    static const char *const begins[] = {"[", "{", "("};
    static const char *const ends[] = {"]", "}", ")"};
    size_t form = held->opens == '[' ? 0 : held->opens == '{' ? 1 : 2;
    htp_text_add(text, begins[form]);
    for (size_t i = 0; i < held->items.count; i++) {
        htp_text_add(text, i ? " " : "");
        const htp_operand *item = &held->items.items[i];
        if (item->kind == HTP_OPERAND_OTHER) {
            htp_text_add(text, ".."); /* a list may hold itself */
        } else {
            restore_add_value(text, item);
        }
    }
    htp_text_add(text, ends[form]);
}

/** All attributes: "count=3 list=[4 5]". */
static inline const char *restore_attributes(restoration *r)
{
    htp_text text = {.arena = r->made_up->arena};
    for (size_t i = 0; i < r->attributes.count; i++) {
        htp_text_addf(&text, "%s%s=", i ? " " : "", r->attributes.items[i].name);
        restore_add_value(&text, &r->attributes.items[i].value);
    }
    return htp_text_string(&text);
}

/** Restores a Net by a body of its __setstate__, with more functions behind it. */
static inline restoration *restore_net(htp_arena *arena, const char *body, const char *others)
{
    restoration *r = restore_prepare(
        arena, htp_arena_printf(arena, "def Net.__setstate__(%%self:Net, %%state:tuple)\n%s\n%s",
                                body, others));
    restore_follow(r, "Net");
    return r;
}

/** Checks what attributes it leaves. */
static inline void restore_expect(htp_arena *arena, const char *body, const char *others,
                                  const char *attributes)
{
    restoration *r = restore_net(arena, body, others);
    ck_assert_msg(r->code == HTP_CODE_OK, "%s", r->message);
    ck_assert_str_eq(restore_attributes(r), attributes);
}

/** Checks how one ends that cannot be followed. */
static inline void restore_expect_end(htp_arena *arena, const char *body, const char *others,
                                      htp_code code, const char *message)
{
    restoration *r = restore_net(arena, body, others);
    ck_assert_int_eq(r->code, code);
    ck_assert_msg(strstr(r->message, message), "%s", r->message);
}

#endif
