#include "query/validate/validate_onnx.h"

void htp_validate_onnx(const htp_view *file, htp_findings *findings)
{
    htp_arena *arena = findings->arena;
    htp_validator v = {.arena = arena,
                       .view = file,
                       .findings = findings,
                       .schemas = htp_schemas_new(arena),
                       .schema = HTP_NEW_ARRAY(arena, const htp_schema *, file->nodes.count),
                       .roots = HTP_NEW_ARRAY(arena, uint32_t, file->graphs.count)};
    if (file->graphs.count == 0) {
        return;
    }
    for (uint32_t g = 0; g < file->graphs.count; g++) { /* a body follows the graph around it */
        uint32_t parent = file->graphs.items[g].parent;
        v.roots[g] = parent == HTP_NONE ? g : v.roots[parent];
    }
    htp_validate_operators(&v);
    htp_validate_graphs(&v);
    if (file->flaws.count == 0) {
        htp_validate_types(&v);
        htp_validate_dims(&v);
    }
}
