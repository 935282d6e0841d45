#include "program_fixture.h"
#include "source/program/arguments.h"
#include "source/program/traced_inputs.h"

/* ---- arguments ---- */

static void add_argument(htp_text *text, const htp_argument *argument)
{
    static const char *const kinds[] = {
        [HTP_TRACE_TENSOR] = "tensor", [HTP_TRACE_INT] = "int",       [HTP_TRACE_FLOAT] = "float",
        [HTP_TRACE_BOOL] = "bool",     [HTP_TRACE_STRING] = "string", [HTP_TRACE_LIST] = "list",
        [HTP_TRACE_OPAQUE] = "opaque",
    };
    htp_text_addf(text, "%s:%s", argument->name, kinds[argument->kind]);
    htp_text_add(text, argument->is_optional ? "?" : "");
    if (argument->has_default) {
        htp_text_addf(text, "=%s", argument->default_value);
    }
    if (argument->kind == HTP_TRACE_LIST) {
        htp_text_add(text, argument->is_dict ? "{" : argument->is_open ? "[" : "(");
        for (uint32_t i = 0; i < argument->item_count; i++) {
            htp_text_add(text, i ? " " : "");
            add_argument(text, &argument->items[i]);
        }
        htp_text_add(text, argument->is_dict ? "}" : argument->is_open ? "]" : ")");
    }
}

/* The arguments of a method with this declaration. */
static const char *arguments_of(htp_arena *arena, const char *own)
{
    htp_text text = {.arena = arena};
    const htp_program *program = program_read(
        arena,
        htp_arena_printf(arena, "class Net\ndef Net.forward(%%self:Net, %s)\n  -> %%self\n", own));
    uint32_t count = 0;
    const htp_argument *arguments = htp_arguments_list(arena, program, 0, &count);
    for (uint32_t i = 0; i < count; i++) {
        htp_text_add(&text, i ? ", " : "");
        add_argument(&text, &arguments[i]);
    }
    return htp_text_string(&text);
}

UNIT_TEST(arguments_have_kinds_by_their_types)
{
    ck_assert_str_eq(arguments_of(arena, "%x, %n:int, %f:float, %s:Scalar, %b:bool, %t:str, "
                                         "%d:Device, %o:Net"),
                     "x:tensor, n:int, f:float, s:float, b:bool, t:string, d:opaque, o:opaque");
}

UNIT_TEST(nested_types_have_items)
{
    ck_assert_str_eq(arguments_of(arena, "%p:tuple[Tensor,list[tuple[int,Tensor]]], "
                                         "%d:dict[str,list[Tensor]], %e:tuple"),
                     "p:list(0:tensor 1:list[:list(0:int 1:tensor)]), d:list{:list[:tensor]}, "
                     "e:list()");
}

UNIT_TEST(optional_ones_may_stay_out)
{
    ck_assert_str_eq(arguments_of(arena, "%x:Optional[Tensor], %n:Optional[Optional[int]], "
                                         "%p:tuple[Optional[tuple[Tensor]]]"),
                     "x:tensor?, n:int?, p:list(0:list?(0:tensor))");
}

UNIT_TEST(types_are_told_as_they_are_written)
{
    uint32_t count = 0;
    const htp_program *program =
        program_read(arena, "class Net\n"
                            "def Net.forward(%self:Net, %x:Optional[list[Tensor]])\n"
                            "  -> %x\n");
    const htp_argument *arguments = htp_arguments_list(arena, program, 0, &count);
    ck_assert_uint_eq(count, 1);
    ck_assert_str_eq(arguments[0].type, "Optional[list[Tensor]]");
    ck_assert_str_eq(arguments[0].items[0].type, "Tensor");
    ck_assert_str_eq(htp_arguments_returns(program, 0), "None");
}

UNIT_TEST(defaults_make_arguments_optional)
{
    uint32_t count = 0;
    const htp_program *program = program_read(arena, "class Net\n"
                                                     "def Net.forward(%self:Net, %x, %n:int)\n"
                                                     "  -> %x\n");
    const program_fixture *p = program->reader;
    htp_program_schema *schema = &p->schemas.items[0];
    htp_program_argument own[3];
    memcpy(own, schema->arguments, sizeof(own));
    own[2].default_data = 0;
    own[2].default_text = "3";
    schema->arguments = own;
    schema->returns = &own[1];
    schema->return_count = 1;
    const htp_argument *arguments = htp_arguments_list(arena, program, 0, &count);
    ck_assert(!arguments[0].is_optional && !arguments[0].has_default);
    ck_assert_ptr_null(arguments[0].default_value);
    ck_assert(arguments[1].is_optional && arguments[1].has_default);
    ck_assert_str_eq(arguments[1].default_value, "3");
    ck_assert_str_eq(htp_arguments_returns(program, 0), "Tensor");
}

/* An argument with a type nested this deep. */
static const char *nested(htp_arena *arena, int depth)
{
    htp_text text = {.arena = arena};
    htp_text_add(&text, "%x:");
    for (int i = 0; i < depth; i++) {
        htp_text_add(&text, "list[");
    }
    htp_text_add(&text, "int");
    for (int i = 0; i < depth; i++) {
        htp_text_add(&text, "]");
    }
    return htp_text_string(&text);
}

