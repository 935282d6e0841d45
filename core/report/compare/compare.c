#include "report/compare/compare.h"

#include "base/text.h"
#include "report/tree/table.h"
#include "report/tree/values.h"

#include <inttypes.h>
#include <string.h>

enum { SHOWN = 20, FACT = 40 };

static const char *const letters[HTP_COMPARED] = {"A", "B"};

/* ---- pieces ---- */

/* Adds the number of entries of a long list that are not shown. */
static void add_rest(htp_text *text, size_t count)
{
    if (count > SHOWN) {
        htp_text_addf(text, "  and %s more; --json lists all\n",
                      htp_text_grouped(text->arena, count - SHOWN));
    }
}

/* "230 of 243 (94.6%)"; "n/a" if there are none. */
static const char *share(htp_arena *arena, uint64_t part, uint64_t whole)
{
    if (whole == 0) {
        return "n/a of 0";
    }
    /* never rounded to all or nothing */
    uint64_t permille = part * 1000 / whole;
    permille = permille == 0 && part > 0 ? 1 : permille;
    return htp_arena_printf(arena, "%s of %s (%" PRIu64 ".%" PRIu64 "%%)",
                            htp_text_grouped(arena, part), htp_text_grouped(arena, whole),
                            permille / 10, permille % 10);
}

static const char *slice_text(htp_arena *arena, htp_slice slice)
{
    return htp_arena_copy(arena, slice.at, slice.length);
}

static const char *tag_of(htp_arena *arena, const htp_tree *tree, uint32_t node)
{
    htp_view_range tags = tree->places[node].tags;
    return tags.count > 0 ? slice_text(arena, tree->modules[tree->owners.items[tags.first]].tag)
                          : "none";
}

size_t htp_report_differences(unsigned differences, const char *words[3])
{
    static const struct {
        unsigned bit;
        const char *word;
    } names[] = {{HTP_DIFFERENT_ATTRIBUTES, "attributes"},
                 {HTP_DIFFERENT_CONSTANTS, "constants"},
                 {HTP_DIFFERENT_EDGES, "edges"}};
    size_t count = 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (differences & names[i].bit) {
            words[count++] = names[i].word;
        }
    }
    return count;
}

/* ---- summary ---- */

static const char *summarize(htp_arena *arena, const htp_comparison *c)
{
    return htp_arena_printf(arena, "identical topology: %s nodes, %s constants",
                            htp_text_grouped(arena, c->fingerprints[0].units),
                            htp_text_grouped(arena, c->constants[0]));
}

static void add_models(htp_text *text, const htp_comparison *c)
{
    for (int m = 0; m < HTP_COMPARED; m++) {
        htp_report_add_line(text, letters[m], c->views[m]->path);
        htp_report_add_line(
            text, "", htp_arena_printf(text->arena, "modules by %s", c->trees[m]->source_text));
    }
}

static void add_shares(htp_text *text, const htp_comparison *c)
{
    htp_arena *arena = text->arena;
    for (int m = 0; m < HTP_COMPARED; m++) {
        htp_report_add_line(
            text, m == 0 ? "nodes" : "",
            htp_arena_printf(arena, "%s of %s correspond",
                             share(arena, c->correspondence.count, c->fingerprints[m].units),
                             letters[m]));
    }
    for (int m = 0; m < HTP_COMPARED; m++) {
        htp_report_add_line(text, m == 0 ? "constants" : "",
                            htp_arena_printf(arena, "%s of %s are in %s, too",
                                             share(arena, c->equal_constants[m], c->constants[m]),
                                             letters[m], letters[HTP_COMPARED - 1 - m]));
    }
    if (c->has_tags && c->correspondence.count == 0) {
        htp_report_add_line(text, "tags", "n/a: no nodes correspond");
    } else if (c->has_tags) {
        htp_report_add_line(text, "tags",
                            htp_arena_printf(arena, "of corresponding nodes, %s disagree",
                                             share(arena, c->tags.count, c->correspondence.count)));
    } else {
        htp_report_add_line(text, "tags", "n/a: the files record modules in different ways");
    }
}

