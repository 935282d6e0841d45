#include "base/device.h"
#include "interpret/machine/devices.h"
#include "unit.h"

#include <string.h>

static bool reads(const char *text, const char *type, int index)
{
    htp_device device;
    return htp_device_read(text, strlen(text), &device) && strcmp(device.type, type) == 0 &&
           device.index == index;
}

static bool is_none(const char *text)
{
    htp_device device;
    return !htp_device_read(text, strlen(text), &device);
}

UNIT_TEST(names_and_indices)
{

    ck_assert(reads("cpu", "cpu", -1));
    ck_assert(reads("cuda:0", "cuda", 0));
    ck_assert(reads("cuda:127", "cuda", 127));
    ck_assert(reads("own_2:13", "own_2", 13));
}

UNIT_TEST(what_is_no_device)
{
    static const char *const texts[] = {"",
                                        ":",
                                        ":0",
                                        "cuda:",
                                        "cuda:-1",
                                        "cuda:01",
                                        "cuda:128",
                                        "cuda:0:",
                                        "cuda 0",
                                        "0",
                                        "cuda:99999999999999999999"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        ck_assert_msg(is_none(texts[i]), "%s", texts[i]);
    }
    char *huge = htp_arena_printf(arena, "%1000000s", "");
    memset(huge, 'x', 1000000);
    ck_assert(is_none(huge));
    htp_device device;
    ck_assert(!htp_device_read("cu\0da", 5, &device));
}

UNIT_TEST(whose_names_they_are)
{

    ck_assert_int_eq(htp_device_origin_of("cuda"), HTP_DEVICE_OF_LIBTORCH);
    ck_assert_int_eq(htp_device_origin_of(HTP_DEVICE_ALIAS), HTP_DEVICE_OF_LIBTORCH);
    ck_assert_int_eq(htp_device_origin_of("npu"), HTP_DEVICE_OF_SOME);
    ck_assert_int_eq(htp_device_origin_of("nosuch"), HTP_DEVICE_OF_NOBODY);
}

static const char *on(const char *text)
{
    static char made[HTP_DEVICE_TYPE_LIMIT + 16];
    htp_device device;
    ck_assert(htp_device_read(text, strlen(text), &device));
    return htp_device_of_tensor(&device, made);
}

UNIT_TEST(where_tensors_are)
{

    ck_assert_str_eq(on("cpu:0"), "cpu");
    ck_assert_str_eq(on("cuda"), "cuda:0");
    ck_assert_str_eq(on("mps:0"), "mps:0");
    ck_assert_str_eq(on("meta"), "meta");
}

/* ---- devices in archives ------------------------------------------------------------------ */

static htp_operand text(const char *text)
{
    return (htp_operand){.kind = HTP_OPERAND_STRING, .as.text = text, .bytes = strlen(text)};
}

/* The device of torch.device(name), or torch.device(name, index); NULL for none. */
static const char *make(htp_arena *arena, const htp_devices *devices, const char *name,
                        int64_t index)
{
    const htp_operand given = text(name);
    const htp_operand number = {.kind = HTP_OPERAND_INT, .as.i = index};
    htp_operand device;
    const char *reason = NULL;
    bool is_made =
        htp_devices_make(devices, arena, &given, index < -1 ? NULL : &number, &device, &reason);
    ck_assert(is_made || strstr(reason, "is no device"));
    return is_made ? device.as.text : NULL;
}

UNIT_TEST(devices_that_a_program_makes)
{
    const htp_devices none = {.home = NULL};
    ck_assert_str_eq(make(arena, &none, "cuda:1", -2), "cuda:1");
    ck_assert_str_eq(make(arena, &none, "cuda", 1), "cuda:1");
    ck_assert_str_eq(make(arena, &none, "cuda", -1), "cuda");
    ck_assert_ptr_null(make(arena, &none, "cuda:1", 1));
    ck_assert_ptr_null(make(arena, &none, "cuda", 128));
    ck_assert_ptr_null(make(arena, &none, "own", -2));
    htp_map types = {0};
    htp_map_set(arena, &types, "own", 0);
    const htp_devices known = {.types = &types};
    ck_assert_str_eq(make(arena, &known, "own", -2), "own");
    ck_assert_ptr_null(make(arena, &known, "other", -2));
}

UNIT_TEST(tensors_are_where_their_records_were)
{
    const char *locations[] = {NULL, "cuda:1"};
    htp_map records = {0};
    htp_map_set(arena, &records, "data/0", 0);
    htp_map_set(arena, &records, "data/1", 1);
    const htp_devices devices = {.home = "cuda:0", .records = &records, .locations = locations};
    ck_assert_ptr_null(htp_devices_of_record(&devices, "data/0"));
    ck_assert_str_eq(htp_devices_of_record(&devices, "data/1"), "cuda:1");
    ck_assert_ptr_null(htp_devices_of_record(&devices, ""));
    ck_assert_ptr_null(htp_devices_of_record(&(htp_devices){.home = NULL}, "data/1"));
    ck_assert(htp_devices_are_several(&devices));
    locations[1] = "cuda:0";
    ck_assert(!htp_devices_are_several(&devices));
    ck_assert(!htp_devices_are_several(&(htp_devices){.home = NULL}));
}

UNIT_TEST(names_that_libtorch_does_not_know)
{
    const htp_devices devices = {.renamed = "npu"};
    const htp_operand read = htp_devices_read(&devices, arena, "ve:1", 4);
    ck_assert_str_eq(read.as.text, "npu:1");
    ck_assert_str_eq(htp_devices_write(&devices, arena, &read).as.text, "ve:1");
    ck_assert_str_eq(htp_devices_read(&devices, arena, "cuda:1", 6).as.text, "cuda:1");
    ck_assert_str_eq(htp_devices_for_kernels(&read).as.text, "cpu");
    const htp_operand meta = {.kind = HTP_OPERAND_DEVICE, .as.text = "meta", .bytes = 4};
    ck_assert_str_eq(htp_devices_for_kernels(&meta).as.text, "meta");
}

UNIT_TEST(queries)
{
    htp_operand answer;
    ck_assert(htp_devices_answer(arena, "prim::is_cuda", "cuda:1", &answer) && answer.as.b);
    ck_assert(htp_devices_answer(arena, "prim::is_cuda", "cpu", &answer) && !answer.as.b);
    ck_assert(htp_devices_answer(arena, "aten::get_device", "cuda:1", &answer) && answer.as.i == 1);
    ck_assert(htp_devices_answer(arena, "aten::get_device", "cpu", &answer) && answer.as.i == -1);
    ck_assert(htp_devices_answer(arena, "prim::index", "cpu", &answer));
    ck_assert_int_eq(answer.kind, HTP_OPERAND_NONE);
    ck_assert(htp_devices_answer(arena, "prim::type", "mps:0", &answer));
    ck_assert_str_eq(answer.as.text, "mps");
    ck_assert(!htp_devices_answer(arena, "prim::is_sparse", "cpu", &answer));
    ck_assert(!htp_devices_answer(arena, "aten::add", "cpu", &answer));
}

UNIT_MAIN("device", names_and_indices, what_is_no_device, whose_names_they_are, where_tensors_are,
          devices_that_a_program_makes, tensors_are_where_their_records_were,
          names_that_libtorch_does_not_know, queries)
