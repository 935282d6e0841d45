/*
 * What a model with its modules replaced imports.
 */
#include "query/replace/replace_parts.h"

#include <string.h>

/* Reference: onnx.proto. */
enum { MODEL_IMPORT = 8, IMPORT_DOMAIN = 1, IMPORT_VERSION = 2 };

int64_t htp_replace_find_version(const htp_view *view, const char *domain)
{
    for (size_t i = 0; i < view->imports.count; i++) {
        htp_view_name name = htp_view_domain(view, view->imports.items[i].domain);
        if (strcmp(htp_view_text(view, name), domain) == 0) {
            return view->imports.items[i].version;
        }
    }
    return 0;
}

int64_t htp_replace_find_import(const htp_replacement *r, const char *domain)
{
    int64_t version = r->file ? htp_replace_find_version(r->file, domain) : 0;
    return version != 0 ? version : htp_replace_find_version(r->view, domain);
}

static void add_import(htp_arena *arena, htp_replacement *r, const char *domain, int64_t version)
{
    htp_text import = {.arena = arena};
    htp_text field = {.arena = arena};
    htp_wire_add_text(&import, IMPORT_DOMAIN, domain);
    htp_wire_add_varint(&import, IMPORT_VERSION, (uint64_t)version);
    htp_wire_add_bytes(&field, MODEL_IMPORT, import.bytes, import.length);
    HTP_PUSH(arena, &r->imports, htp_wire_span(&field));
}

void htp_replace_add_import(htp_arena *arena, htp_replacement *r, const char *domain,
                            int64_t version)
{
    if (htp_replace_find_import(r, domain) == 0) {
        add_import(arena, r, domain, version);
    }
}

void htp_replace_add_inlined_imports(htp_arena *arena, htp_replacement *r)
{
    const htp_view *view = r->view;
    bool *is_used = HTP_NEW_ARRAY(arena, bool, view->names.count + 1); /* by name of a domain */
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        if (htp_replace_is_written(r, n)) {
            is_used[htp_view_domain(view, view->nodes.items[n].domain)] = true;
        }
    }
    for (size_t i = 0; i < view->imports.count; i++) {
        const htp_view_import *import = &view->imports.items[i];
        htp_view_name domain = htp_view_domain(view, import->domain);
        const char *name = htp_view_text(view, domain);
        if (is_used[domain] && htp_replace_find_version(r->file, name) == 0) {
            add_import(arena, r, name, import->version);
        }
    }
}
