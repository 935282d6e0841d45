#include "arguments_fixture.h"
#include "source/pickle/pickle.h"
#include "unit.h"

#include <stdio.h>

/* The records to which the pickles refer. */
static void make_records(htp_arena *arena, htp_archive *archive)
{
    static const htp_archive_record records[] = {
        {.name = "data/0", .bytes = 64, .is_stored = true},
        {.name = "data/1", .bytes = 64, .is_stored = false},
        {.name = "data/2", .bytes = 0, .is_stored = true},
    };
    *archive = (htp_archive){.records = records, .record_count = 3};
    for (uint32_t i = 0; i < archive->record_count; i++) {
        htp_map_set(arena, &archive->by_name, records[i].name, i);
    }
}

static htp_status check_contents(htp_arena *arena, const char *bytes, size_t count,
                                 htp_pickle_role role, bool are_storages_left_out,
                                 htp_pickle_contents *contents)
{
    htp_archive archive;
    make_records(arena, &archive);
    /* A copy of exactly its size, so that checkers see reads beyond the end. */
    unsigned char *copy = malloc(count + 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, bytes, count);
    copy = realloc(copy, count ? count : 1);
    ck_assert_ptr_nonnull(copy);
    const htp_pickle pickle = {.path = "model.pt",
                               .name = "data.pkl",
                               .bytes = copy,
                               .count = (uint32_t)count,
                               .archive = &archive,
                               .storages = role == HTP_PICKLE_OF_LINES ? NULL : "data/",
                               .are_storages_left_out = are_storages_left_out,
                               .role = role,
                               .kept = arena};
    htp_status status = htp_pickle_check(arena, &pickle, contents);
    free(copy);
    return status;
}

static htp_status check_kind(htp_arena *arena, const char *bytes, size_t count,
                             htp_pickle_role role, bool are_storages_left_out)
{
    htp_pickle_contents contents = {.cost = 0};
    return check_contents(arena, bytes, count, role, are_storages_left_out, &contents);
}

/* A pickle in a literal, which may contain NULs. */
#define CHECK(body)                                                                                \
    check_kind(arena, "\x80\x02" body, sizeof("\x80\x02" body) - 1, HTP_PICKLE_OF_PROGRAM, false)
#define CHECK_DEBUG(body)                                                                          \
    check_kind(arena, "\x80\x02" body, sizeof("\x80\x02" body) - 1, HTP_PICKLE_OF_LINES, false)
#define ACCEPT(body) expect_ok(CHECK(body))
#define REFUSE(body, words) expect_failure(CHECK(body), HTP_CODE_BAD_INPUT, words)

UNIT_TEST(values)
{
    ACCEPT("N.");
    ACCEPT("\x88.");
    ACCEPT("K\x01.");
    ACCEPT("M\x01\x02.");
    ACCEPT("J\xff\xff\xff\xff.");
    ACCEPT("\x8a\x08"
           "12345678"
           ".");
    ACCEPT("G12345678.");
    ACCEPT("X\x03\0\0\0abc.");
    ACCEPT("X\0\0\0\0.");
    ACCEPT(").");
    ACCEPT("(t.");
    ACCEPT("(K\x01K\x02t.");
    ACCEPT("K\x01\x85.");
    ACCEPT("K\x01K\x02\x86.");
    ACCEPT("K\x01K\x02K\x03\x87.");
    ACCEPT("](K\x01K\x02"
           "e.");
    ACCEPT("(K\x01l.");
    ACCEPT("}(K\x01K\x02u.");
    ACCEPT("}K\x01K\x02s.");
    ACCEPT("(K\x01K\x02"
           "d.");
    ACCEPT("N. what follows is not read");
}

UNIT_TEST(streams_that_are_cut_short)
{
    REFUSE("", "it is cut short");
    REFUSE("N", "it is cut short");
    REFUSE("M\x01", "it is cut short");
    REFUSE("\x8a\x08"
           "1234567",
           "it is cut short");
    REFUSE("X\x03\0", "it is cut short");
    REFUSE("X\xff\xff\xff\xff"
           "abc.",
           "a string of 4294967295 bytes, of which 4 are there");
    REFUSE("c__torch__\nNet", "a name has no end");
    REFUSE("c__torch__", "a name has no end");
    expect_failure(check_kind(arena, "", 0, HTP_PICKLE_OF_PROGRAM, false), HTP_CODE_BAD_INPUT,
                   "protocol 2");
    expect_failure(check_kind(arena, "\x80\x04N.", 4, HTP_PICKLE_OF_PROGRAM, false),
                   HTP_CODE_BAD_INPUT, "protocol 2");
}

