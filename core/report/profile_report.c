#include "report/profile_report.h"

#include "base/json/json.h"
#include "report/tree/table.h"
#include "report/tree/values.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Time and calls of a module. */
struct sum {
    int64_t own, total;
    uint64_t calls;
};

/* Sums by module: tagged modules count kernels with their tag, others count kernels that ran in
 * them. */
struct sums {
    struct sum *modules;
    int64_t lost;
    uint64_t lost_kernels;
    uint64_t by_evidence[HTP_KERNEL_EVIDENCES];
};

static const char *const evidence_names[HTP_KERNEL_EVIDENCES] = {
    [HTP_KERNEL_LOST] = "lost",
    [HTP_KERNEL_BY_NAME] = "name",
    [HTP_KERNEL_BY_TAG] = "tag",
    [HTP_KERNEL_BY_TENSOR] = "tensor",
    [HTP_KERNEL_BY_PART_NAME] = "part of the name",
    [HTP_KERNEL_BY_READERS] = "readers",
};

static void add(struct sum *sums, uint32_t module, const htp_kernel *kernel)
{
    if (module != HTP_NONE) {
        sums[module].own += kernel->time;
        sums[module].total += kernel->time;
        sums[module].calls += kernel->calls;
    }
}

static void add_up(struct sum *sums, const htp_tree *tree)
{
    for (uint32_t i = tree->module_count; i-- > 1;) {
        uint32_t parent = tree->modules[i].parent;
        if (parent != HTP_NONE) {
            sums[parent].total += sums[i].total;
            sums[parent].calls += sums[i].calls;
        }
    }
}

static struct sums find_sums(htp_arena *arena, const htp_profile_query *query)
{
    const htp_profile *profile = query->profile;
    const htp_tree *tree = query->model.tree;
    struct sums sums = {.modules = HTP_NEW_ARRAY(arena, struct sum, tree->module_count)};
    struct sum *innermost = HTP_NEW_ARRAY(arena, struct sum, tree->module_count);
    for (size_t i = 0; i < profile->kernels.count; i++) {
        const htp_kernel *kernel = &profile->kernels.items[i];
        bool is_lost = kernel->evidence == HTP_KERNEL_LOST;
        add(sums.modules, kernel->module, kernel);
        add(innermost, kernel->innermost, kernel);
        sums.lost += is_lost ? kernel->time : 0;
        sums.lost_kernels += is_lost;
        sums.by_evidence[kernel->evidence]++;
    }
    add_up(sums.modules, tree);
    add_up(innermost, tree);
    for (uint32_t i = 0; i < tree->module_count; i++) {
        if (!tree->modules[i].has_tag) {
            sums.modules[i] = innermost[i];
        }
    }
    return sums;
}

static bool is_in_region(const htp_region *region, const htp_kernel *kernel)
{
    return (kernel->module != HTP_NONE && region->has_tag[kernel->module]) ||
           (kernel->innermost != HTP_NONE && region->has_inside[kernel->innermost]);
}

/* ---- text ---- */

static const char *milliseconds(htp_arena *arena, int64_t time)
{
    return htp_arena_printf(arena, "%.3f", (double)time / 1000);
}

static const char *share(htp_arena *arena, int64_t part, int64_t whole)
{
    return htp_arena_printf(arena, "%.1f%%",
                            whole > 0 ? 100.0 * (double)part / (double)whole : 0.0);
}

/* Billions of operations by second, two for each multiply-add. @return false where they are not
 * known */
static bool find_rate(const htp_profile_query *query, const htp_amount *multiply_adds, int64_t time,
                      double *rate)
{
    int64_t number = 0;
    bool is_known = query->cost && query->profile->runs > 0 && time > 0 &&
                    htp_amount_is_number(multiply_adds, &number);
    *rate = is_known ? 2e-3 * (double)number * (double)query->profile->runs / (double)time : 0;
    return is_known;
}

