#include "query/select/error_report.h"

#include "base/json/json_tree.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A report that is being read. */
struct reading {
    htp_arena *arena;
    const htp_view *view;
    const htp_tree *tree;
    const char *path;
    uint32_t found; /* modules of the model */
};

static htp_status wrong(const struct reading *r, const char *why)
{
    return htp_status_make(HTP_CODE_BAD_INPUT, "%s: no report of verify --json: %s", r->path, why);
}

/* ---- the file ---- */

/* A file that is closed without memory. */
struct opened {
    htp_arena_guard guard;
    htp_input_file file;
};

static void release(htp_arena_guard *guard)
{
    htp_input_file_close(&((struct opened *)guard)->file);
}

static htp_status read_opened(const struct reading *r, const htp_input_file *file,
                              const char **text)
{
    struct stat facts;
    if (fstat(file->fd, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        return wrong(r, "it is no file");
    }
    if (file->bytes == 0 || file->bytes > HTP_JSON_TREE_LONGEST) {
        return wrong(r, file->bytes ? "it is larger than 1 GiB" : "it is empty");
    }
    size_t bytes = (size_t)file->bytes;
    char *read = htp_arena_alloc(r->arena, bytes + 1);
    for (size_t done = 0; done < bytes;) {
        ssize_t got = pread(file->fd, read + done, bytes - done, (off_t)done);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return wrong(r, got < 0 ? strerror(errno) : "it became shorter while it was read");
        }
        done += (size_t)got;
    }
    *text = read;
    return HTP_OK;
}

static htp_status read_document(const struct reading *r, const htp_json_node **root)
{
    struct opened opened = {.guard = {.release = release}};
    htp_input_file *file = &opened.file;
    htp_json_failure failure;
    const char *text = NULL;
    HTP_TRY(htp_input_file_open(file, r->path));
    htp_arena_guard_begin(r->arena, &opened.guard);
    htp_status status = htp_input_file_judge(file, r->path, read_opened(r, file, &text));
    htp_arena_guard_end(r->arena);
    htp_input_file_close(file);
    HTP_TRY(status);
    *root = htp_json_tree_read(r->arena, text, (size_t)file->bytes, &failure);
    return *root ? HTP_OK
                 : wrong(r, htp_arena_printf(r->arena, "%s (byte %zu)", failure.what, failure.at));
}

/* ---- its contents ---- */

/* Reads an error, from 0 on, or "inf". */
static bool read_error(const htp_json_node *node, double *number)
{
    if (node && htp_json_node_is(node, "inf")) {
        *number = (double)INFINITY;
        return true;
    }
    return node && node->kind == '0' && htp_json_node_real(node, number) && *number >= 0;
}

static const htp_json_node *list_of(const htp_json_node *root, const char *name)
{
    const htp_json_node *list = htp_json_member(root, name);
    return list && list->kind == '[' ? list : NULL;
}

/* By number of things: which of them are called alike. */
struct names {
    htp_map first;  /* by name: the last one that is called so, plus 1 */
    uint32_t *next; /* by number: another one that is called so, plus 1 */
};

static void add_name(htp_arena *arena, struct names *names, const char *at, size_t length,
                     uint32_t number)
{
    uint32_t before = 0;
    (void)htp_map_get_bytes(&names->first, at, length, &before);
    names->next[number] = before;
    htp_map_set_bytes(arena, &names->first, at, length, number + 1);
}

/* Notes an error of all that have the name in an item's member `key`. @return false: it is none */
static bool note(struct reading *r, const struct names *names, const htp_json_node *item,
                 const char *key, double error, double *errors)
{
    const htp_json_node *name = htp_json_member(item, key);
    uint32_t number = 0;
    size_t bytes = 0;
    if (!name || name->kind != '"') {
        return false;
    }
    const char *text = htp_json_node_text(r->arena, name, &bytes);
    (void)htp_map_get_bytes(&names->first, text, bytes, &number);
    r->found += number != 0;
    for (; number != 0; number = names->next[number - 1]) {
        errors[number - 1] = fmax(errors[number - 1], error);
    }
    return true;
}

static double *unknown(htp_arena *arena, size_t count)
{
    double *errors = HTP_NEW_ARRAY(arena, double, count + 1);
    for (size_t i = 0; i < count; i++) {
        errors[i] = -1;
    }
    return errors;
}