UNIT_TEST(opcodes_that_nobody_writes)
{
    REFUSE("N0.", "data.pkl at byte 3: opcode 0x30");
    REFUSE("\x80\x02N.", "opcode 0x80");
    REFUSE("\x8a\x01"
           "1.",
           "an int of 1 bytes");
    REFUSE("\x8a\xff"
           "1.",
           "an int of 255 bytes");
}

UNIT_TEST(the_stack_and_its_marks)
{
    REFUSE(".", "ends with 0 values");
    REFUSE("NN.", "ends with 2 values");
    REFUSE("N(.", "1 marks");
    REFUSE("\x85.", "takes 1 values of a stack of 0");
    REFUSE("N\x86.", "takes 2 values of a stack of 1");
    REFUSE("N(\x85.", "takes 1 values of a stack of 0");
    REFUSE("t.", "a sequence without a mark");
    REFUSE("Ne.", "a sequence without a mark");
    REFUSE("(K\x01"
           "e.",
           "takes 1 values of a stack of 0");
    REFUSE("N(K\x01"
           "e.",
           "something that is no list");
    REFUSE("](u.", "no dict");
    REFUSE("q\0.", "takes 1 values of a stack of 0");
    REFUSE("N(q\0.", "takes 1 values of a stack of 0");
}

UNIT_TEST(keys_and_values)
{
    REFUSE("}(K\x01u.", "1 keys and values: one is missing");
    REFUSE("}(K\x01K\x02K\x03u.", "3 keys and values: one is missing");
    REFUSE("(K\x01"
           "d.",
           "1 keys and values: one is missing");
    REFUSE("K\x01K\x02s.", "takes 1 values of a stack of 0");
    REFUSE("NK\x01K\x02s.", "no dict");
}

UNIT_TEST(the_memo)
{
    ACCEPT("Nq\0h\0\x86.");
    ACCEPT("Nr\0\0\0\0j\0\0\0\0\x86.");
    ACCEPT("Nq\0q\0h\0\x86.");
    REFUSE("Nr\0\x28\x6b\xee.", "memo number 4000000000 follows 0 others");
    REFUSE("Nq\x01.", "memo number 1 follows 0 others");
    REFUSE("h\0.", "memo number 0 was never given");
    REFUSE("Nq\0j\x01\0\0\0.", "memo number 1 was never given");
}

/* ---- nesting ---- */

static htp_status check_tuples(htp_arena *arena, size_t depth)
{
    size_t count = depth + 4;
    char *bytes = malloc(count);
    ck_assert_ptr_nonnull(bytes);
    memcpy(bytes, (const char[]){(char)0x80, 2, 'N'}, 3);
    memset(bytes + 3, 0x85, depth);
    bytes[count - 1] = '.';
    htp_status status = check_kind(arena, bytes, count, HTP_PICKLE_OF_PROGRAM, false);
    free(bytes);
    return status;
}

UNIT_TEST(nesting)
{
    expect_ok(check_tuples(arena, 1000));
    expect_failure(check_tuples(arena, 1000000), HTP_CODE_BAD_INPUT, "nested more than 2000 deep");
}

UNIT_TEST(values_in_themselves)
{
    ACCEPT("]q\0(K\x01"
           "e(K\x02"
           "e.");
    REFUSE("]q\0(h\0e.", "a part of another value, or of itself");
    REFUSE("}q\0K\x01h\0s.", "a part of another value, or of itself");
    REFUSE("]q\0(](h\0e"
           "e.",
           "a part of another value, or of itself");
    /* The tuple knows the list's depth. */
    REFUSE("]q\0\x85h\0(]e\x86.", "a part of another value, or of itself");
}

/* Each of 40 tuples contains the previous one twice. */
UNIT_TEST(values_that_unfold)
{
    char bytes[256] = "\x80\x02)";
    size_t count = 3;
    for (char i = 0; i < 40; i++) {
        const char step[] = {'q', i, 'h', i, (char)0x86};
        memcpy(bytes + count, step, sizeof(step));
        count += sizeof(step);
    }
    bytes[count++] = '.';
    expect_failure(check_kind(arena, bytes, count, HTP_PICKLE_OF_PROGRAM, false),
                   HTP_CODE_BAD_INPUT, "shared values unfold to more than 10000000");
}

