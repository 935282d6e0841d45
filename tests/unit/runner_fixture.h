/*
 * A made-up runner: tensors that are sizes and numbers, and a few operators, so that what follows
 * programs can be tried without libtorch.
 */
#ifndef HTP_TESTS_RUNNER_FIXTURE_H
#define HTP_TESTS_RUNNER_FIXTURE_H

#include "runner_table.h"

static inline uint32_t runner_find(void *self, const char *name, const char *overload)
{
    runner_fixture *r = self;
    const char *kind = *overload ? htp_arena_printf(r->arena, "%s.%s", name, overload) : name;
    uint32_t number = HTP_NONE;
    return htp_map_get(&r->program->schema_names, kind, &number) ? number : HTP_NONE;
}

static inline htp_run_code runner_run(void *self, uint32_t schema, htp_run_mode mode,
                                      const htp_operand *inputs, uint32_t input_count,
                                      const htp_operand **outputs, uint32_t *output_count,
                                      htp_error *error)
{
    runner_fixture *r = self;
    const char *kind = r->program->program.schemas[schema].kind;
    runner_rule *rule = runner_find_rule(kind);
    htp_operand *output = HTP_NEW_ARRAY(r->arena, htp_operand, RUNNER_OUTPUTS);
    runner_call call = {r, mode, inputs, input_count, output, error, output_count};
    *outputs = output;
    *output_count = 1;
    if (++r->runs == r->fails_at) {
        return r->fails_with ? r->fails_with : runner_raise(&call, "it was told to");
    }
    return rule ? rule(&call) : runner_raise(&call, "the runner has no such operator");
}

static inline uint32_t runner_make_object(void *self, uint32_t class_number)
{
    runner_fixture *r = self;
    program_fixture *p = r->program;
    HTP_PUSH(r->arena, &p->objects, (htp_program_object){.class_number = class_number});
    HTP_PUSH(r->arena, &p->slots, (program_numbers){0});
    p->program.objects = p->objects.items;
    return (uint32_t)p->objects.count - 1;
}

static inline bool runner_is_instance(void *self, uint32_t function, uint32_t node,
                                      const htp_operand *value)
{
    (void)self;
    (void)function;
    (void)node;
    return value->kind == HTP_OPERAND_TENSOR;
}

static inline bool runner_is_equal(void *self, const htp_operand *a, const htp_operand *b)
{
    (void)self;
    return a->as.other == b->as.other;
}

static inline const char *runner_text_of(void *self, const htp_operand *operand)
{
    runner_fixture *r = self;
    return htp_arena_printf(r->arena, "%lld", (long long)operand->as.i);
}

static inline const htp_runner_facts *runner_facts(void *self)
{
    static const htp_runner_facts facts = {
        .engine = "nobody", .dtypes = 45, .layouts = 8, .memory_formats = 4};
    (void)self;
    return &facts;
}

static inline void runner_begin(void *self)
{
    (void)self;
}

static inline uint64_t runner_mark(void *self)
{
    (void)self;
    return 0;
}

static inline void runner_release(void *self, uint64_t mark)
{
    (void)self;
    (void)mark;
}

/** A runner of the operators that a program names: runner_schemas_text() stands before it. */
static inline runner_fixture *runner_make_up(htp_arena *arena, const htp_program *program)
{
    runner_fixture *r = HTP_NEW(arena, runner_fixture);
    r->arena = arena;
    r->program = program->reader;
    r->storages = (uint64_t)1 << 32; /* those of data come before */
    r->runner = (htp_runner){
        .self = r,
        .find = runner_find,
        .run = runner_run,
        .make = runner_make,
        .contents = runner_contents,
        .data = runner_data,
        .keep = runner_keep,
        .make_object = runner_make_object,
        .is_instance = runner_is_instance,
        .is_equal = runner_is_equal,
        .text_of = runner_text_of,
        .facts = runner_facts,
        .begin = runner_begin,
        .end = runner_begin,
        .mark = runner_mark,
        .release = runner_release,
    };
    return r;
}

#endif