static const char *rate_of(htp_arena *arena, const htp_profile_query *query,
                           const htp_amount *multiply_adds, int64_t time)
{
    double rate;
    return find_rate(query, multiply_adds, time, &rate) ? htp_arena_printf(arena, "%.3g", rate)
                                                        : "";
}

static void add_header(htp_text *text, const htp_profile_query *query, const struct sums *sums)
{
    const htp_profile *profile = query->profile;
    htp_arena *arena = text->arena;
    htp_text found = {.arena = arena};
    htp_report_add_line(text, "profile", profile->path);
    htp_report_add_line(text, "model", query->model.view->path);
    if (query->optimized) {
        htp_report_add_line(text, "optimized", query->optimized);
    }
    htp_report_add_line(text, "hierarchy", query->model.tree->source_text);
    htp_report_add_line(text, "kernels",
                        htp_arena_printf(arena, "%zu, called %s times in %s runs: %s ms",
                                         profile->kernels.count,
                                         htp_text_grouped(arena, profile->calls),
                                         htp_text_grouped(arena, profile->runs),
                                         milliseconds(arena, profile->time)));
    if (query->cost) {
        int64_t number = 0;
        const htp_amount *whole = &query->cost->whole.multiply_adds;
        const char *rate = rate_of(arena, query, whole, profile->time);
        (void)htp_amount_is_number(whole, &number);
        htp_report_add_line(text, "work",
                            htp_arena_printf(arena, "%s multiply-adds a run%s%s%s",
                                             htp_text_grouped(arena, (uint64_t)number),
                                             *rate ? ": " : "", rate, *rate ? " GFLOP/s" : ""));
    }
    for (int i = HTP_KERNEL_BY_NAME; i < HTP_KERNEL_EVIDENCES; i++) {
        if (sums->by_evidence[i] > 0) {
            htp_text_addf(&found, "%s%s %" PRIu64, found.length ? ", " : "", evidence_names[i],
                          sums->by_evidence[i]);
        }
    }
    htp_text_addf(&found, "%slost %" PRIu64, found.length ? "; " : "", sums->lost_kernels);
    htp_report_add_line(text, "found by", htp_text_string(&found));
    htp_text_add(text, "\n");
}

static void add_tree(htp_text *text, const htp_profile_query *query, const struct sums *sums)
{
    const htp_tree *tree = query->model.tree;
    htp_arena *arena = text->arena;
    htp_report_row *rows = HTP_NEW_ARRAY(arena, htp_report_row, tree->module_count + 1U);
    size_t count = 0;
    rows[count++] =
        (htp_report_row){.name = htp_slice_of("module"),
                         .cells = {"ms", "own", "share", "calls", query->cost ? "GFLOP/s" : ""}};
    const uint32_t *order = htp_report_order(arena, tree);
    for (uint32_t place = 0; place < tree->module_count; place++) {
        uint32_t i = order[place];
        const htp_tree_module *module = &tree->modules[i];
        bool is_deep = query->depth >= 0 && module->depth > (uint32_t)query->depth;
        if (!module->has_tag || is_deep || sums->modules[i].calls == 0) {
            continue;
        }
        rows[count++] = (htp_report_row){
            .name = htp_tree_segment(module),
            .indentation = htp_report_indentation(module),
            .cells = {milliseconds(arena, sums->modules[i].total),
                      milliseconds(arena, sums->modules[i].own),
                      share(arena, sums->modules[i].total, query->profile->time),
                      htp_text_grouped(arena, sums->modules[i].calls),
                      query->cost ? rate_of(arena, query, &query->cost->total[i].multiply_adds,
                                            sums->modules[i].total)
                                  : ""}};
    }
    htp_report_table(text, rows, count);
}

/* Longest first. */
static int compare_kernels(const void *a, const void *b)
{
    const htp_kernel *first = *(const htp_kernel *const *)a;
    const htp_kernel *second = *(const htp_kernel *const *)b;
    if (first->time != second->time) {
        return first->time > second->time ? -1 : 1;
    }
    return first < second ? -1 : first > second;
}