/* Checks the cost of tuple types. */
static void expect_cost(htp_arena *arena, const char *bytes, size_t count, double cost)
{
    htp_pickle_contents contents = {.cost = -1};
    expect_ok(check_contents(arena, bytes, count, HTP_PICKLE_OF_PROGRAM, false, &contents));
    ck_assert_double_eq(contents.cost, cost);
}

#define COST(body, cost) expect_cost(arena, "\x80\x02" body, sizeof("\x80\x02" body) - 1, cost)

UNIT_TEST(costs_of_tuples)
{
    COST(").", 0);
    COST("N.", 1);
    COST("K\x01\x85.", 1);
    COST(")\x85.", 1);
    COST("K\x01\x85\x85.", 3);
    COST("K\x01\x85K\x01K\x02\x86K\x03\x87.", 5);
    COST("K\x01\x85\x85\x85.", 7);
    COST("K\x01\x85q\0h\0\x86\x85.", 13);
    COST("](K\x01\x85"
         "e\x85\x85.",
         3);
    COST("}K\x01K\x02\x85s\x85.", 1);
    COST("c__torch__\nNamed\nK\x01K\x02\x86\x85R\x85.", 11);
    COST("c__torch__\nNet\n)\x81}b\x85.", 1);
}

/* ---- functions ---- */

#define LIST                                                                                       \
    "ctorch.jit._pickle\nbuild_intlist\n(](K\x01K\x02"                                             \
    "etR"

UNIT_TEST(functions)
{
    ACCEPT(LIST ".");
    ACCEPT("ctorch.jit._pickle\nbuild_doublelist\n(](G12345678etR.");
    ACCEPT("ctorch.jit._pickle\nbuild_boollist\n(](\x88\x89"
           "etR.");
    ACCEPT("ctorch.jit._pickle\nbuild_tensorlist\n(]tR.");
    ACCEPT("ctorch.jit._pickle\nrestore_type_tag\n]X\x09\0\0\0List[int]\x86R.");
    ACCEPT("ctorch.jit._pickle\nrestore_type_tag\n}X\x0e\0\0\0Dict[str, int]\x86R.");
    ACCEPT("cbuiltins\ncomplex\nG12345678G12345678\x86R.");
    ACCEPT("ctorch\ndevice\nX\x03\0\0\0cpu\x85R.");
    ACCEPT("ccollections\nOrderedDict\n)R.");
    ACCEPT("c__main__\nIntList\n](K\x01"
           "eb.");
    REFUSE("ctorch.jit._pickle\nbuild_intlist\n(](NetR.", "elements of another type");
    REFUSE("ctorch.jit._pickle\nbuild_intlist\n)R.", "called with 0 arguments, not with 1");
    REFUSE("ctorch.jit._pickle\nbuild_intlist\nNR.", "without a tuple of arguments");
    REFUSE("ctorch.jit._pickle\nbuild_intlist\nN\x85R.", "makes a list of something else");
    REFUSE("ctorch.jit._pickle\nrestore_type_tag\n]\x85R.", "called with 1 arguments, not with 2");
    REFUSE("ctorch.jit._pickle\nrestore_type_tag\nNX\0\0\0\0\x86R.",
           "something that is no list and no dict");
    REFUSE("cbuiltins\ncomplex\nG12345678N\x86R.", "not made of two floats");
    REFUSE("ctorch\ndevice\nN\x85R.", "without a string");
    REFUSE("ctorch.jit._pickle\nbuild_tensor_from_id\nK\0\x85R.", "nothing that TorchScript saves");
    REFUSE("ctorch._tensor\n_rebuild_from_type_v2\nN.", "nothing that TorchScript saves");
    REFUSE("ctorch\nx\x1b[2J\nN.", "torch.x?[2J, which");
    REFUSE("K\0N\x85R.", "no function and no class");
}

