#include "exported/call/names.h"

#include "base/text.h"
#include "exported/call/schemas.h"

#include <string.h>

static const htp_number_name number_names[] = {
#define NUMBERS(target, name) {target, name, true},
#define NUMBER(target, kind) {target, kind, false},
#define MEANS(target, kind, count)
#include "exported/call/sizes.def"
#undef NUMBERS
#undef NUMBER
#undef MEANS
};

const htp_number_name *htp_names_number(const char *target)
{
    const htp_number_name *found = NULL;
    for (size_t i = 0; i < sizeof(number_names) / sizeof(number_names[0]) && !found; i++) {
        found = strcmp(number_names[i].target, target) == 0 ? &number_names[i] : NULL;
    }
    return found;
}

bool htp_names_is_check(const char *target)
{
    static const char *const checks[] = {
        "torch.ops.aten._assert_scalar.default",
        "torch.ops.aten._assert_async.default",
        "torch.ops.aten._assert_async.msg",
        "torch.ops.aten._assert_tensor_metadata.default",
        "torch.ops.aten._functional_assert_async.msg",
        "torch.ops.aten._functional_assert_scalar.default",
        "torch.ops.aten.sym_constrain_range.default",
        "torch.ops.aten.sym_constrain_range_for_size.default",
    };
    return htp_text_is_one_of(target, checks, sizeof(checks) / sizeof(checks[0]));
}

/* "aten::add.Tensor" of "torch.ops.aten.add.Tensor", "aten::relu" of "torch.ops.aten.relu.default".
 */
static const char *kind_of(htp_arena *arena, const char *target)
{
    static const char begin[] = "torch.ops.";
    if (strncmp(target, begin, strlen(begin)) != 0) {
        return target;
    }
    const char *space = target + strlen(begin);
    const char *name = strchr(space, '.');
    const char *overload = name ? strrchr(name + 1, '.') : NULL;
    size_t length = strlen(space);
    if (!name) {
        return target;
    }
    if (overload && strcmp(overload, ".default") == 0) {
        length = (size_t)(overload - space);
    }
    return htp_arena_printf(arena, "%.*s::%.*s", (int)(name - space), space,
                            (int)(length - (size_t)(name + 1 - space)), name + 1);
}

/* Operators that do the same as another one. */
static const struct meaning_row {
    const char *target;
    const char *kind;
    uint32_t count; /* number of arguments in common */
} meaning_rows[] = {
#define NUMBERS(target, name)
#define NUMBER(target, kind)
#define MEANS(target, kind, count) {target, kind, count},
#include "exported/call/sizes.def"
#undef NUMBERS
#undef NUMBER
#undef MEANS
};

static const struct meaning_row *find_meaning_row(const char *target)
{
    const struct meaning_row *found = NULL;
    for (size_t i = 0; i < sizeof(meaning_rows) / sizeof(meaning_rows[0]) && !found; i++) {
        found = strcmp(meaning_rows[i].target, target) == 0 ? &meaning_rows[i] : NULL;
    }
    return found;
}

const htp_exported_node *htp_names_translate(htp_arena *arena, const htp_exported_node *node,
                                             const char **kind)
{
    const struct meaning_row *row = find_meaning_row(node->target);
    *kind = row ? row->kind : kind_of(arena, node->target);
    if (!row) {
        return node;
    }
    const htp_exported_schema *schema = htp_exported_schema_find(arena, row->kind);
    htp_exported_node *meant = HTP_NEW(arena, htp_exported_node);
    htp_exported_argument *inputs =
        HTP_NEW_ARRAY(arena, htp_exported_argument, (size_t)node->input_count + 1);
    *meant = *node;
    meant->inputs = inputs;
    meant->input_count = node->input_count < row->count ? node->input_count : row->count;
    for (uint32_t i = 0; i < meant->input_count; i++) {
        inputs[i] = node->inputs[i];
        inputs[i].name = schema && i < schema->count ? schema->parameters[i].name : "";
    }
    return meant;
}