/* The longest kernels, up to a limit. */
static void add_kernels(htp_text *text, const htp_profile_query *query, const htp_kernel **kernels,
                        size_t count)
{
    htp_arena *arena = text->arena;
    htp_report_row *rows = HTP_NEW_ARRAY(arena, htp_report_row, count + 1);
    qsort(kernels, count, sizeof(*kernels), compare_kernels);
    rows[0] = (htp_report_row){.name = htp_slice_of("kernel"),
                               .cells = {"operator", "ms", "share", "calls"}};
    for (size_t i = 0; i < count; i++) {
        const htp_kernel *kernel = kernels[i];
        rows[i + 1] = (htp_report_row){.name = htp_slice_of(kernel->name),
                                       .cells = {htp_text_printable(arena, kernel->op_type),
                                                 milliseconds(arena, kernel->time),
                                                 share(arena, kernel->time, query->profile->time),
                                                 htp_text_grouped(arena, kernel->calls)}};
    }
    htp_report_table(text, rows, count + 1);
}

/* Picks the kernels of the region; without a region, those without a module. @return their number
 */
static size_t pick_kernels(const htp_profile *profile, const htp_region *region,
                           const htp_kernel **kernels)
{
    size_t count = 0;
    for (size_t i = 0; i < profile->kernels.count; i++) {
        const htp_kernel *kernel = &profile->kernels.items[i];
        bool is_picked =
            region ? is_in_region(region, kernel) : kernel->evidence == HTP_KERNEL_LOST;
        if (is_picked) {
            kernels[count++] = kernel;
        }
    }
    return count;
}

static void add_region(htp_text *text, const htp_profile_query *query)
{
    const htp_profile *profile = query->profile;
    htp_arena *arena = text->arena;
    const htp_kernel **kernels = HTP_NEW_ARRAY(arena, const htp_kernel *, profile->kernels.count);
    size_t count = pick_kernels(profile, query->region, kernels);
    int64_t time = 0;
    for (size_t i = 0; i < count; i++) {
        time += kernels[i]->time;
    }
    htp_text_addf(text, "%s: %zu kernel%s, %s ms, %s\n", htp_text_printable(arena, query->address),
                  count, count == 1 ? "" : "s", milliseconds(arena, time),
                  share(arena, time, profile->time));
    add_kernels(text, query, kernels, count);
}

static void add_lost(htp_text *text, const htp_profile_query *query, const struct sums *sums)
{
    const htp_profile *profile = query->profile;
    const htp_kernel **kernels =
        HTP_NEW_ARRAY(text->arena, const htp_kernel *, profile->kernels.count);
    size_t count = pick_kernels(profile, NULL, kernels);
    if (count == 0) {
        return;
    }
    htp_text_addf(text, "\nlost: %zu kernel%s of no known module, %s ms, %s%s\n", count,
                  count == 1 ? "" : "s", milliseconds(text->arena, sums->lost),
                  share(text->arena, sums->lost, profile->time),
                  query->optimized ? "" : "; pass --optimized OPT.onnx to find more");
    add_kernels(text, query, kernels, count);
}

const char *htp_report_profile(htp_arena *arena, const htp_profile_query *query)
{
    htp_text text = {.arena = arena};
    struct sums sums = find_sums(arena, query);
    add_header(&text, query, &sums);
    if (query->region) {
        add_region(&text, query);
    } else {
        add_tree(&text, query, &sums);
        add_lost(&text, query, &sums);
    }
    return htp_text_string(&text);
}

/* ---- JSON ---- */

static void add_slice(htp_json *json, const char *key, const htp_tree *tree, uint32_t module,
                      bool is_full)
{
    if (module == HTP_NONE) {
        htp_json_null(json, key);
    } else {
        htp_slice tag = is_full ? tree->modules[module].full_tag : tree->modules[module].tag;
        htp_json_string_part(json, key, tag.at, tag.length);
    }
}

