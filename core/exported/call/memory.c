#include "exported/call/memory.h"

/* A value of the program, and the memory that it lies in. */
typedef struct lying {
    uint32_t of; /* it is a part of this value, or this value; HTP_NONE: it has its own */
    const htp_exported_node *node; /* that takes the part; NULL: it is the value itself */
    bool is_changed;               /* since it was made; of those with memory of their own */
} lying;

struct htp_exported_memory {
    lying *values; /* by value of the program */
};

void htp_lying_begin(htp_tape *r)
{
    size_t count = r->program->values.count;
    r->memory = HTP_NEW(r->arena, struct htp_exported_memory);
    r->memory->values = HTP_NEW_ARRAY(r->arena, lying, count + 1);
    for (size_t i = 0; i < count; i++) {
        r->memory->values[i].of = HTP_NONE;
    }
}

void htp_lying_note_view(htp_tape *r, uint32_t value, uint32_t of, const htp_exported_node *node)
{
    r->memory->values[value] = (lying){.of = of, .node = node};
}

void htp_lying_note_same(htp_tape *r, uint32_t value, uint32_t as)
{
    r->memory->values[value] = (lying){.of = as};
}

void htp_lying_change(htp_tape *r, uint32_t value, uint32_t now)
{
    r->bound[value] = now;
    r->memory->values[value].is_changed = true;
}

uint32_t htp_lying_read(htp_tape *r, uint32_t value)
{
    return r->bound[value];
}

bool htp_lying_is_changed(const htp_tape *r, uint32_t value)
{
    return r->memory->values[value].is_changed;
}
