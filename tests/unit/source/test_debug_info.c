#include "arguments_fixture.h"
#include "base/text.h"
#include "source/debug_info/debug_info.h"
#include "source/debug_info/origins.h"
#include "unit.h"

#include <stdio.h>
#include <unistd.h>

#define TABLE "X\x18\0\0\0FORMAT_WITH_STRING_TABLE"

/* Texts 0 to 3 of a table. */
#define TEXTS                                                                                      \
    "(X\x02\0\0\0a\nX\x03\0\0\0bb\nX\x08\0\0\0model.pyX\x05\0\0\0other"                            \
    "t"

#define INTS(elements) "ctorch.jit._pickle\nbuild_intlist\n(](" elements "etR"

/* Lines 10 and 11 of model.py, stored as number 0 of the memo. */
#define LINES "(" INTS("K\0K\x01") "K\x02K\x0atq\0"
#define AGAIN "h\0"

#define RANGE(source, begin, end) source "K" begin "K" end "\x87"
#define AT(offset, range) "K" offset range "K\0\x87"
#define WITH_TABLE(positions) "\x80\x02" TABLE TEXTS "(" positions "t\x87."
#define WITHOUT_TABLE(positions) "\x80\x02(" positions "t."

/* ---- origins ---- */

/* Shared by the records of a test. */
static htp_code_texts texts;

static htp_status read_next(htp_arena *arena, const char *bytes, size_t count,
                            htp_code_origins *origins)
{
    const htp_pickle pickle = {.path = "model.pt",
                               .name = "code/__torch__.py.debug_pkl",
                               .bytes = (unsigned char *)htp_arena_copy(arena, bytes, count),
                               .count = (uint32_t)count,
                               .role = HTP_PICKLE_OF_LINES};
    *origins = (htp_code_origins){.parts = {.count = 0}};
    return htp_code_origins_read(&texts, arena, &pickle, origins);
}

static htp_status read_origins(htp_arena *arena, const char *bytes, size_t count,
                               htp_code_origins *origins)
{
    texts = htp_code_texts_in(arena);
    return read_next(arena, bytes, count, origins);
}

#define READ(pickle, origins) read_origins(arena, pickle, sizeof(pickle) - 1, origins)
#define REFUSE(pickle, words)                                                                      \
    do {                                                                                           \
        htp_code_origins refused_;                                                                 \
        expect_failure(READ(pickle, &refused_), HTP_CODE_BAD_INPUT, words);                        \
    } while (0)

/* The origin of the code at an offset, as "model.py:11 bb ". */
static const char *origin_at(htp_arena *arena, htp_code_origins *origins, uint64_t offset)
{
    const htp_code_origin *origin = htp_code_origins_find(origins, offset);
    if (!origin) {
        return "nothing";
    }
    const char *file = origins->sources.items[origin->source].file;
    return htp_arena_printf(arena, "%s:%u%s", file ? file : "?",
                            htp_code_origins_line(&texts, origins, origin),
                            htp_code_origins_text(&texts, origins, origin));
}

UNIT_TEST(texts_of_a_table)
{
    htp_code_origins origins;
    expect_ok(READ(
        WITH_TABLE(AT("\x05", RANGE(LINES, "\0", "\x01")) AT("\x09", RANGE(AGAIN, "\x02", "\x04"))),
        &origins));
    ck_assert_str_eq(origin_at(arena, &origins, 0), "nothing");
    ck_assert_str_eq(origin_at(arena, &origins, 4), "nothing");
    ck_assert_str_eq(origin_at(arena, &origins, 5), "model.py:10 a\n");
    ck_assert_str_eq(origin_at(arena, &origins, 8), "model.py:10 a\n");
    ck_assert_str_eq(origin_at(arena, &origins, 9), "model.py:11 bb\n");
    ck_assert_str_eq(origin_at(arena, &origins, UINT64_MAX), "model.py:11 bb\n");
    ck_assert_uint_eq(origins.sources.count, 1); /* one tuple is one source */
}

UNIT_TEST(texts_without_a_table)
{
    htp_code_origins origins;
    expect_ok(READ(
        WITHOUT_TABLE(AT("\0", RANGE("X\x03\0\0\0a\nbX\x04\0\0\0m.pyK\x07\x87", "\x02", "\x03"))
                          AT("\x03", RANGE("X\x02\0\0\0aaNK\x07\x87", "\x01", "\x02"))),
        &origins));
    ck_assert_str_eq(origin_at(arena, &origins, 0), "m.py:8 b"); /* the last line has no newline */
    ck_assert_str_eq(origin_at(arena, &origins, 3), "?:7 aa");
}

