/*
 * Memories with unknown contents, and why.
 */
#ifndef HTP_INTERPRET_MEMORY_LOSSES_H
#define HTP_INTERPRET_MEMORY_LOSSES_H

#include "interpret/machine/machine.h"

/** Why nobody knows what a memory holds: a node of this kind is recorded at this place, which has
 * failed. */
typedef struct htp_loss {
    const char *kind;
    htp_place place;
    const char *failure;
} htp_loss;

/** What it is by default: the memory may have been changed under another name. */
htp_loss htp_loss_make(const char *kind, const htp_place *place);

/** The same where @p unknown is what a change has left: its reason is that of what failed first. */
htp_loss htp_loss_behind(htp_machine *m, const char *kind, const htp_place *place,
                         const htp_item *unknown);

/** Forgets what a memory holds. */
void htp_memory_lose(htp_machine *m, uint32_t first, const htp_loss *loss);

/** A memory that is lost. */
typedef struct htp_lost_memory {
    uint32_t first;
    htp_loss loss;
} htp_lost_memory;

typedef HTP_VECTOR(htp_lost_memory) htp_losses;

#endif