UNIT_TEST(types_that_nest)
{
    char bytes[1024] = "\x80\x02"
                       "ctorch.jit._pickle\nrestore_type_tag\n]X";
    size_t count = 2 + strlen(bytes + 2);
    const unsigned char length[] = {0xc8, 0, 0, 0};
    memcpy(bytes + count, length, 4);
    memset(bytes + count + 4, '[', 200);
    memcpy(bytes + count + 204, (const char[]){(char)0x86, 'R', '.'}, 3);
    expect_failure(check_kind(arena, bytes, count + 207, HTP_PICKLE_OF_PROGRAM, false),
                   HTP_CODE_BAD_INPUT, "a type is nested more than 100 deep");
}

UNIT_TEST(objects)
{
    ACCEPT("c__torch__\nNet\n)\x81}(X\x01\0\0\0aNub.");
    ACCEPT("c__torch__\nColor\nK\x01R.");
    REFUSE("c__torch__\nNet\n\x81}b.", "takes 2 values of a stack of 1");
    REFUSE("N)\x81}b.", "an object of something that is no class");
    REFUSE("c__torch__\nNet\nN\x81}b.", "an object of something that is no class");
    REFUSE("N}b.", "no function and no class");
}

/* ---- tensors ---- */

#define STORAGE(class, key, count)                                                                 \
    "(X\x07\0\0\0storagectorch\n" class "\nX\x01\0\0\0" key "X\x03\0\0\0cpu" count "tQ"
#define TENSOR(storage, rest)                                                                      \
    "ctorch._utils\n_rebuild_tensor_v2\n(" storage rest "\x89"                                     \
    "ccollections\nOrderedDict\n)RtR."
#define OF_16(rest) TENSOR(STORAGE("FloatStorage", "0", "K\x10"), rest)
#define HUGE "\x8a\x08\0\0\0\0\0\0\0\x40" /* 2^62 */
#define MINUS_1 "J\xff\xff\xff\xff"

UNIT_TEST(storages)
{
    ACCEPT(OF_16("K\0(K\x04K\x04t(K\x04K\x01t"));
    ACCEPT(TENSOR(STORAGE("FloatStorage", "1", "K\x10"), "K\0(K\x10t(K\x01t"));
    ACCEPT(TENSOR(STORAGE("ByteStorage", "0", "K\x40"), "K\0(K\x40t(K\x01t"));
    ACCEPT(TENSOR(STORAGE("FloatStorage", "9", "K\0"), "K\0(K\0t(K\x01t"));
    REFUSE(TENSOR(STORAGE("FloatStorage", "0", "J\x90\xd0\x03\0"), "K\0(t(t"),
           "a storage of 250000 float32 elements over a record of 64 bytes (data/0)");
    REFUSE(TENSOR(STORAGE("FloatStorage", "1", "J\x90\xd0\x03\0"), "K\0(t(t"),
           "a storage of 250000 float32 elements over a record of 64 bytes (data/1)");
    REFUSE(TENSOR(STORAGE("FloatStorage", "0", "K\x11"), "K\0(t(t"), "a storage of 17 float32");
    REFUSE(TENSOR(STORAGE("ComplexDoubleStorage", "0", "K\x05"), "K\0(t(t"), "5 complex128");
    REFUSE(TENSOR(STORAGE("FloatStorage", "0", HUGE), "K\0(t(t"),
           "a storage of 4611686018427387904 elements");
    REFUSE(TENSOR(STORAGE("FloatStorage", "0", MINUS_1), "K\0(t(t"), "a storage of -1 elements");
    REFUSE(TENSOR(STORAGE("FloatStorage", "9", "K\x01"), "K\0(t(t"), "without its record (data/9)");
    REFUSE(TENSOR(STORAGE("FloatStorage", "\0", "K\x01"), "K\0(t(t"), "(data/?)");
    REFUSE(TENSOR(STORAGE("OddStorage", "0", "K\x01"), "K\0(t(t"), "torch.OddStorage");
    REFUSE("NQ.", "a storage is not in PyTorch's form");
    REFUSE("(tQ.", "a storage is not in PyTorch's form");
}