UNIT_TEST(stacks_of_the_tracer)
{
    htp_code_origins origins;
    expect_ok(READ(WITH_TABLE(AT("\0", RANGE(LINES, "\0", "\x05"))), &origins));
    ck_assert_str_eq(origin_at(arena, &origins, 3), "model.py:10a\nbb\n");
}

/* Of two records. */
UNIT_TEST(equal_texts_are_one)
{
    static const char record[] =
        WITH_TABLE(AT("\0", RANGE(LINES, "\0", "\x05")) AT("\x02", RANGE(AGAIN, "\x02", "\x04")));
    htp_code_origins origins[2];
    const char *wholes[2];
    const char *lines[2];
    texts = htp_code_texts_in(arena);
    for (size_t i = 0; i < 2; i++) {
        expect_ok(read_next(arena, record, sizeof(record) - 1, &origins[i]));
        const htp_code_origin *ranges = origins[i].ranges.items;
        wholes[i] = htp_code_origins_text(&texts, &origins[i], &ranges[0]);
        lines[i] = htp_code_origins_text(&texts, &origins[i], &ranges[1]);
    }
    ck_assert_uint_eq(texts.pieces.count, 4); /* including "other", which no source uses */
    ck_assert_uint_eq(texts.joined.count, 1);
    ck_assert_ptr_eq(wholes[0], wholes[1]);
    ck_assert_ptr_eq(lines[0], lines[1]);
    ck_assert_str_eq(wholes[0], "a\nbb\n");
    ck_assert_str_eq(lines[0], " bb\n");
}

UNIT_TEST(positions_out_of_the_source)
{
    htp_code_origins origins;
    expect_ok(READ(WITH_TABLE(AT("\0", "(" INTS("K\x01") "K\x02K\x0at"
                                                         "J\xff\xff\xff\xffK\xff\x87")
                                  AT("\x04", RANGE(LINES, "\xff", "\x01"))),
                   &origins));
    ck_assert_str_eq(origin_at(arena, &origins, 0), "model.py:10bb\n"); /* all of it */
    ck_assert_str_eq(origin_at(arena, &origins, 4), "model.py:12 ");    /* after its last line */
}

UNIT_TEST(offsets_alike_and_negative)
{
    htp_code_origins origins;
    expect_ok(
        READ(WITH_TABLE("J\xff\xff\xff\xff" RANGE(LINES, "\0", "\x01") "K\0\x87" AT(
                 "\x04", RANGE(AGAIN, "\0", "\x01")) AT("\x04", RANGE(AGAIN, "\x02", "\x03"))),
             &origins));
    ck_assert_str_eq(origin_at(arena, &origins, 0), "model.py:10 a\n");
    ck_assert_str_eq(origin_at(arena, &origins, 4), "model.py:11 bb\n"); /* the last one */
}

UNIT_TEST(records_without_positions)
{
    htp_code_origins origins;
    expect_ok(READ(WITHOUT_TABLE(""), &origins));
    ck_assert_str_eq(origin_at(arena, &origins, 0), "nothing");
    expect_ok(READ(WITH_TABLE(""), &origins));
    ck_assert_str_eq(origin_at(arena, &origins, 0), "nothing");
}

/* A position with its own source, of line 10 and @p others after it. */
static void add_position(htp_text *pickle, uint32_t offset, uint32_t others)
{
    const char place[] = {'M', (char)(offset & 0xff), (char)(offset >> 8)};
    static const char list[] = "("
                               "ctorch.jit._pickle\nbuild_intlist\n(]("
                               "K\0";
    static const char range[] = "etR"
                                "K\x02K\x0at"
                                "K\0K\x01\x87"
                                "K\0\x87";
    htp_text_add_bytes(pickle, place, sizeof(place));
    htp_text_add_bytes(pickle, list, sizeof(list) - 1);
    for (uint32_t i = 0; i < others; i++) {
        htp_text_add_bytes(pickle, "K\x01", 2);
    }
    htp_text_add_bytes(pickle, range, sizeof(range) - 1);
}

