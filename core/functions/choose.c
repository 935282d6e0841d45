#include "functions/choose.h"

#include "query/select/address.h"

#include <inttypes.h>
#include <string.h>

#define DEPTH "depth="

/* Modules listed in a message. */
enum { SHOWN = 3 };

/* ---- selectors ---- */

static htp_slice trim(htp_slice text)
{
    while (text.length > 0 && text.at[0] == ' ') {
        text = (htp_slice){text.at + 1, text.length - 1};
    }
    while (text.length > 0 && text.at[text.length - 1] == ' ') {
        text.length--;
    }
    return text;
}

/* Splits off the selector before the next comma; @p rest becomes NULL after the last one. */
static htp_slice take_selector(const char **rest)
{
    const char *begin = *rest;
    const char *comma = strchr(begin, ',');
    *rest = comma ? comma + 1 : NULL;
    return trim((htp_slice){begin, comma ? (size_t)(comma - begin) : strlen(begin)});
}

static bool is_depth(htp_slice selector)
{
    return selector.length >= strlen(DEPTH) && memcmp(selector.at, DEPTH, strlen(DEPTH)) == 0;
}

/*
 * The number of "depth=2", saturated.
 * @return whether it is such a selector
 */
static bool read_depth(htp_slice selector, uint32_t *depth)
{
    uint64_t number = 0;
    for (size_t i = strlen(DEPTH); i < selector.length; i++) {
        if (selector.at[i] < '0' || selector.at[i] > '9') {
            return false;
        }
        number = 10 * number + (uint64_t)(selector.at[i] - '0');
        number = number < UINT32_MAX ? number : UINT32_MAX;
    }
    *depth = (uint32_t)number;
    return selector.length > strlen(DEPTH);
}

static htp_status check_selector(const char *selectors, htp_slice selector)
{
    uint32_t depth = 0;
    if (selector.length == 0) {
        return htp_status_make(HTP_CODE_USAGE,
                               "functions: an empty selector in '%s'; %%2C is a comma in a name",
                               selectors);
    }
    if (!is_depth(selector)) {
        return HTP_OK;
    }
    if (!read_depth(selector, &depth)) {
        return htp_status_make(HTP_CODE_USAGE,
                               "functions: '%.*s' is no depth; write a number from 1 on, for "
                               "example depth=2",
                               (int)selector.length, selector.at);
    }
    return depth > 0 ? HTP_OK
                     : htp_status_make(HTP_CODE_USAGE,
                                       "functions: '%.*s' is the root, whose body is the model "
                                       "itself; depth=1 names the modules right below it",
                                       (int)selector.length, selector.at);
}

htp_status htp_functions_check(const char *selectors)
{
    for (const char *rest = selectors && *selectors ? selectors : NULL; rest;) {
        HTP_TRY(check_selector(selectors, take_selector(&rest)));
    }
    return HTP_OK;
}

/* ---- what they mean ---- */

struct choice {
    htp_arena *arena;
    const htp_instance *modules;
    const uint32_t *calls; /* by module */
    htp_tree tree;
    bool *is_chosen;
};

/* The module tree in which addresses are resolved, like that of a file. */
static htp_tree make_tree(const struct choice *choice, const htp_hierarchy *hierarchy)
{
    htp_arena *arena = choice->arena;
    const htp_instance *modules = choice->modules;
    htp_tree_module *made = HTP_NEW_ARRAY(arena, htp_tree_module, hierarchy->module_count);
    for (uint32_t i = 0; i < hierarchy->module_count; i++) {
        const htp_hierarchy_module *facts = &hierarchy->modules[i];
        made[i] = (htp_tree_module){
            .tag = htp_slice_of(facts->tag),
            .full_tag = htp_slice_of(facts->full_tag),
            .path = htp_slice_of(modules[i].path),
            .class_name = htp_slice_of(facts->class_name),
            .qualified_class = htp_slice_of(modules[i].qualified_class),
            .parent = i == 0 ? HTP_NONE : modules[i].parent,
            .has_tag = facts->is_eligible,
            .has_path = true,
            .calls = choice->calls[i],
        };
        if (i > 0) {
            const htp_tree_module *parent = &made[modules[i].parent];
            made[i].depth = parent->depth + parent->has_tag;
        }
    }
    return (htp_tree){.modules = made, .module_count = hierarchy->module_count};
}

/* Whether a module can become a function. */
static bool is_callable(const struct choice *choice, uint32_t module)
{
    return module > 0 && choice->calls[module] > 0;
}

static htp_status refuse_depth(htp_slice selector, uint32_t nearest)
{
    if (nearest == 0) {
        return htp_status_make(HTP_CODE_USAGE,
                               "functions: '%.*s': no module below the root that has a tag is "
                               "called",
                               (int)selector.length, selector.at);
    }
    return htp_status_make(HTP_CODE_USAGE,
                           "functions: '%.*s': no module with a tag is called there; the nearest "
                           "depth where one is: depth=%" PRIu32,
                           (int)selector.length, selector.at, nearest);
}

