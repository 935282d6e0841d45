#include "callers.h"

#include <link.h>
#include <stddef.h>
#include <string.h>
#include <unwind.h>

enum { MAX_RANGES = 32 };

/* ---- whose code an address is ---- */

enum owner { OTHERS, LIBRARIES, OURS };

static struct range {
    uintptr_t base, begin, end;
    enum owner owner;
} ranges[MAX_RANGES];
static size_t range_count;

static enum owner owner_of_file(const char *path)
{
    static const char *const libraries[] = {"/libc.so",          "/libstdc++.so", "/libgcc_s.so",
                                            "/libprotobuf-c.so", "/libcjson.so",  "/libz.so",
                                            "/libxxhash.so",     "/libasan.so",   "/libubsan.so"};
    if (*path == '\0' || strstr(path, "/libhtp-shim-")) {
        return OURS;
    }
    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
        if (strstr(path, libraries[i])) {
            return LIBRARIES;
        }
    }
    return OTHERS;
}

static int add_ranges(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    const enum owner owner = owner_of_file(object->dlpi_name);
    for (size_t i = 0; i < object->dlpi_phnum && owner != OTHERS; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && part->p_flags & PF_X && range_count < MAX_RANGES) {
            const uintptr_t begin = object->dlpi_addr + part->p_vaddr;
            ranges[range_count++] =
                (struct range){object->dlpi_addr, begin, begin + part->p_memsz, owner};
        }
    }
    return 0;
}

void htp_callers_init(void)
{
    (void)dl_iterate_phdr(add_ranges, NULL);
}

static const struct range *range_of(uintptr_t address)
{
    static const struct range none;
    for (size_t i = 0; i < range_count; i++) {
        if (address >= ranges[i].begin && address < ranges[i].end) {
            return &ranges[i];
        }
    }
    return &none;
}

bool htp_callers_are_ours(const void *address)
{
    return range_of((uintptr_t)address)->owner == OURS;
}

/* ---- the stack ---- */

struct walk {
    htp_callers *stack;
    uintptr_t caller;
    bool has_begun, is_ours;
};

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *frame, void *user)
{
    struct walk *walk = user;
    htp_callers *stack = walk->stack;
    const uintptr_t address = _Unwind_GetIP(frame);
    walk->has_begun = walk->has_begun || address == walk->caller;
    if (!walk->has_begun) {
        return _URC_NO_REASON;
    }
    const struct range *range = range_of(address);
    if (range->owner == OTHERS || (walk->is_ours && range->owner != OURS)) {
        return _URC_END_OF_STACK;
    }
    walk->is_ours = range->owner == OURS;
    if (walk->is_ours) {
        stack->addresses[stack->depth++] = address - range->base;
    }
    return stack->depth < HTP_CALLER_DEPTH ? _URC_NO_REASON : _URC_END_OF_STACK;
}

bool htp_callers_find(const void *caller, htp_callers *stack)
{
    *stack = (htp_callers){.depth = 0};
    struct walk walk = {.stack = stack, .caller = (uintptr_t)caller};
    if (range_of(walk.caller)->owner != OTHERS) {
        (void)_Unwind_Backtrace(add_frame, &walk);
    }
    return stack->depth > 0;
}

uint64_t htp_callers_hash(const htp_callers *stack)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (int i = 0; i < stack->depth; i++) {
        hash = (hash ^ stack->addresses[i]) * 0x100000001b3;
        hash ^= hash >> 29;
    }
    return hash | (uint64_t)1 << 63;
}
