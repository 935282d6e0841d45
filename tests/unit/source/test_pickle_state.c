/*
 * Pickles of states: dicts of tensors by torch.save(). Listed contents and refusals; the pickle
 * machine itself is tested in test_pickle.c.
 */
#include "arguments_fixture.h"
#include "source/pickle/pickle.h"
#include "unit.h"

typedef struct state {
    htp_archive archive;
    const unsigned char *bytes;
    htp_pickle_contents contents;
} state;

static htp_status check(htp_arena *arena, state *s, const char *bytes, size_t count)
{
    static const htp_archive_record records[] = {
        {.name = "data/0", .bytes = 64, .is_stored = true},
        {.name = "data/1", .bytes = 6, .is_stored = true},
    };
    *s = (state){.archive = {.records = records, .record_count = 2}};
    for (uint32_t i = 0; i < s->archive.record_count; i++) {
        htp_map_set(arena, &s->archive.by_name, records[i].name, i);
    }
    s->bytes = htp_arena_alloc(arena, count);
    memcpy((unsigned char *)s->bytes, bytes, count);
    const htp_pickle pickle = {.path = "net.pt2",
                               .name = "data.pkl",
                               .bytes = s->bytes,
                               .count = (uint32_t)count,
                               .archive = &s->archive,
                               .storages = "data/",
                               .role = HTP_PICKLE_OF_STATE,
                               .kept = arena};
    return htp_pickle_check(arena, &pickle, &s->contents);
}

#define CHECK(body) check(arena, &s, "\x80\x02" body, sizeof("\x80\x02" body) - 1)
#define REFUSE(body, words) expect_failure(CHECK(body), HTP_CODE_BAD_INPUT, words)

/* Each value, one opcode, follows a name of one letter. */
#define DICT(members) "}(" members "u."
#define NAME(letter) "X\x01\0\0\0" letter
#define STORAGE(kind, key, elements)                                                               \
    "(X\x07\0\0\0storagec" kind "\nX\x01\0\0\0" key "X\x03\0\0\0cpuK" elements "tQ"
#define FLOATS STORAGE("torch\nFloatStorage", "0", "\x10")
#define HOOKS "ccollections\nOrderedDict\n)R"
#define TENSOR(storage, numbers)                                                                   \
    "ctorch._utils\n_rebuild_tensor_v2\n(" storage numbers "\x89" HOOKS "tR"
#define PARAMETER(tensor, trains) "ctorch._utils\n_rebuild_parameter\n" tensor trains HOOKS "\x87R"
#define UNTYPED(numbers, dtype)                                                                    \
    "ctorch._utils\n_rebuild_tensor_v3\n(" STORAGE("torch.storage\nUntypedStorage", "1", "\x06")   \
        numbers "\x89" HOOKS "ctorch\n" dtype "\ntR"

static void expect_tensor(const state *s, size_t index, char name, char key, htp_dtype dtype)
{
    ck_assert_uint_lt(index, s->contents.tensors.count);
    const htp_pickle_tensor *tensor = &s->contents.tensors.items[index];
    ck_assert_uint_eq(tensor->name_bytes, 1);
    ck_assert_int_eq(s->bytes[tensor->name], name);
    ck_assert_uint_eq(tensor->key_bytes, 1);
    ck_assert_int_eq(s->bytes[tensor->key], key);
    ck_assert_int_eq((int)tensor->dtype, (int)dtype);
}

UNIT_TEST(tensors_are_listed)
{
    state s;
    expect_ok(CHECK(DICT(NAME("a") TENSOR(FLOATS, "K\x02K\x03K\x04\x86K\x01K\x03\x86") NAME("b")
                             PARAMETER(TENSOR(FLOATS, "K\0))"), "\x88") NAME("c")
                                 PARAMETER(TENSOR(STORAGE("torch\nHalfStorage", "1", "\x03"),
                                                  "K\0K\x03\x85K\x01\x85"),
                                           "\x89"))));
    ck_assert_uint_eq(s.contents.tensors.count, 3);
    expect_tensor(&s, 0, 'a', '0', HTP_DTYPE_FLOAT32);
    expect_tensor(&s, 1, 'b', '0', HTP_DTYPE_FLOAT32);
    expect_tensor(&s, 2, 'c', '1', HTP_DTYPE_FLOAT16);
    const htp_pickle_tensor *tensors = s.contents.tensors.items;
    ck_assert(!tensors[0].is_parameter && !tensors[0].requires_grad);
    ck_assert(tensors[1].is_parameter && tensors[1].requires_grad);
    ck_assert(tensors[2].is_parameter && !tensors[2].requires_grad);
    ck_assert_uint_eq(tensors[0].rank, 2);
    ck_assert_int_eq(tensors[0].offset, 2);
    ck_assert_int_eq(tensors[0].sizes[0], 3);
    ck_assert_int_eq(tensors[0].sizes[1], 4);
    ck_assert_int_eq(tensors[0].strides[0], 1);
    ck_assert_int_eq(tensors[0].strides[1], 3);
    ck_assert_uint_eq(tensors[1].rank, 0);
}