/* Its end differs from what its beginning suggests. */
UNIT_TEST(large_records)
{
    enum { POSITIONS = 20000, SHORT = 18000, OTHERS = 40 };
    static const char beginning[] = "\x80\x02" TABLE TEXTS "(";
    htp_text pickle = {.arena = arena};
    htp_text_add_bytes(&pickle, beginning, sizeof(beginning) - 1);
    for (uint32_t i = 0; i < POSITIONS; i++) {
        add_position(&pickle, i, i < SHORT ? 0 : OTHERS);
    }
    htp_text_add_bytes(&pickle, "t\x87.", 3);
    htp_code_origins origins;
    expect_ok(read_origins(arena, htp_text_string(&pickle), pickle.length, &origins));
    ck_assert_uint_eq(origins.ranges.count, POSITIONS);
    ck_assert_uint_eq(origins.sources.count, POSITIONS);
    ck_assert_uint_eq(origins.parts.count, POSITIONS + (POSITIONS - SHORT) * OTHERS);
    for (uint32_t i = 0; i < POSITIONS; i++) {
        const htp_code_origin *origin = htp_code_origins_find(&origins, i);
        const htp_code_origin_source *source = htp_code_origins_source(&origins, origin);
        ck_assert_uint_eq(source->part_count, i < SHORT ? 1 : 1 + OTHERS);
        ck_assert_uint_eq(origins.parts.items[source->first_part], 0);
        ck_assert_uint_eq(origins.parts.items[source->first_part + source->part_count - 1],
                          i < SHORT ? 0 : 1);
    }
    ck_assert_str_eq(origin_at(arena, &origins, POSITIONS), "model.py:10 a\n");
}

UNIT_TEST(damaged_records)
{
    static const char odd[] = "not in PyTorch's form";
    REFUSE("\x80\x02(", "cut short");
    REFUSE("\x80\x02N.", "no tuple of positions");
    REFUSE(WITH_TABLE(AT("\0", RANGE("(" INTS("K\x04") "K\x02K\x0at", "\0", "\0"))),
           "not among its 4 texts");
    REFUSE(WITH_TABLE(AT("\0", RANGE("(" INTS("K\0") "K\x04K\x0at", "\0", "\0"))), odd);
    REFUSE(WITH_TABLE(AT("\0", RANGE("(" INTS("K\0") "K\x02Nt", "\0", "\0"))), odd);
    REFUSE(WITH_TABLE(AT("\0", RANGE("(K\0K\x02K\x0at", "\0", "\0"))), odd);
    REFUSE(WITH_TABLE(AT("\0", RANGE("(" INTS("K\0") "t", "\0", "\0"))), odd);
    REFUSE(WITH_TABLE(AT("\0", RANGE("N", "\0", "\0"))), odd);
    REFUSE(WITH_TABLE(AT("\0", LINES "K\0\x86")), odd);
    REFUSE(WITH_TABLE(AT("\0", LINES "NK\0\x87")), odd);
    REFUSE(WITH_TABLE("N" RANGE(LINES, "\0", "\0") "K\0\x87"), odd);
    REFUSE(WITH_TABLE(AT("\0", "N")), odd);
    /* Indices of texts, without a table. */
    REFUSE(WITHOUT_TABLE(AT("\0", RANGE("(" INTS("K\0") "NK\x0at", "\0", "\0"))), odd);
}

/* Lists that grow in turns are not contiguous; no writer makes them. */
UNIT_TEST(lists_that_grow)
{
    htp_code_origins origins;
    expect_ok(READ(WITH_TABLE(AT("\0", RANGE("(](K\0e(K\x01"
                                             "eK\x02K\x0at",
                                             "\x02", "\x02"))),
                   &origins));
    ck_assert_str_eq(origin_at(arena, &origins, 0), "model.py:11 bb\n");
    REFUSE(WITH_TABLE(AT("\0", RANGE("(]q\0(K\0eK\x02K\x0a](K\0eh\0(K\x01"
                                     "et",
                                     "\0", "\0"))),
           "not in PyTorch's form");
}

/* ---- places ---- */

/* Positions of a program's nodes in its code. */
struct standing {
    htp_program program;
    htp_program_source sources[4];
};

static void find_source(const htp_program *program, uint32_t function, uint32_t node,
                        htp_program_source *source)
{
    const struct standing *standing = program->reader;
    ck_assert_uint_eq(function, 1);
    *source = standing->sources[node];
}

static const htp_program_node nodes[] = {
    {.kind = "aten::relu"}, {.kind = "prim::CallFunction"}, {.kind = "aten::relu"}, {.kind = "a"}};