static void add_work_json(htp_json *json, const htp_profile_query *query, const htp_amount *amount,
                          int64_t time)
{
    int64_t number;
    double rate;
    if (query->cost && htp_amount_is_number(amount, &number)) {
        htp_json_number(json, "multiply_adds", number);
    } else {
        htp_json_null(json, "multiply_adds");
    }
    if (find_rate(query, amount, time, &rate)) {
        htp_json_double(json, "gflops", rate);
    } else {
        htp_json_null(json, "gflops");
    }
}

static void add_modules_json(htp_json *json, const htp_profile_query *query,
                             const struct sums *sums)
{
    const htp_tree *tree = query->model.tree;
    htp_json_begin(json, "modules", '[');
    for (uint32_t i = 0; i < tree->module_count; i++) {
        const htp_tree_module *module = &tree->modules[i];
        bool is_shown = query->region ? query->region->has_tag[i] || query->region->has_inside[i]
                                      : query->depth < 0 || module->depth <= (uint32_t)query->depth;
        if (is_shown) {
            htp_json_begin(json, NULL, '{');
            add_slice(json, "tag", tree, i, false);
            add_slice(json, "full_tag", tree, i, true);
            htp_json_bool(json, "has_tag", module->has_tag);
            htp_json_number(json, "own_us", sums->modules[i].own);
            htp_json_number(json, "total_us", sums->modules[i].total);
            htp_json_count(json, "calls", sums->modules[i].calls);
            add_work_json(json, query, query->cost ? &query->cost->total[i].multiply_adds : NULL,
                          sums->modules[i].total);
            htp_json_end(json, '}');
        }
    }
    htp_json_end(json, ']');
}

static void add_kernels_json(htp_json *json, const htp_profile_query *query)
{
    const htp_profile *profile = query->profile;
    const htp_view *view = query->model.view;
    htp_json_begin(json, "kernels", '[');
    for (size_t i = 0; i < profile->kernels.count; i++) {
        const htp_kernel *kernel = &profile->kernels.items[i];
        if (query->region && !is_in_region(query->region, kernel)) {
            continue;
        }
        htp_json_begin(json, NULL, '{');
        htp_json_string(json, "name", kernel->name);
        htp_json_string(json, "op_type", kernel->op_type);
        add_slice(json, "tag", query->model.tree, kernel->module, false);
        add_slice(json, "full_tag", query->model.tree, kernel->innermost, true);
        htp_json_string(json, "node",
                        kernel->node == HTP_NONE
                            ? NULL
                            : htp_view_text(view, view->nodes.items[kernel->node].name));
        htp_json_string(json, "found_by", evidence_names[kernel->evidence]);
        htp_json_number(json, "us", kernel->time);
        htp_json_count(json, "calls", kernel->calls);
        htp_json_end(json, '}');
    }
    htp_json_end(json, ']');
}

const char *htp_report_profile_json(htp_arena *arena, const htp_profile_query *query)
{
    htp_json json = {.text.arena = arena};
    struct sums sums = find_sums(arena, query);
    htp_json_begin(&json, NULL, '{');
    htp_json_string(&json, "model", query->model.view->path);
    htp_json_string(&json, "status", "ok");
    htp_json_string(&json, "profile", query->profile->path);
    htp_json_string(&json, "optimized", query->optimized);
    htp_json_string(&json, "hierarchy", query->model.tree->source_text);
    htp_json_count(&json, "runs", query->profile->runs);
    htp_json_count(&json, "calls", query->profile->calls);
    htp_json_number(&json, "total_us", query->profile->time);
    add_work_json(&json, query, query->cost ? &query->cost->whole.multiply_adds : NULL,
                  query->profile->time);
    htp_json_number(&json, "lost_us", sums.lost);
    htp_json_count(&json, "lost_kernels", sums.lost_kernels);
    add_modules_json(&json, query, &sums);
    add_kernels_json(&json, query);
    htp_json_end(&json, '}');
    return htp_text_string(&json.text);
}