UNIT_TEST(tensors_that_reach_out)
{
    ACCEPT(OF_16("K\x0f(t(t"));
    ACCEPT(OF_16("K\0(K\xffK\x10t(K\0K\x01t"));
    ACCEPT(OF_16("K\x10(K\0K\x10t(K\x10K\x01t"));
    REFUSE(OF_16("K\x10(t(t"), "offset 16 reaches beyond its storage of 16 float32 elements");
    REFUSE(OF_16("K\0(K\x11t(K\x01t"), "sizes [17], strides [1], offset 0 reaches beyond");
    REFUSE(OF_16("K\x01(K\x04K\x04t(K\x04K\x01t"), "reaches beyond");
    REFUSE(OF_16("K\0(K\x02t(K\x10t"), "reaches beyond");
    REFUSE(OF_16("K\0(K\x03t(" HUGE "t"), "reaches beyond");
    REFUSE(OF_16("K\0(K\x02" HUGE "K\x02t(K\0K\0K\0t"), "reaches beyond");
    REFUSE(OF_16(HUGE "(t(t"), "begins at element 4611686018427387904");
    REFUSE(OF_16(MINUS_1 "(t(t"), "begins at element -1");
    REFUSE(OF_16("K\0(" MINUS_1 "t(K\x01t"), "sizes are negative (-1)");
    REFUSE(OF_16("K\0(K\x02t(" MINUS_1 "t"), "strides are negative (-1)");
    REFUSE(OF_16("K\0(K\x02t(t"), "1 sizes with 0 strides");
    REFUSE(OF_16("K\0(Nt(Nt"), "sizes are no ints");
    REFUSE(OF_16("K\0(t"), "a tensor is not in PyTorch's form");
    REFUSE(TENSOR("N", "K\0(t(t"), "a tensor is not in PyTorch's form");
    REFUSE("ctorch._utils\n_rebuild_tensor_v2\n)R.", "a tensor is not in PyTorch's form");
}

#define QTENSOR(class, count, rest)                                                                \
    "ctorch._utils\n_rebuild_qtensor\n(" STORAGE(class, "0",                                       \
                                                 count) "K\0" rest "\x89"                          \
                                                        "ccollections\nOrderedDict\n)RtR."
#define CHANNELS(count)                                                                            \
    "ctorch._utils\n_rebuild_tensor_v2\n(" STORAGE("DoubleStorage", "0",                           \
                                                   "K\x08") "K\0(K" count "t(K\x01t\x89"           \
                                                            "ccollections\nOrderedDict\n)RtR"
#define BY_CHANNEL(scales, zeros, axis)                                                            \
    "(ctorch\nper_channel_affine\n" CHANNELS(scales) CHANNELS(zeros) axis "t"
#define BY_TENSOR "(ctorch\nper_tensor_affine\nG12345678K\0t"

UNIT_TEST(quantised_tensors)
{
    ACCEPT(QTENSOR("QInt8Storage", "K\x40", "(K\x08K\x08t(K\x08K\x01t" BY_TENSOR));
    ACCEPT(QTENSOR("QInt8Storage", "K\x40",
                   "(K\x08K\x08t(K\x08K\x01t" BY_CHANNEL("\x08", "\x08", "K\x01")));
    /* A byte has two elements. */
    ACCEPT(QTENSOR("QUInt4x2Storage", "K\x40", "(K\x80t(K\x01t" BY_TENSOR));
    REFUSE(QTENSOR("QUInt4x2Storage", "K\x40", "(K\x81t(K\x01t" BY_TENSOR), "of 128 quint4x2");
    REFUSE(QTENSOR("QInt8Storage", "K\x40",
                   "(K\x08K\x08t(K\x08K\x01t" BY_CHANNEL("\x08", "\x07", "K\x01")),
           "of 8 channels has not as many");
    REFUSE(QTENSOR("QInt8Storage", "K\x40",
                   "(K\x08K\x08t(K\x08K\x01t" BY_CHANNEL("\x08", "\x08", "K\x02")),
           "has its channels in dim 2");
    REFUSE(QTENSOR("FloatStorage", "K\x10", "(t(t" BY_TENSOR), "a quantised tensor of float32");
    REFUSE(TENSOR(STORAGE("QInt8Storage", "0", "K\x10"), "K\0(t(t"), "a not quantised tensor of q");
    REFUSE(QTENSOR("QInt8Storage", "K\x40", "(t(t(ctorch\nper_tensor_symmetric\nt"),
           "quantised in a way");
    REFUSE(QTENSOR("QInt8Storage", "K\x40", "(t(t(t"),
           "a quantised tensor is not in PyTorch's form");
}