static htp_status choose_depth(struct choice *choice, htp_slice selector)
{
    uint32_t wanted = 0;
    uint32_t nearest = 0; /* its depth; 0: none */
    uint32_t distance = UINT32_MAX;
    (void)read_depth(selector, &wanted); /* checked before */
    for (uint32_t m = 1; m < choice->tree.module_count; m++) {
        const htp_tree_module *module = &choice->tree.modules[m];
        if (!module->has_tag || !is_callable(choice, m)) {
            continue;
        }
        uint32_t off = module->depth < wanted ? wanted - module->depth : module->depth - wanted;
        choice->is_chosen[m] = choice->is_chosen[m] || off == 0;
        if (nearest == 0 || off < distance) {
            nearest = module->depth;
            distance = off;
        }
    }
    return nearest > 0 && distance == 0 ? HTP_OK : refuse_depth(selector, nearest);
}

/* "; LIST is called": modules that can become functions; "" if there are none. */
static const char *list_called(const struct choice *choice, const bool *is_listed, const char *what)
{
    htp_text text = {.arena = choice->arena};
    uint32_t count = 0;
    for (uint32_t m = 1; m < choice->tree.module_count; m++) {
        if (is_listed[m] && is_callable(choice, m) && count++ < SHOWN) {
            htp_text_addf(&text, "%s %s", count == 1 ? "" : ",", choice->modules[m].path);
        }
    }
    if (count > SHOWN) {
        htp_text_addf(&text, " and %" PRIu32 " more", count - SHOWN);
    }
    return count > 0
               ? htp_arena_printf(choice->arena, "; called %s:%s", what, htp_text_string(&text))
               : "";
}

/* Called modules below those that match, without a called module between. */
static const char *list_below(const struct choice *choice, const htp_address_matches *matches)
{
    bool *is_open = HTP_NEW_ARRAY(choice->arena, bool, choice->tree.module_count);
    bool *is_below = HTP_NEW_ARRAY(choice->arena, bool, choice->tree.module_count);
    for (uint32_t m = 1; m < choice->tree.module_count; m++) {
        is_below[m] = is_open[choice->modules[m].parent];
        is_open[m] = matches->is_matched[m] || (is_below[m] && !is_callable(choice, m));
    }
    return list_called(choice, is_below, "below");
}

static const char *list_of_class(const struct choice *choice, const htp_address_matches *matches)
{
    uint32_t first = matches->first;
    while (first == 0 || !matches->is_matched[first]) {
        first++; /* a match besides the root */
    }
    bool *is_one = HTP_NEW_ARRAY(choice->arena, bool, choice->tree.module_count);
    for (uint32_t m = 1; m < choice->tree.module_count; m++) {
        is_one[m] = htp_slice_equals(choice->tree.modules[m].qualified_class,
                                     choice->tree.modules[first].qualified_class);
    }
    return list_called(choice, is_one, "of that class");
}

static htp_status refuse_uncalled(const struct choice *choice, const char *address,
                                  const htp_address_matches *matches)
{
    if (matches->count == 1 && matches->first == 0) {
        return htp_status_make(HTP_CODE_USAGE,
                               "functions: '%s' is the root, whose body is the model itself; "
                               "choose modules below it, for example depth=1",
                               address);
    }
    const char *hint = list_below(choice, matches);
    hint = *hint ? hint : list_of_class(choice, matches);
    hint = *hint ? hint : "; inspect --json of an ONNX model lists the calls";
    return htp_status_make(HTP_CODE_USAGE, "functions: '%s' is never called%s", address, hint);
}

/* An address with its commas decoded. */
static char *decode(htp_arena *arena, htp_slice selector)
{
    char *address = htp_arena_copy(arena, selector.at, selector.length);
    size_t length = 0;
    for (size_t i = 0; i < selector.length; i++) {
        bool is_comma = selector.length - i >= 3 && (memcmp(selector.at + i, "%2C", 3) == 0 ||
                                                     memcmp(selector.at + i, "%2c", 3) == 0);
        if (is_comma) {
            address[length++] = ',';
            i += 2;
        } else {
            address[length++] = selector.at[i];
        }
    }
    address[length] = '\0';
    return address;
}

static htp_status choose_address(struct choice *choice, htp_slice selector)
{
    const char *address = decode(choice->arena, selector);
    uint32_t count = 0;
    htp_address_matches matches;
    HTP_TRY(htp_status_prefix(htp_address_find(choice->arena, &choice->tree, address, &matches),
                              "functions"));
    for (uint32_t m = 0; m < choice->tree.module_count; m++) {
        if (matches.is_matched[m] && is_callable(choice, m)) {
            choice->is_chosen[m] = true;
            count++;
        }
    }
    return count > 0 ? HTP_OK : refuse_uncalled(choice, address, &matches);
}

htp_status htp_functions_choose(htp_arena *arena, const htp_hierarchy *hierarchy,
                                const htp_instance *modules, const uint32_t *calls,
                                const char *selectors, bool *is_chosen)
{
    HTP_TRY(htp_functions_check(selectors));
    struct choice choice = {
        .arena = arena, .modules = modules, .calls = calls, .is_chosen = is_chosen};
    if (!selectors || !*selectors) {
        for (uint32_t m = 1; m < hierarchy->module_count; m++) {
            is_chosen[m] = is_callable(&choice, m) && !hierarchy->modules[m].is_torch_nn;
        }
        return HTP_OK;
    }
    choice.tree = make_tree(&choice, hierarchy);
    for (const char *rest = selectors; rest;) {
        htp_slice selector = take_selector(&rest);
        HTP_TRY(is_depth(selector) ? choose_depth(&choice, selector)
                                   : choose_address(&choice, selector));
    }
    return HTP_OK;
}
