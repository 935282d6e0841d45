/*
 * What a model with its modules replaced imports.
 */
#include "query/replace/replace_parts.h"

/* Reference: onnx.proto. */
enum { MODEL_IMPORT = 8, IMPORT_DOMAIN = 1, IMPORT_VERSION = 2 };

htp_replace_imports htp_replace_list_imports(htp_arena *arena, const htp_view *view)
{
    htp_replace_imports imports = {.view = view};
    for (uint32_t i = 0; view && i < view->imports.count; i++) {
        htp_view_name domain = htp_view_domain(view, view->imports.items[i].domain);
        const char *name = htp_view_text(view, domain);
        if (!htp_map_get(&imports.numbers, name, NULL)) { /* the first of a domain counts */
            htp_map_set(arena, &imports.numbers, name, i);
        }
    }
    return imports;
}

int64_t htp_replace_find_version(const htp_replace_imports *imports, const char *domain)
{
    uint32_t number = 0;
    return htp_map_get(&imports->numbers, domain, &number)
               ? imports->view->imports.items[number].version
               : 0;
}

int64_t htp_replace_find_import(const htp_replacement *r, const char *domain)
{
    int64_t version = htp_replace_find_version(&r->imports_of_file, domain);
    return version != 0 ? version : htp_replace_find_version(&r->imports_of_view, domain);
}

void htp_replace_add_import(htp_arena *arena, htp_replacement *r, const char *domain,
                            int64_t version)
{
    htp_text import = {.arena = arena};
    htp_text field = {.arena = arena};
    int64_t of_view = htp_replace_find_version(&r->imports_of_view, domain);
    if (htp_replace_find_version(r->file ? &r->imports_of_file : &r->imports_of_view, domain) !=
            0 ||
        htp_map_get(&r->imported, domain, NULL)) {
        return;
    }
    htp_map_set(arena, &r->imported, domain, 1);
    htp_wire_add_text(&import, IMPORT_DOMAIN, domain);
    htp_wire_add_varint(&import, IMPORT_VERSION, (uint64_t)(of_view != 0 ? of_view : version));
    htp_wire_add_bytes(&field, MODEL_IMPORT, import.bytes, import.length);
    HTP_PUSH(arena, &r->imports, htp_wire_span(&field));
}

/* Domains of functions have no versions of their own. */
static void add_imports_of_calls(htp_arena *arena, htp_replacement *r)
{
    for (size_t i = 0; i < r->calls.count; i++) {
        const htp_inline_place *place = r->calls.items[i].place;
        if (place && !place->is_own) {
            htp_view_name domain = r->file->functions.items[place->function].domain;
            domain = htp_view_domain(r->file, domain);
            htp_replace_add_import(arena, r, htp_view_text(r->file, domain), 1);
        }
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
        if (is_used[domain]) {
            htp_replace_add_import(arena, r, htp_view_text(view, domain), import->version);
        }
    }
    add_imports_of_calls(arena, r);
}