static htp_status read_modules(struct reading *r, const htp_json_node *list,
                               htp_error_report *report)
{
    uint32_t count = r->tree->module_count;
    struct names names = {.next = HTP_NEW_ARRAY(r->arena, uint32_t, count + 1U)};
    double *own = unknown(r->arena, count);
    for (uint32_t m = 0; m < count; m++) {
        htp_slice address = htp_tree_address(&r->tree->modules[m]);
        add_name(r->arena, &names, address.at, address.length, m);
    }
    for (const htp_json_node *item = htp_json_first(list); item != htp_json_end_of(list);
         item = htp_json_end_of(item)) {
        const htp_json_node *found = htp_json_member(item, "own");
        double error = -1;
        bool is_known = found && found->kind != 'n';
        if (!found || (is_known && !read_error(htp_json_member(found, "relative"), &error)) ||
            !note(r, &names, item, "address", error, own)) {
            return wrong(r, "a module has no address, or no error of its own");
        }
    }
    report->own = own;
    return r->found > 0 ? HTP_OK
                        : htp_status_make(HTP_CODE_BAD_INPUT,
                                          "%s: it is a report of another model: %s has none of its "
                                          "modules",
                                          r->path, r->view->path);
}

static htp_status read_nodes(struct reading *r, const htp_json_node *list, htp_error_report *report)
{
    size_t count = r->view->nodes.count;
    struct names names = {.next = HTP_NEW_ARRAY(r->arena, uint32_t, count + 1)};
    double *growth = unknown(r->arena, count);
    for (uint32_t n = 0; n < count; n++) {
        const char *name = htp_view_text(r->view, r->view->nodes.items[n].name);
        if (r->view->nodes.items[n].graph == 0 && *name) {
            add_name(r->arena, &names, name, strlen(name), n);
        }
    }
    for (const htp_json_node *item = htp_json_first(list); item != htp_json_end_of(list);
         item = htp_json_end_of(item)) {
        double error = 0;
        if (!read_error(htp_json_member(item, "growth"), &error) ||
            !note(r, &names, item, "node", error, growth)) {
            return wrong(r, "a node has no name, or no growth");
        }
    }
    report->growth = growth;
    return HTP_OK;
}

htp_status htp_error_report_read(htp_arena *arena, const htp_view *view, const htp_tree *tree,
                                 const char *path, htp_error_report *report)
{
    struct reading r = {arena, view, tree, path, 0};
    const htp_json_node *root = NULL;
    *report = (htp_error_report){.tolerance = 0};
    HTP_TRY(read_document(&r, &root));
    const htp_json_node *modules = list_of(root, "modules");
    const htp_json_node *nodes = list_of(root, "nodes");
    if (!modules || !nodes || !read_error(htp_json_member(root, "tolerance"), &report->tolerance)) {
        return wrong(&r, "it has no tolerance, modules and nodes");
    }
    HTP_TRY(read_modules(&r, modules, report));
    return read_nodes(&r, nodes, report);
}

/* ---- the worst ---- */

struct ranked {
    double own;
    uint32_t module;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *first = a;
    const struct ranked *second = b;
    if (first->own != second->own) {
        return first->own > second->own ? -1 : 1;
    }
    return first->module < second->module ? -1 : first->module > second->module;
}

const bool *htp_error_report_worse(htp_arena *arena, const htp_tree *tree,
                                   const htp_error_report *report, double limit, uint32_t most)
{
    bool *is_worse = HTP_NEW_ARRAY(arena, bool, tree->module_count + 1U);
    bool *has_inner = HTP_NEW_ARRAY(arena, bool, tree->module_count + 1U);
    struct ranked *ranked = HTP_NEW_ARRAY(arena, struct ranked, tree->module_count + 1U);
    size_t count = 0;
    for (uint32_t m = tree->module_count; m-- > 0;) { /* parents precede children */
        bool adds = report->own[m] > limit;
        uint32_t parent = tree->modules[m].parent;
        if (parent == HTP_NONE || !(adds || has_inner[m])) {
            continue;
        }
        has_inner[parent] = true;
        if (!has_inner[m]) {
            ranked[count++] = (struct ranked){report->own[m], m};
        }
    }
    qsort(ranked, count, sizeof(*ranked), compare_ranked);
    for (size_t i = 0; i < count && (most == 0 || i < most); i++) {
        is_worse[ranked[i].module] = true;
    }
    return is_worse;
}
