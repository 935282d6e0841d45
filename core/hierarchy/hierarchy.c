#include "hierarchy/hierarchy.h"

#include "base/text.h"
#include "base/vector.h"
#include "hierarchy/segments.h"

#include <inttypes.h>
#include <string.h>

#define TORCH_NN_PREFIX "torch.nn."

/* Tags of all modules for one choice of eligible ones. */
typedef struct tagging {
    htp_arena *arena;
    const htp_instance *modules;
    uint32_t module_count;
    const htp_module_spelling *spellings;
    const bool *eligible;
    const uint32_t *ancestors; /* the nearest eligible ancestor; HTP_NONE for the root */
    const htp_segment_form *forms;
    const char **tags; /* of eligible modules */
    htp_text text;     /* of the tag that is being made */
    HTP_VECTOR(uint32_t) path;
} tagging;

static const uint32_t *find_ancestors(htp_arena *arena, const htp_instance *modules,
                                      uint32_t module_count, const bool *eligible)
{
    uint32_t *ancestors = HTP_NEW_ARRAY(arena, uint32_t, module_count);
    for (uint32_t i = 0; i < module_count; i++) {
        uint32_t parent = modules[i].parent;
        ancestors[i] = i == 0 || eligible[parent] ? parent : ancestors[parent];
    }
    return ancestors;
}

/* A number instead of a long address. It is unambiguous: no segment or attribute name begins with a
 * dot. */
static void add_reference(htp_text *text, uint32_t module)
{
    htp_text_addf(text, "...%" PRIu32, module);
}

/* Goes up at most HTP_TAG_LENGTH bytes of path, which keeps it linear. */
static void add_relative_path(tagging *t, uint32_t module)
{
    size_t length = 0;
    uint32_t at = module;
    t->path.count = 0;
    while (at != t->ancestors[module] && length <= HTP_TAG_LENGTH) {
        HTP_PUSH(t->arena, &t->path, at);
        length += strlen(t->spellings[at].name_part) + 1;
        at = t->modules[at].parent;
    }
    if (at != t->ancestors[module]) {
        add_reference(&t->text, at);
        htp_text_add(&t->text, ".");
    }
    for (size_t i = t->path.count; i-- > 0;) {
        htp_text_add(&t->text, t->spellings[t->path.items[i]].name_part);
        htp_text_add(&t->text, i ? "." : "");
    }
}

static void add_segment(tagging *t, uint32_t module)
{
    htp_text_add(&t->text, "/");
    htp_text_add(&t->text, t->spellings[module].class_part);
    if (t->forms[module] == HTP_SEGMENT_NUMBER) {
        htp_text_add(&t->text, ".");
        htp_text_add(&t->text, t->spellings[module].name_part);
    } else if (t->forms[module] == HTP_SEGMENT_PATH) {
        htp_text_add(&t->text, ".");
        add_relative_path(t, module);
    }
}

static const char *make_tag(tagging *t, uint32_t module)
{
    uint32_t ancestor = t->ancestors[module];
    t->text.length = 0;
    if (ancestor != HTP_NONE && strlen(t->tags[ancestor]) <= HTP_TAG_LENGTH) {
        htp_text_add(&t->text, t->tags[ancestor]);
    } else if (ancestor != HTP_NONE) {
        htp_text_add(&t->text, "/");
        add_reference(&t->text, ancestor);
    }
    add_segment(t, module);
    return htp_arena_copy(t->arena, t->text.bytes, t->text.length);
}

/* Tags the eligible modules; ancestors precede descendants. */
static tagging tag_modules(htp_arena *arena, const htp_instance *modules, uint32_t module_count,
                           const htp_module_spelling *spellings, const bool *eligible)
{
    tagging t = {.arena = arena,
                 .modules = modules,
                 .module_count = module_count,
                 .spellings = spellings,
                 .eligible = eligible,
                 .text = {.arena = arena}};
    t.ancestors = find_ancestors(arena, modules, module_count, eligible);
    t.forms = htp_segments_forms(arena, spellings, t.ancestors, eligible, module_count);
    t.tags = HTP_NEW_ARRAY(arena, const char *, module_count);
    for (uint32_t i = 0; i < module_count; i++) {
        t.tags[i] = eligible[i] ? make_tag(&t, i) : NULL;
    }
    return t;
}