UNIT_TEST(storages_without_contents)
{
    static const char left_out[] =
        "\x80\x02" TENSOR(STORAGE("FloatStorage", "2", "K\x10"), "K\0(K\x10t(K\x01t");
    expect_ok(check_kind(arena, left_out, sizeof(left_out) - 1, HTP_PICKLE_OF_PROGRAM, true));
    expect_failure(check_kind(arena, left_out, sizeof(left_out) - 1, HTP_PICKLE_OF_PROGRAM, false),
                   HTP_CODE_BAD_INPUT, "over a record of 0 bytes");
    REFUSE("(X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\0"
           "2X\x04\0\0\0metaK\x10tQ.",
           "it was saved on the device meta");
}

/* ---- positions in sources ---- */

#define TEXTS                                                                                      \
    "X\x18\0\0\0"                                                                                  \
    "FORMAT_WITH_STRING_TABLE(X\x01\0\0\0"                                                         \
    "aX\x01\0\0\0"                                                                                 \
    "bt"

UNIT_TEST(sources)
{
    expect_ok(CHECK_DEBUG("(t."));
    expect_ok(CHECK_DEBUG("(K\0X\0\0\0\0X\0\0\0\0K\0\x87K\0K\0\x87K\0\x87t."));
    expect_ok(CHECK_DEBUG(TEXTS "(K\0"
                                "ctorch.jit._pickle\nbuild_intlist\n(](K\0K\x01"
                                "etRK\0K\0"
                                "\x87K\0K\0\x87K\0\x87t\x87."));
    expect_failure(CHECK_DEBUG(TEXTS "(K\0"
                                     "ctorch.jit._pickle\nbuild_intlist\n(](K\0K\x02"
                                     "etRK"
                                     "\0K\0\x87K\0K\0\x87K\0\x87t\x87."),
                   HTP_CODE_BAD_INPUT, "not among its 2 texts");
    expect_failure(CHECK_DEBUG("N."), HTP_CODE_BAD_INPUT, "no tuple of positions");
    expect_failure(CHECK_DEBUG(TEXTS "\x86."), HTP_CODE_BAD_INPUT, "are not there");
    expect_failure(CHECK_DEBUG("K\0\x85\x85."), HTP_CODE_BAD_INPUT,
                   "a position is not in PyTorch's form");
    expect_failure(CHECK_DEBUG(STORAGE("FloatStorage", "0", "K\x10") "."), HTP_CODE_BAD_INPUT,
                   "where there are no tensors");
}

/* ---- whatever the bytes are ---- */

/* Opcodes in random order: reading ends, and stays within bounds. */
UNIT_TEST(random_opcodes)
{
    static const char parts[][48] = {
        "N",
        "K\x01",
        "K\x00",
        "](",
        "}(",
        "(",
        "t",
        "e",
        "u",
        "s",
        "\x85",
        "\x86",
        "\x87",
        "l",
        "d",
        ")",
        "q",
        "h",
        "R",
        "b",
        "Q",
        ".",
        "\x81",
        "]",
        "ctorch\nFloatStorage\n",
        "ctorch._utils\n_rebuild_tensor_v2\n",
        "c__torch__\nNet\n",
        "ctorch.jit._pickle\nbuild_intlist\n",
        "X\x01\x01\x01\x01",
        "\x8a\x08",
        "G1234567",
    };
    enum { ROUNDS = 20000, STEPS = 24, PARTS = sizeof(parts) / sizeof(parts[0]) };
    uint64_t state = 1;
    for (int round = 0; round < ROUNDS; round++) {
        char bytes[STEPS * sizeof(parts[0])] = "\x80\x02";
        size_t count = 2;
        for (int step = 0; step < STEPS; step++) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            const char *part = parts[(state >> 33) % PARTS];
            for (const char *byte = part; *byte; byte++) {
                bytes[count++] = *byte;
            }
            if (*part == 'q' || *part == 'h') {
                bytes[count++] = (char)(state >> 60);
            }
        }
        htp_status_free(check_kind(arena, bytes, count, round % 3, false));
    }
}

UNIT_MAIN("pickle", values, streams_that_are_cut_short, opcodes_that_nobody_writes,
          the_stack_and_its_marks, keys_and_values, the_memo, nesting, values_in_themselves,
          values_that_unfold, costs_of_tuples, functions, types_that_nest, objects, storages,
          tensors_that_reach_out, quantised_tensors, storages_without_contents, sources,
          random_opcodes)