UNIT_TEST(one_tensor_may_have_two_names)
{
    state s;
    expect_ok(CHECK(DICT(NAME("a") TENSOR(FLOATS, "K\0K\x02\x85K\x01\x85") "q\0" NAME("b") "h\0")));
    ck_assert_uint_eq(s.contents.tensors.count, 2);
    expect_tensor(&s, 0, 'a', '0', HTP_DTYPE_FLOAT32);
    expect_tensor(&s, 1, 'b', '0', HTP_DTYPE_FLOAT32);
    ck_assert_ptr_eq(s.contents.tensors.items[0].sizes, s.contents.tensors.items[1].sizes);
}

UNIT_TEST(storages_of_bytes)
{
    state s;
    expect_ok(CHECK(DICT(NAME("a") UNTYPED("K\0K\x03\x85K\x01\x85", "float16") NAME("b")
                             UNTYPED("K\0K\x06\x85K\x01\x85", "float8_e4m3fn"))));
    expect_tensor(&s, 0, 'a', '1', HTP_DTYPE_FLOAT16);
    expect_tensor(&s, 1, 'b', '1', HTP_DTYPE_OTHER);
    REFUSE(DICT(NAME("a") UNTYPED("K\0K\x04\x85K\x01\x85", "float16")),
           "reaches beyond its storage of 3 float16 elements");
    REFUSE(DICT(NAME("a") UNTYPED("K\0K\x02\x85K\x01\x85", "float32")),
           "reaches beyond its storage of 1 float32 elements");
}

UNIT_TEST(attributes_of_parameters_are_left_out)
{
    state s;
    expect_ok(CHECK(DICT(NAME("a") "ctorch._utils\n_rebuild_parameter_with_state\n(" TENSOR(
        FLOATS, "K\0))") "\x88" HOOKS "}" NAME("x") "K\1stR")));
    ck_assert_uint_eq(s.contents.tensors.count, 1);
    ck_assert(s.contents.tensors.items[0].is_parameter);
}

/* The minimum number of bytes, with the sign in the highest one. */
UNIT_TEST(ints_of_few_bytes)
{
    state s;
    expect_ok(CHECK(
        DICT(NAME("a") TENSOR(FLOATS, "\x8a\x01\x02\x8a\x02\x02\0\x85\x8a\x03\x05\0\0\x85"))));
    const htp_pickle_tensor *tensor = &s.contents.tensors.items[0];
    ck_assert_int_eq(tensor->offset, 2);
    ck_assert_int_eq(tensor->sizes[0], 2);
    ck_assert_int_eq(tensor->strides[0], 5);
    expect_ok(CHECK(DICT(NAME("a") TENSOR(FLOATS, "\x8a\0))"))));
    REFUSE(DICT(NAME("a") TENSOR(FLOATS, "\x8a\x01\xff))")), "begins at element -1");
    REFUSE(DICT(NAME("a") TENSOR(FLOATS, "\x8a\x09\1\1\1\1\1\1\1\1\1))")), "an int of 9 bytes");
}

