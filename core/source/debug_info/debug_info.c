#include "source/debug_info/debug_info.h"

#include "source/contents/contents.h"
#include "source/debug_info/origins.h"

#include <stdlib.h>
#include <string.h>

#define DEBUG_ENDING ".debug_pkl"

/* The source place of a node. */
struct place {
    const char *file;
    uint32_t line;
    const char *text;              /* NULL: not found yet */
    htp_code_origins *record;      /* of its file of code */
    const htp_code_origin *origin; /* NULL: unknown */
};

struct htp_source_places {
    htp_placed in;
    htp_place_finder finder;
    htp_arena arena;
    htp_archive archive; /* a copy, with its own scratch memory */
    htp_map by_file;     /* index in the list of records, by file of code */
    const char *file;    /* the last one looked up; or NULL */
    htp_code_origins *of_file;
    HTP_VECTOR(htp_code_origins *) records;
    htp_code_texts texts;
    HTP_VECTOR(struct place **) functions; /* places by node; NULL: none yet */
    bool are_short;                        /* memory ran out; all other places are unknown */
};

/* ---- records ---- */

/* Reads the debug record of a file of code into empty origins. */
static htp_status read_record(htp_source_places *places, const char *file,
                              htp_code_origins *origins)
{
    htp_archive *archive = &places->archive;
    htp_arena *scratch = &archive->scratch;
    if (htp_arena_recover(scratch) != 0) {
        return htp_status_make(HTP_CODE_INTERNAL, "%s: out of memory", places->in.path);
    }
    HTP_TRY(htp_input_file_check(places->in.file));
    const char *name = htp_arena_join(scratch, file, "", DEBUG_ENDING);
    size_t bytes = 0;
    const char *read = htp_archive_read(scratch, archive, places->in.file->fd, name, &bytes);
    if (!read) {
        return HTP_OK;
    }
    const htp_pickle pickle = {.path = places->in.path,
                               .name = name,
                               .record = htp_archive_find(archive, name, strlen(name)),
                               .bytes = (const unsigned char *)read,
                               .count = (uint32_t)bytes,
                               .archive = archive,
                               .role = HTP_PICKLE_OF_LINES};
    return htp_code_origins_read(&places->texts, scratch, &pickle, origins);
}

/* The origins of a file of code; none if the archive has no record, or a damaged one. */
static htp_code_origins *find_record(htp_source_places *places, const char *file)
{
    uint32_t number = (uint32_t)places->records.count;
    if (places->file == file) { /* consecutive nodes are mostly in one file */
        return places->of_file;
    }
    if (!htp_map_get(&places->by_file, file, &number)) {
        htp_code_origins *origins = HTP_NEW(&places->arena, htp_code_origins);
        htp_status status = read_record(places, file, origins);
        htp_arena_reset(&places->archive.scratch);
        if (htp_status_code(status) == HTP_CODE_INTERNAL) {
            htp_status_free(status);
            htp_arena_exhaust(&places->arena);
        }
        if (status) {
            *origins = (htp_code_origins){.ranges = {.items = NULL}};
        }
        htp_status_free(status);
        htp_map_set(&places->arena, &places->by_file, htp_arena_strdup(&places->arena, file),
                    number);
        HTP_PUSH(&places->arena, &places->records, origins);
    }
    places->file = file;
    places->of_file = places->records.items[number];
    return places->of_file;
}

/* ---- places ---- */

/* The origin of a node's code. For a call, debug records have the position of the bracket after the
 * function's name. */
static const htp_code_origin *find_origin(const htp_code_origins *record,
                                          const htp_program_node *node,
                                          const htp_program_source *code)
{
    const htp_code_origin *origin = htp_code_origins_find(record, code->begin);
    bool is_known = origin && htp_code_origins_source(record, origin)->bytes > 0;
    return is_known || strcmp(node->kind, "prim::CallFunction") != 0
               ? origin
               : htp_code_origins_find(record, code->end);
}

static void find_place(htp_source_places *places, uint32_t function, uint32_t node,
                       struct place *place)
{
    const htp_program *program = places->in.program;
    htp_program_source code = {.file = ""};
    program->find_source(program, function, node, &code);
    *place = (struct place){.file = code.file, .line = code.line};
    if (!*code.file) {
        return;
    }
    place->record = find_record(places, code.file);
    place->origin = find_origin(place->record, &program->functions[function].nodes[node], &code);
    if (place->origin) {
        const char *file = htp_code_origins_source(place->record, place->origin)->file;
        place->file = file ? file : "";
        place->line =
            file ? htp_code_origins_line(&places->texts, place->record, place->origin) : 0;
    }
}

/* The cached place of a node. */
static struct place *place_of(htp_source_places *places, uint32_t function, uint32_t node)
{
    while (places->functions.count <= function) {
        HTP_PUSH(&places->arena, &places->functions, NULL);
    }
    struct place ***nodes = &places->functions.items[function];
    if (!*nodes) {
        *nodes = HTP_NEW_ARRAY(&places->arena, struct place *,
                               places->in.program->functions[function].node_count);
    }
    struct place **known = &(*nodes)[node];
    if (!*known) {
        struct place *place = HTP_NEW(&places->arena, struct place);
        find_place(places, function, node, place);
        *known = place;
    }
    return *known;
}

static void find(void *self, uint32_t function, uint32_t node, const char **file, uint32_t *line)
{
    htp_source_places *places = self;
    *file = "";
    *line = 0;
    if (places->are_short || htp_arena_recover(&places->arena) != 0) {
        places->are_short = true;
        return;
    }
    const struct place *place = place_of(places, function, node);
    *file = place->file;
    *line = place->line;
}

static const char *find_text(void *self, uint32_t function, uint32_t node)
{
    htp_source_places *places = self;
    if (places->are_short || htp_arena_recover(&places->arena) != 0) {
        places->are_short = true;
        return "";
    }
    struct place *place = place_of(places, function, node);
    if (!place->text) {
        place->text = place->origin
                          ? htp_code_origins_text(&places->texts, place->record, place->origin)
                          : "";
    }
    return place->text;
}

htp_source_places *htp_source_places_open(const htp_placed *in)
{
    htp_source_places *places = calloc(1, sizeof(*places));
    if (places) {
        places->in = *in;
        places->finder = (htp_place_finder){places, find, find_text};
        places->texts = htp_code_texts_in(&places->arena);
        places->archive = *in->archive;
        htp_arena_init(&places->archive.scratch);
        htp_arena_init(&places->arena);
    }
    return places;
}

bool htp_source_places_are_short(const htp_source_places *places)
{
    return places->are_short;
}

void htp_source_places_close(htp_source_places *places)
{
    if (places) {
        htp_archive_close(&places->archive);
        htp_arena_free(&places->arena);
        free(places);
    }
}

const htp_place_finder *htp_source_places_finder(const htp_source_places *places)
{
    return &places->finder;
}