static void add_roots(htp_text *text, const htp_comparison *c)
{
    const htp_slice *tags = c->roots.tags;
    if (c->roots.are_aligned) {
        htp_report_add_line(text, "roots",
                            htp_arena_printf(text->arena, "%.*s of A is %.*s of B",
                                             (int)tags[0].length, tags[0].at, (int)tags[1].length,
                                             tags[1].at));
    }
}

/* ---- lists ---- */

static const char *name_of_value(const htp_comparison *c, int model, uint32_t value)
{
    return value == HTP_NONE
               ? NULL
               : htp_view_text(c->views[model], c->views[model]->values.items[value].name);
}

static const char *type_of_value(htp_arena *arena, const htp_comparison *c, int model,
                                 uint32_t value)
{
    htp_value_type type = htp_value_type_find(arena, c->views[model], value);
    return htp_value_type_text(arena, &type);
}

static void add_value(htp_text *text, const htp_comparison *c, const htp_compared_value *value)
{
    htp_arena *arena = text->arena;
    const char *label = value->is_output ? "output" : "input";
    for (int m = 0; m < HTP_COMPARED; m++) {
        if (value->values[HTP_COMPARED - 1 - m] == HTP_NONE) {
            htp_report_add_line(text, label,
                                htp_arena_printf(arena, "%s: only in %s",
                                                 name_of_value(c, m, value->values[m]),
                                                 letters[m]));
            return;
        }
    }
    if (value->has_other_type) {
        htp_report_add_line(text, label,
                            htp_arena_printf(arena, "%s: %s in A, %s in B",
                                             name_of_value(c, 0, value->values[0]),
                                             type_of_value(arena, c, 0, value->values[0]),
                                             type_of_value(arena, c, 1, value->values[1])));
    }
    if (value->has_other_source) {
        htp_report_add_line(text, label,
                            htp_arena_printf(arena, "%s: other nodes make it",
                                             name_of_value(c, 0, value->values[0])));
    }
}

/* Metadata hold whole documents. */
static const char *fact_text(htp_arena *arena, const char *value)
{
    return value ? htp_report_fit(arena, value, strlen(value), FACT) : "none";
}

static void add_facts(htp_text *text, const htp_comparison *c)
{
    htp_arena *arena = text->arena;
    for (size_t i = 0; i < c->values.count; i++) {
        add_value(text, c, &c->values.items[i]);
    }
    if (c->function_outputs > 0) {
        htp_report_add_line(text, "functions",
                            htp_arena_printf(arena, "other nodes make %s of their outputs",
                                             htp_text_grouped(arena, c->function_outputs)));
    }
    for (size_t i = 0; i < c->facts.count && i < SHOWN; i++) {
        const htp_compared_fact *fact = &c->facts.items[i];
        htp_report_add_line(
            text, i == 0 ? "metadata" : "",
            htp_arena_printf(arena, "%s: %s in A, %s in B", htp_text_printable(arena, fact->name),
                             fact_text(arena, fact->texts[0]), fact_text(arena, fact->texts[1])));
    }
    add_rest(text, c->facts.count);
}

/* A table of counts: all rows, or only those with differences. */
static void add_counts(htp_text *text, const char *title, const htp_compared_counts *counts,
                       bool shows_all)
{
    htp_arena *arena = text->arena;
    htp_report_row *rows = HTP_NEW_ARRAY(arena, htp_report_row, counts->count + 1);
    size_t shown = 0;
    size_t count = 1;
    rows[0] = (htp_report_row){.name = htp_slice_of(title), .cells = {"A", "B", "corresponding"}};
    for (size_t i = 0; i < counts->count; i++) {
        const htp_compared_count *row = &counts->items[i];
        bool is_whole =
            row->nodes[0] == row->corresponding[0] && row->nodes[1] == row->corresponding[1];
        if (is_whole && !shows_all) {
            continue;
        }
        if (shown++ < SHOWN || shows_all) {
            rows[count++] =
                (htp_report_row){.name = row->name,
                                 .cells = {htp_text_grouped(arena, row->nodes[0]),
                                           htp_text_grouped(arena, row->nodes[1]),
                                           htp_text_grouped(arena, row->corresponding[0])}};
        }
    }
    if (shown > 0) {
        htp_text_add(text, "\n");
        htp_report_table(text, rows, count);
    }
    if (!shows_all) {
        add_rest(text, shown);
    }
}

