#include "interpret/steps/handlers.h"

#include "interpret/lanes/execute.h"

#include <pthread.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

typedef struct row {
    const char *kind;
    htp_handler *handler;
} row;

static const row followed[] = {
#define HTP_FOLLOWED(kind, handler) {kind, htp_do_##handler},
#include "interpret/steps/followed.def"
};

static const row followed_in_lists[] = {
#define HTP_FOLLOWED_IN_LISTS(kind, handler) {kind, htp_do_##handler},
#include "interpret/steps/followed.def"
};

static const row followed_of_devices[] = {
#define HTP_FOLLOWED_OF_DEVICES(kind, handler) {kind, htp_do_##handler},
#include "interpret/steps/followed.def"
};

static const row followed_in_stacks[] = {
#define HTP_FOLLOWED_IN_STACKS(kind, handler) {kind, htp_do_##handler},
#include "interpret/steps/followed.def"
};

static const row followed_in_sequences[] = {
#define HTP_FOLLOWED_IN_SEQUENCES(kind, handler) {kind, htp_do_##handler},
#include "interpret/steps/followed.def"
};

/* Every node is looked up, so rows are hashed by kind, with open addressing into this many
 * slots. */
enum { PLACES = 256 };
_Static_assert(COUNT_OF(followed) <= PLACES / 2, "the table is to stay half empty");
_Static_assert(COUNT_OF(followed_in_lists) <= PLACES / 2, "the table is to stay half empty");

typedef struct table {
    const row *rows[PLACES];
} table;

static table of_any;
static table of_containers;
static table of_devices;
static table of_stacks;
static table of_sequences;
static pthread_once_t filling = PTHREAD_ONCE_INIT;

/* The slot of a kind, or the free one for it. */
static size_t place_of(const table *t, const char *kind)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (const char *c = kind; *c; c++) {
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    }
    size_t place = hash % PLACES;
    while (t->rows[place] && strcmp(t->rows[place]->kind, kind) != 0) {
        place = (place + 1) % PLACES;
    }
    return place;
}

static void add_rows(table *t, const row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        t->rows[place_of(t, rows[i].kind)] = &rows[i];
    }
}

static void fill(void)
{
    add_rows(&of_any, followed, COUNT_OF(followed));
    add_rows(&of_containers, followed_in_lists, COUNT_OF(followed_in_lists));
    add_rows(&of_devices, followed_of_devices, COUNT_OF(followed_of_devices));
    add_rows(&of_stacks, followed_in_stacks, COUNT_OF(followed_in_stacks));
    add_rows(&of_sequences, followed_in_sequences, COUNT_OF(followed_in_sequences));
}

static htp_handler *find(const table *t, const char *kind)
{
    pthread_once(&filling, fill);
    const row *found = t->rows[place_of(t, kind)];
    return found ? found->handler : NULL;
}

htp_handler *htp_handler_find(const char *kind)
{
    return find(&of_any, kind);
}

htp_handler *htp_handler_find_of_containers(const char *kind)
{
    return find(&of_containers, kind);
}

htp_handler *htp_handler_find_of_devices(const char *kind)
{
    return find(&of_devices, kind);
}

htp_handler *htp_handler_find_of_grown(const char *kind, const htp_items *inputs)
{
    bool is_sequence = false;
    for (size_t i = 0; i < inputs->count && !is_sequence; i++) {
        const htp_item *stacked = inputs->items[i]->stacked;
        is_sequence = stacked && stacked->is_sequence;
    }
    return find(is_sequence ? &of_sequences : &of_stacks, kind);
}

htp_outcome htp_handler_require(htp_machine *m, const htp_step *step, size_t count)
{
    return step->inputs.count >= count
               ? HTP_GOES_ON
               : htp_machine_stop(m, HTP_FAILS, "%s is given too few operands", step->node->kind);
}

htp_outcome htp_handler_require_tensor(htp_machine *m, const htp_item *item)
{
    return htp_is_tensor(item) ? HTP_GOES_ON
                               : htp_machine_stop(m, HTP_FAILS, "a tensor is expected");
}

htp_outcome htp_handler_give(htp_machine *m, htp_items *outputs, htp_item *item)
{
    htp_items_push(m, outputs, item);
    return HTP_GOES_ON;
}

htp_outcome htp_handler_run(htp_machine *m, const char *name, const char *overload,
                            htp_items inputs, const htp_place *place, htp_item **output)
{
    return htp_execute(m, name, overload, &inputs, place, output);
}