UNIT_TEST(types_that_are_nested_deeply_are_opaque_further_down)
{
    ck_assert_str_eq(arguments_of(arena, nested(arena, 8)),
                     "x:list[:list[:list[:list[:list[:list[:list[:list[:int]]]]]]]]");
    ck_assert_str_eq(arguments_of(arena, nested(arena, 9)),
                     "x:list[:list[:list[:list[:list[:list[:list[:list[:opaque]]]]]]]]");
}

UNIT_TEST(types_of_very_many_parts_are_opaque_behind_them)
{
    htp_text text = {.arena = arena};
    for (int argument = 0; argument < 3; argument++) {
        htp_text_addf(&text, "%s%%p%d:tuple[", argument ? ", " : "", argument);
        for (int i = 0; i < 2000; i++) {
            htp_text_add(&text, "int,");
        }
        htp_text_add(&text, "]");
    }
    const htp_program *program = program_read(
        arena, htp_arena_printf(arena, "class Net\ndef Net.forward(%%self:Net, %s)\n  -> %%self\n",
                                htp_text_string(&text)));
    uint32_t count = 0;
    const htp_argument *arguments = htp_arguments_list(arena, program, 0, &count);
    ck_assert_uint_eq(count, 3);
    ck_assert_uint_eq(arguments[1].item_count, 2000);
    ck_assert_int_eq(arguments[2].kind, HTP_TRACE_OPAQUE);
    ck_assert_ptr_null(arguments[2].items);
}

/* ---- inputs of tracing ---- */

static uint32_t traced; /* data, or HTP_NONE */

static htp_shim_code load_traced_inputs(const htp_program *program, const char *method,
                                        uint32_t *data, htp_error *error)
{
    (void)program;
    (void)error;
    *data = strcmp(method, "forward") == 0 ? traced : HTP_NONE;
    return HTP_SHIM_OK;
}

static void add_input(htp_text *text, const htp_input *input)
{
    htp_text_addf(text, "%s%s", input->name ? input->name : "", input->name ? ":" : "");
    if (input->is_none) {
        htp_text_add(text, "none");
    } else if (input->is_scalar) {
        htp_text_addf(text, "%d %g", (int)input->dtype, input->scalar);
    } else if (!input->is_nested) {
        for (uint32_t i = 0; i < input->rank; i++) {
            htp_text_addf(text, "[%d]", (int)input->dims[0][i]);
        }
    }
    for (uint32_t i = 0; i < input->count; i++) {
        htp_text_add(text, i ? ", " : "(");
        add_input(text, &input->items[i]);
        htp_text_add(text, i + 1 == input->count ? ")" : "");
    }
}

/* Data made from a list in an attribute. */
static const char *inputs_of(htp_arena *arena, const char *list, const char *method)
{
    const htp_program *program =
        program_read(arena, htp_arena_printf(arena, "class Net held=list[%s]\n", list));
    program_fixture *p = program->reader;
    p->program.load_traced_inputs = load_traced_inputs;
    traced = p->slots.items[0].items[0];
    htp_text text = {.arena = arena};
    const htp_input *inputs = NULL;
    uint32_t count = 0;
    expect_ok(htp_traced_inputs_find(arena, program, method, &inputs, &count));
    for (uint32_t i = 0; i < count; i++) {
        htp_text_add(&text, i ? " " : "");
        add_input(&text, &inputs[i]);
    }
    return htp_text_string(&text);
}

UNIT_TEST(traced_inputs_are_described)
{
    ck_assert_int_eq(HTP_DTYPE_INT64, 4);
    ck_assert_str_eq(inputs_of(arena, "tensor[2,3] 4 2.5 True None \"text\"", "forward"),
                     "0:[2][3] 1:4 4 2:7 2.5 3:11 1 4:none 5:none");
    ck_assert_str_eq(inputs_of(arena, "list[tensor[5] list[1]]", "forward"),
                     "0:(0:[5], 1:(0:4 1))");
    ck_assert_str_eq(inputs_of(arena, "tensor[2,3]", "other"), "");
}

UNIT_TEST(numbers_that_a_double_does_not_hold_are_left_out)
{
    ck_assert_str_eq(
        inputs_of(arena, "9007199254740992 9007199254740993 -9007199254740993", "forward"),
        "0:4 9.0072e+15 1:none 2:none");
}

UNIT_TEST(traced_inputs_that_are_nested_deeply_are_left_out)
{
    htp_text text = {.arena = arena};
    for (int i = 0; i < 40; i++) {
        htp_text_add(&text, "list[");
    }
    htp_text_add(&text, "1");
    for (int i = 0; i < 40; i++) {
        htp_text_add(&text, "]");
    }
    const char *inputs = inputs_of(arena, htp_text_string(&text), "forward");
    ck_assert_ptr_nonnull(strstr(inputs, "0:none"));
    ck_assert_ptr_null(strstr(inputs, "4 1"));
}

UNIT_MAIN("arguments", arguments_have_kinds_by_their_types, nested_types_have_items,
          optional_ones_may_stay_out, types_are_told_as_they_are_written,
          defaults_make_arguments_optional, types_that_are_nested_deeply_are_opaque_further_down,
          types_of_very_many_parts_are_opaque_behind_them, traced_inputs_are_described,
          numbers_that_a_double_does_not_hold_are_left_out,
          traced_inputs_that_are_nested_deeply_are_left_out)
