/*
 * Tensors that are not compared, and lists of other lengths, as text and as JSON.
 */
#include "report/verify/parts.h"

#include "report/tree/values.h"

#include <string.h>

/* Tensors that the text names, of each model and reason. */
enum { MOST_NAMED = 3, INDENTATION = 6 };

static const char *const models[HTP_COMPARED] = {"A", "B"};

/* The address of the module; empty: none is known. */
static htp_slice address_of(const htp_verification *v, const htp_uncompared *left)
{
    return left->module == HTP_NONE
               ? htp_slice_of("")
               : htp_tree_address(&v->request->trees[left->model]->modules[left->module]);
}

/* ---- text ---- */

static void add_tensor(htp_text *text, const htp_verification *v, const htp_uncompared *left)
{
    htp_arena *arena = text->arena;
    htp_slice address = address_of(v, left);
    htp_text line = {.arena = arena};
    htp_text_add(&line, htp_text_printable(arena, left->name ? left->name : left->kind));
    if (address.length > 0) {
        htp_text_addf(&line, "  %.*s", (int)address.length, address.at);
    }
    if (!left->name && left->source) {
        htp_text_addf(&line, "  %s", htp_text_printable(arena, left->source));
    }
    htp_text_addf(text, "%*s%s\n", INDENTATION, "", htp_text_string(&line));
}

void htp_verified_uncompared_text(htp_text *text, const htp_verification *v)
{
    const htp_uncompared_list *all = &v->not_compared;
    uint32_t counts[HTP_COMPARED][HTP_UNCOMPARED_REASONS] = {{0}};
    for (size_t i = 0; i < all->count; i++) {
        counts[all->items[i].model][all->items[i].reason]++;
    }
    htp_text_add(text, all->count > 0 ? "\nnot compared (--json names all)\n" : "");
    for (int m = 0; m < HTP_COMPARED; m++) {
        for (int r = 0; r < HTP_UNCOMPARED_REASONS; r++) {
            if (counts[m][r] == 0) {
                continue;
            }
            uint32_t named = 0;
            htp_text_addf(text, "  %u of %s: %s\n", counts[m][r], models[m],
                          htp_uncompared_text((htp_uncompared_reason)r));
            for (size_t i = 0; i < all->count && named < MOST_NAMED; i++) {
                if (all->items[i].model == m && all->items[i].reason == (htp_uncompared_reason)r) {
                    add_tensor(text, v, &all->items[i]);
                    named++;
                }
            }
        }
    }
}

/* The name of a list. */
static const char *name_list(const htp_verification *v, const htp_verify_lengths *found)
{
    const htp_view *view = v->request->views[HTP_COMPARED_A];
    return htp_view_text(view, view->values.items[found->value].name);
}

void htp_verified_lengths_text(htp_text *text, const htp_verification *v)
{
    htp_text_add(text, v->lengths.count > 0 ? "\nlists of another length\n" : "");
    for (size_t i = 0; i < v->lengths.count; i++) {
        const htp_verify_lengths *found = &v->lengths.items[i];
        htp_text_addf(text, "  %s: %zu in A, %zu in B\n",
                      htp_text_printable(text->arena, name_list(v, found)),
                      found->lengths[HTP_COMPARED_A], found->lengths[HTP_COMPARED_B]);
    }
}

/* ---- JSON ---- */

void htp_verified_lengths_json(htp_json *json, const htp_verification *v)
{
    htp_json_begin(json, "lists_of_another_length", '[');
    for (size_t i = 0; i < v->lengths.count; i++) {
        const htp_verify_lengths *found = &v->lengths.items[i];
        htp_json_begin(json, NULL, '{');
        htp_json_string(json, "list", name_list(v, found));
        htp_json_count(json, "run", found->run);
        htp_json_count(json, "a", found->lengths[HTP_COMPARED_A]);
        htp_json_count(json, "b", found->lengths[HTP_COMPARED_B]);
        htp_json_end(json, '}');
    }
    htp_json_end(json, ']');
}

void htp_verified_uncompared_json(htp_json *json, const htp_verification *v)
{
    htp_json_begin(json, "not_compared", '[');
    for (size_t i = 0; i < v->not_compared.count; i++) {
        const htp_uncompared *left = &v->not_compared.items[i];
        htp_slice address = address_of(v, left);
        htp_json_begin(json, NULL, '{');
        htp_json_string(json, "model", left->model == HTP_COMPARED_A ? "a" : "b");
        htp_json_string(json, "tensor", left->name);
        htp_json_string(json, "operator", left->kind);
        if (address.length > 0) {
            htp_json_string_part(json, "module", address.at, address.length);
        } else {
            htp_json_null(json, "module");
        }
        htp_json_string(json, "source", left->source);
        htp_json_string(json, "reason", htp_uncompared_text(left->reason));
        htp_json_end(json, '}');
    }
    htp_json_end(json, ']');
}