/* Frees what only serves to make tags; each array that was large. */
static void end_tagging(const tagging *t)
{
    htp_arena_release(t->arena, t->ancestors, t->module_count * sizeof(*t->ancestors));
    htp_arena_release(t->arena, t->forms, t->module_count * sizeof(*t->forms));
    htp_arena_release(t->arena, t->tags, t->module_count * sizeof(*t->tags));
}

/* @return whether all modules are eligible */
static bool choose_eligible(const htp_instance *modules, uint32_t module_count,
                            bool include_torch_nn, htp_hierarchy_module *facts, bool *eligible,
                            bool *everything)
{
    bool are_all = true;
    for (uint32_t i = 0; i < module_count; i++) {
        facts[i].is_torch_nn =
            strncmp(modules[i].qualified_class, TORCH_NN_PREFIX, strlen(TORCH_NN_PREFIX)) == 0;
        facts[i].is_eligible = i == 0 || include_torch_nn || !facts[i].is_torch_nn;
        eligible[i] = facts[i].is_eligible;
        everything[i] = true;
        are_all = are_all && eligible[i];
    }
    return are_all;
}

static void fill_facts(htp_hierarchy_module *facts, const tagging *tags, const tagging *full_tags)
{
    for (uint32_t i = 0; i < tags->module_count; i++) {
        facts[i].owner = tags->eligible[i] ? i : tags->ancestors[i];
        facts[i].tag = tags->tags[facts[i].owner];
        facts[i].full_tag = full_tags->tags[i];
        facts[i].class_name = tags->spellings[i].class_name;
        facts[i].is_leaf = true;
        if (i > 0) {
            uint32_t parent = tags->modules[i].parent;
            facts[i].level = facts[parent].level + 1;
            facts[parent].is_leaf = false;
        }
    }
}

htp_hierarchy *htp_hierarchy_build(htp_arena *arena, const htp_instance *modules,
                                   uint32_t module_count, const htp_hierarchy_options *options)
{
    htp_hierarchy_module *facts = HTP_NEW_ARRAY(arena, htp_hierarchy_module, module_count);
    bool *eligible = HTP_NEW_ARRAY(arena, bool, module_count);
    bool *everything = HTP_NEW_ARRAY(arena, bool, module_count);
    bool are_all = choose_eligible(modules, module_count, options->include_torch_nn, facts,
                                   eligible, everything);
    const htp_module_spelling *spellings = htp_segments_spell(arena, modules, module_count);
    tagging full_tags = tag_modules(arena, modules, module_count, spellings, everything);
    tagging tags =
        are_all ? full_tags : tag_modules(arena, modules, module_count, spellings, eligible);
    fill_facts(facts, &tags, &full_tags);
    if (!are_all) {
        end_tagging(&tags);
    }
    end_tagging(&full_tags);
    htp_arena_release(arena, spellings, module_count * sizeof(*spellings));
    htp_hierarchy *hierarchy = HTP_NEW(arena, htp_hierarchy);
    hierarchy->modules = facts;
    hierarchy->module_count = module_count;
    return hierarchy;
}

const uint32_t *htp_hierarchy_tag_scopes(htp_arena *arena, const htp_hierarchy *hierarchy,
                                         const htp_trace_scope *scopes, uint32_t scope_count)
{
    uint32_t *owners = HTP_NEW_ARRAY(arena, uint32_t, scope_count);
    for (uint32_t i = 0; i < scope_count; i++) {
        uint32_t module = scopes[i].module;
        bool has_caller = scopes[i].parent < i;
        if (hierarchy->modules[module].is_eligible || !has_caller) {
            owners[i] = hierarchy->modules[module].owner;
        } else {
            owners[i] = owners[scopes[i].parent];
        }
    }
    return owners;
}