/* Nothing is called: the first name that makes no plain tensor is refused. */
UNIT_TEST(objects_are_refused_by_their_names)
{
    static const struct {
        const char *bytes;
        const char *words;
    } rows[] = {
        {"}cos\nsystem\n.", "os.system makes no plain tensor"},
        {"}c__main__\nNet\n.", "__main__.Net makes"},
        {"}c__torch__\nNet\n.", "__torch__.Net makes"},
        {"}ctorch._utils\n_rebuild_qtensor\n.", "_rebuild_qtensor makes"},
        {"}ctorch._utils\n_rebuild_sparse_tensor\n.", "_rebuild_sparse_tensor makes"},
        {"}ctorch._tensor\n_rebuild_from_type_v2\n.", "_rebuild_from_type_v2 makes"},
        {"}ctorch\ndevice\n.", "torch.device makes"},
        {"}ctorch\nper_tensor_affine\n.", "torch.per_tensor_affine makes"},
        {"}ctorch.jit._pickle\nbuild_intlist\n.", "build_intlist makes"},
        {"}cbuiltins\ncomplex\n.", "builtins.complex makes"},
        {"}ca\nb\x01\n.", "a.b? makes"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        state s;
        const char *bytes = htp_arena_join(arena, "\x80\x02", "", rows[i].bytes);
        expect_failure(check(arena, &s, bytes, strlen(bytes)), HTP_CODE_UNSUPPORTED, rows[i].words);
    }
}

UNIT_TEST(what_is_no_dict_of_tensors)
{
    state s;
    REFUSE("N.", "no dict of tensors");
    REFUSE(").", "no dict of tensors");
    REFUSE(DICT(NAME("a") "N"), "a member of the dict is no tensor with a name");
    REFUSE(DICT(NAME("a") "}"), "a member of the dict is no tensor with a name");
    REFUSE(DICT("K\x01" TENSOR(FLOATS, "K\0))")), "a member of the dict is no tensor with a name");
    REFUSE(DICT(NAME("a") FLOATS), "a member of the dict is no tensor with a name");
    REFUSE(DICT(NAME("a") TENSOR(FLOATS, "K\0))") NAME("a") TENSOR(FLOATS, "K\0))")),
           "the name a is there twice");
    REFUSE("}" NAME("a"), "it is cut short");
    REFUSE(DICT(NAME("a") TENSOR(STORAGE("torch\nFloatStorage", "2", "\x01"), "K\0))")),
           "without its record (data/2)");
    expect_ok(CHECK("}."));
    ck_assert_uint_eq(s.contents.tensors.count, 0);
}

/* Any status is fine; sanitizers check the reads and writes. */
UNIT_TEST(damage_ends_in_a_status)
{
    static const char whole[] = "\x80\x02" DICT(
        NAME("a") PARAMETER(TENSOR(FLOATS, "K\x02K\x03K\x04\x86K\x01K\x03\x86"), "\x88") NAME("b")
            UNTYPED("K\0K\x03\x85K\x01\x85", "float16"));
    state s;
    char bytes[sizeof(whole)];
    for (size_t count = 0; count < sizeof(whole) - 1; count++) {
        memcpy(bytes, whole, sizeof(whole));
        expect_failure(check(arena, &s, bytes, count), HTP_CODE_BAD_INPUT, "net.pt2: ");
        for (unsigned bit = 0; bit < 8; bit++) {
            bytes[count] = (char)(whole[count] ^ (1 << bit));
            htp_status_free(check(arena, &s, bytes, sizeof(whole) - 1));
            bytes[count] = whole[count];
        }
    }
}

/* Each tensor made of a tuple of sizes visits all of them. */
UNIT_TEST(tensors_have_few_dims)
{
    static const struct {
        size_t rank;
        const char *words; /* NULL: it is accepted */
    } rows[] = {{HTP_MAX_RANK, NULL},
                {HTP_MAX_RANK + 1, "a has 65 dims, more than 64"},
                {1024, "a has 1024 dims, more than 64"},
                {1025, "a tensor of 1025 dims"}};
    static const char head[] =
        "\x80\x02}(" NAME("a") "ctorch._utils\n_rebuild_tensor_v2\n(" FLOATS "K\0(";
    static const char end[] = "tq\0h\0\x89NtRu.";
    for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
        state s;
        char *bytes = htp_arena_alloc(arena, sizeof(head) + 2 * rows[row].rank + sizeof(end));
        size_t count = sizeof(head) - 1;
        memcpy(bytes, head, sizeof(head));
        for (size_t i = 0; i < rows[row].rank; i++) {
            bytes[count++] = 'K';
            bytes[count++] = 1;
        }
        memcpy(bytes + count, end, sizeof(end));
        htp_status status = check(arena, &s, bytes, count + sizeof(end) - 1);
        if (rows[row].words) {
            expect_failure(status, HTP_CODE_BAD_INPUT, rows[row].words);
        } else {
            expect_ok(status);
        }
    }
}

UNIT_MAIN("pickle_state", tensors_are_listed, one_tensor_may_have_two_names, storages_of_bytes,
          attributes_of_parameters_are_left_out, ints_of_few_bytes,
          objects_are_refused_by_their_names, what_is_no_dict_of_tensors, damage_ends_in_a_status,
          tensors_have_few_dims)
