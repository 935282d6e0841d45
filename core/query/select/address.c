#include "query/select/address.h"

#include "query/select/nearest.h"

#include <string.h>

/* ---- one segment ---- */

/* Whether there is a wildcard at @p at; "%2A" is a literal star. */
static bool is_star(htp_slice pattern, size_t at)
{
    return at < pattern.length && pattern.at[at] == '*';
}

/* The length of the pattern that matches one byte: 3 for "%2A" and a star; 0: no match. In the
 * text, a star may be encoded or not. */
static size_t fit(htp_slice pattern, size_t at, char byte)
{
    if (at >= pattern.length) {
        return 0;
    }
    bool is_encoded_star = pattern.length - at >= 3 && (memcmp(pattern.at + at, "%2A", 3) == 0 ||
                                                        memcmp(pattern.at + at, "%2a", 3) == 0);
    if (is_encoded_star && byte == '*') {
        return 3;
    }
    return pattern.at[at] == byte ? 1 : 0;
}

/* Backtracks only to the last star, which takes one more byte each time. */
static bool match_segment(htp_slice pattern, htp_slice text)
{
    size_t p = 0;
    size_t t = 0;
    size_t star = SIZE_MAX;
    size_t star_text = 0;
    while (t < text.length) {
        size_t step = is_star(pattern, p) ? 0 : fit(pattern, p, text.at[t]);
        if (is_star(pattern, p)) {
            star = p++;
            star_text = t;
        } else if (step > 0) {
            p += step;
            t++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            t = ++star_text;
        } else {
            return false;
        }
    }
    while (is_star(pattern, p)) {
        p++;
    }
    return p == pattern.length;
}

bool htp_address_glob(const char *pattern, htp_slice text)
{
    return match_segment(htp_slice_of(pattern), text);
}

/* ---- segments in a row ---- */

/* A text in parts, between separators. */
struct parts {
    htp_slice text;
    const char *separators;
    size_t at; /* where the next part begins; beyond the text: no part is left */
};

static bool next_part(struct parts *parts, htp_slice *part)
{
    if (parts->at > parts->text.length) {
        return false;
    }
    size_t begin = parts->at;
    size_t end = begin;
    while (end < parts->text.length && !strchr(parts->separators, parts->text.at[end])) {
        end++;
    }
    *part = (htp_slice){parts->text.at + begin, end - begin};
    parts->at = end + 1;
    return true;
}

static bool is_any_number(htp_slice part)
{
    return part.length == 2 && memcmp(part.at, "**", 2) == 0;
}

/* Like match_segment(), for parts instead of bytes. */
static bool match_parts(struct parts pattern, struct parts text)
{
    bool has_star = false;
    struct parts star_pattern = pattern;
    struct parts star_text = text;
    for (;;) {
        struct parts text_before = text;
        htp_slice wanted, part;
        bool has_wanted = next_part(&pattern, &wanted);
        if (has_wanted && is_any_number(wanted)) {
            has_star = true;
            star_pattern = pattern;
            star_text = text_before;
            continue;
        }
        bool has_part = next_part(&text, &part);
        if (!has_part && !has_wanted) {
            return true;
        }
        if (!has_part || !has_wanted || !match_segment(wanted, part)) {
            if (!has_star || !next_part(&star_text, &part)) {
                return false;
            }
            pattern = star_pattern;
            text = star_text;
        }
    }
}

static bool match(const char *pattern, htp_slice text, const char *separators)
{
    return match_parts((struct parts){.text = htp_slice_of(pattern), .separators = separators},
                       (struct parts){.text = text, .separators = separators});
}

/* ---- the kinds of addresses ---- */

/* A tag or full tag from the root on, without the leading slash. */
static bool match_tag(const htp_tree *tree, const htp_tree_module *module, const char *pattern)
{
    (void)tree;
    htp_slice tag = {module->tag.at + 1, module->tag.length - 1};
    return module->has_tag && module->tag.length > 0 && match(pattern, tag, "/");
}

static bool match_full_tag(const htp_tree *tree, const htp_tree_module *module, const char *pattern)
{
    (void)tree;
    htp_slice tag = {module->full_tag.at + 1, module->full_tag.length - 1};
    return module->full_tag.length > 0 && match(pattern, tag, "/");
}

static bool match_path(const htp_tree *tree, const htp_tree_module *module, const char *pattern)
{
    if (tree->are_paths_in_tags && !module->has_path) { /* of an older sidecar */
        htp_slice tag = {module->tag.at + 1, module->tag.length - 1};
        return tag.length > 0 && match(pattern, tag, "./");
    }
    return module->path.length > 0 && match(pattern, module->path, ".");
}

static bool match_class(const htp_tree *tree, const htp_tree_module *module, const char *pattern)
{
    (void)tree;
    return module->class_name.length > 0 && htp_address_glob(pattern, module->class_name);
}

static bool match_own_segment(const htp_tree *tree, const htp_tree_module *module,
                              const char *pattern)
{
    (void)tree;
    htp_slice segment = htp_tree_segment(module);
    return segment.length > 0 &&
           htp_address_glob(pattern, (htp_slice){segment.at + 1, segment.length - 1});
}

/* The pattern has a `**` before the class, which matches omitted packages. */
static bool match_qualified_class(const htp_tree *tree, const htp_tree_module *module,
                                  const char *pattern)
{
    (void)tree;
    return module->qualified_class.length > 0 && match(pattern, module->qualified_class, ".");
}

typedef bool match_function(const htp_tree *tree, const htp_tree_module *module,
                            const char *pattern);

static void match_all(const htp_tree *tree, match_function *matches_one, const char *pattern,
                      htp_address_matches *matches)
{
    for (uint32_t i = 0; i < tree->module_count; i++) {
        if (matches_one(tree, &tree->modules[i], pattern)) {
            matches->first = matches->count == 0 ? i : matches->first;
            matches->is_matched[i] = true;
            matches->count++;
        }
    }
}

/* A class with the first names of its package: searches for "torch.nn.**.LayerNorm". */
static void match_all_qualified(htp_arena *arena, const htp_tree *tree, const char *address,
                                htp_address_matches *matches)
{
    const char *dot = strrchr(address, '.');
    if (dot) {
        const char *pattern =
            htp_arena_printf(arena, "%.*s.**%s", (int)(dot - address), address, dot);
        match_all(tree, match_qualified_class, pattern, matches);
    }
}

htp_status htp_address_find(htp_arena *arena, const htp_tree *tree, const char *address,
                            htp_address_matches *matches)
{
    static match_function *const with_slash[] = {match_tag, match_full_tag};
    static match_function *const without[] = {match_path, match_class, match_own_segment};
    bool has_slash = strchr(address, '/') != NULL;
    match_function *const *kinds = has_slash ? with_slash : without;
    size_t kind_count = has_slash ? 2 : 3;
    const char *pattern = address;
    if (*address == '/') {
        pattern = address + 1;
    } else if (has_slash) {
        pattern = htp_arena_printf(arena, "**/%s", address);
    }
    *matches = (htp_address_matches){.is_matched = HTP_NEW_ARRAY(arena, bool, tree->module_count)};
    for (size_t i = 0; i < kind_count && matches->count == 0; i++) {
        match_all(tree, kinds[i], pattern, matches);
    }
    if (matches->count == 0 && !has_slash) {
        match_all_qualified(arena, tree, address, matches);
    }
    if (matches->count > 0) {
        return HTP_OK;
    }
    return htp_status_make(HTP_CODE_USAGE, "no module is '%s'%s", address,
                           htp_nearest_text(arena, tree, address));
}