static void add_indented(htp_text *text, const char *begin, const char *content)
{
    htp_text_addf(text, "%s%s\n", begin, htp_text_printable(text->arena, content));
}

static void add_unmatched(htp_text *text, const htp_comparison *c, int m)
{
    htp_arena *arena = text->arena;
    size_t count = c->unmatched[m].count;
    const htp_view *other = c->views[HTP_COMPARED - 1 - m];
    if (count > 0) {
        htp_text_addf(text, "\nnodes of %s that do not correspond (%s)\n", letters[m],
                      htp_text_grouped(arena, count));
    }
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        const htp_unmatched *unmatched = &c->unmatched[m].items[i];
        const htp_view_node *node = &c->views[m]->nodes.items[unmatched->node];
        const char *op_type = htp_view_text(c->views[m], node->op_type);
        const char *words[3];
        size_t word_count = htp_report_differences(unmatched->differences, words);
        htp_text note = {.arena = arena};
        for (size_t w = 0; w < word_count; w++) {
            htp_text_addf(&note, "%s%s", w ? ", " : "other ", words[w]);
        }
        if (unmatched->counterpart != HTP_NONE) {
            htp_text_addf(&note, " than %s", htp_view_call_node(other, unmatched->counterpart));
        }
        if (unmatched->change.is_known) {
            htp_text_addf(&note, ", by up to %.1e, relative %.1e", unmatched->change.largest,
                          unmatched->change.relative);
        }
        add_indented(text, htp_arena_printf(arena, "  %-20s ", htp_text_printable(arena, op_type)),
                     htp_view_call_node(c->views[m], unmatched->node));
        if (note.length > 0) {
            add_indented(text, "      ", htp_text_string(&note));
        }
    }
    add_rest(text, count);
}

static void add_constants(htp_text *text, const htp_comparison *c, int m)
{
    htp_arena *arena = text->arena;
    size_t count = c->only[m].count;
    if (count > 0) {
        htp_text_addf(text, "\nconstants only in %s (%s)\n", letters[m],
                      htp_text_grouped(arena, count));
    }
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        const htp_compared_constant *constant = &c->only[m].items[i];
        const char *name = htp_view_text(c->views[m], constant->name);
        const char *type = "made by a node";
        if (constant->tensor != HTP_NONE) {
            htp_value_type found = htp_value_type_of_tensor(arena, c->views[m], constant->tensor);
            type = htp_value_type_text(arena, &found);
        }
        add_indented(text, "  ", htp_arena_printf(arena, "%s  %s", name, type));
    }
    add_rest(text, count);
}

static void add_tags(htp_text *text, const htp_comparison *c)
{
    htp_arena *arena = text->arena;
    if (c->tags.count > 0) {
        htp_text_addf(text, "\ntags of corresponding nodes that disagree (%s)\n",
                      htp_text_grouped(arena, c->tags.count));
    }
    for (size_t i = 0; i < c->tags.count && i < SHOWN; i++) {
        const htp_compared_tag *pair = &c->tags.items[i];
        add_indented(text, "  ", htp_view_call_node(c->views[0], pair->nodes[0]));
        for (int m = 0; m < HTP_COMPARED; m++) {
            add_indented(text, htp_arena_printf(arena, "      %s  ", letters[m]),
                         tag_of(arena, c->trees[m], pair->nodes[m]));
        }
    }
    add_rest(text, c->tags.count);
}

const char *htp_report_comparison(htp_arena *arena, const htp_comparison *comparison)
{
    htp_text text = {.arena = arena};
    const htp_comparison *c = comparison;
    if (c->has_same_topology) {
        htp_text_addf(&text, "%s\n", summarize(arena, c));
    }
    if (!c->is_different) {
        add_roots(&text, c);
        return htp_text_string(&text);
    }
    add_models(&text, c);
    add_roots(&text, c);
    add_shares(&text, c);
    add_facts(&text, c);
    if (!c->has_same_topology) {
        add_counts(&text, "operator", &c->operators, true);
        add_counts(&text, "module", &c->modules, false);
    }
    for (int m = 0; m < HTP_COMPARED; m++) {
        add_unmatched(&text, c, m);
    }
    for (int m = 0; m < HTP_COMPARED; m++) {
        add_constants(&text, c, m);
    }
    add_tags(&text, c);
    return htp_text_string(&text);
}