/* A call before the first position, which is found by the end of its range. */
static void make_standing(htp_arena *arena, struct standing *standing)
{
    static const char *const code = "code/__torch__/model.py";
    htp_program_function *functions = HTP_NEW_ARRAY(arena, htp_program_function, 2);
    functions[1] = (htp_program_function){.nodes = nodes, .node_count = 4};
    *standing = (struct standing){
        .program = {.functions = functions, .find_source = find_source, .reader = standing},
        .sources = {{code, 3, 9, 12}, {code, 2, 1, 6}, {code, 2, 1, 6}, {"<string>", 8, 5, 6}}};
}

/* The places of nodes in a file with one debug record, "FILE:LINE TEXT|" each. */
static const char *find_places(htp_arena *arena, const char *bytes, size_t count, uint64_t told)
{
    char path[] = "/tmp/htp-places-XXXXXX";
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, bytes, count), (ssize_t)count);
    ck_assert_int_eq(close(file), 0);
    const htp_archive_record record = {"code/__torch__/model.py.debug_pkl", 0, told, true};
    htp_archive archive = {.records = &record, .record_count = 1, .packed = &told};
    htp_map_set(arena, &archive.by_name, record.name, 0);
    struct standing standing;
    make_standing(arena, &standing);
    htp_input_file watched;
    expect_ok(htp_input_file_open(&watched, path));
    const htp_placed in = {&standing.program, &archive, path, &watched};
    htp_source_places *places = htp_source_places_open(&in);
    ck_assert_ptr_nonnull(places);
    const htp_place_finder *finder = htp_source_places_finder(places);
    htp_text text = {.arena = arena};
    for (uint32_t node = 0; node < 4; node++) {
        const char *name = NULL;
        uint32_t line = 0;
        finder->find(finder->self, 1, node, &name, &line);
        htp_text_addf(&text, "%s:%u%s|", name, line, finder->find_text(finder->self, 1, node));
        ck_assert_ptr_eq(finder->find_text(finder->self, 1, node),
                         finder->find_text(finder->self, 1, node));
    }
    htp_source_places_close(places);
    htp_input_file_close(&watched);
    ck_assert_int_eq(unlink(path), 0);
    return htp_text_string(&text);
}

#define FIND(pickle) find_places(arena, pickle, sizeof(pickle) - 1, sizeof(pickle) - 1)

#define CODE_ALONE                                                                                 \
    "code/__torch__/model.py:3|code/__torch__/model.py:2|code/__torch__/model.py:2|<string>:8|"

UNIT_TEST(places_of_nodes)
{
    ck_assert_str_eq(FIND(WITH_TABLE(AT("\x05", RANGE(LINES, "\0", "\x01"))
                                         AT("\x09", RANGE(AGAIN, "\x02", "\x04")))),
                     "model.py:11 bb\n|model.py:10 a\n|code/__torch__/model.py:2|<string>:8|");
}

UNIT_TEST(sources_without_a_file)
{
    ck_assert_str_eq(
        FIND(WITHOUT_TABLE(AT("\0", RANGE("X\x02\0\0\0aaNK\x07\x87", "\x01", "\x02")))),
        ":0 aa|:0 aa|:0 aa|<string>:8|");
}

UNIT_TEST(damage_costs_the_place_alone)
{
    static const char whole[] = WITH_TABLE(AT("\0", RANGE(LINES, "\0", "\x01")));
    ck_assert_str_eq(FIND("\x80\x02N."), CODE_ALONE);
    ck_assert_str_eq(FIND("no pickle"), CODE_ALONE);
    ck_assert_str_eq(FIND(WITH_TABLE(AT("\0", RANGE(LINES, "\0", "\x01")) AT("\x02", "N"))),
                     CODE_ALONE);
    ck_assert_str_eq(find_places(arena, whole, sizeof(whole) - 1, sizeof(whole) + 100), CODE_ALONE);
    ck_assert_str_eq(find_places(arena, whole, sizeof(whole) - 1, UINT64_MAX), CODE_ALONE);
    for (size_t count = 0; count + 1 < sizeof(whole); count++) { /* truncated anywhere */
        ck_assert_str_eq(find_places(arena, whole, count, count), CODE_ALONE);
    }
}

UNIT_MAIN("places", texts_of_a_table, texts_without_a_table, stacks_of_the_tracer,
          equal_texts_are_one, positions_out_of_the_source, offsets_alike_and_negative,
          records_without_positions, large_records, damaged_records, lists_that_grow,
          places_of_nodes, sources_without_a_file, damage_costs_the_place_alone)
