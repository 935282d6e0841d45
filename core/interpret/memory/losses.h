/*
 * Memories with unknown contents, and why.
 */
#ifndef HTP_INTERPRET_MEMORY_LOSSES_H
#define HTP_INTERPRET_MEMORY_LOSSES_H

#include "interpret/machine/machine.h"

/** Why the contents of a memory are unknown: the failed node of this kind at this place. */
typedef struct htp_loss {
    const char *kind;
    htp_place place;
    const char *failure;
} htp_loss;

/** The default: the memory may have been changed under another name. */
htp_loss htp_loss_make(const char *kind, const htp_place *place);

/** The same if @p unknown is the result of a change: the first failure is the reason. */
htp_loss htp_loss_behind(htp_machine *m, const char *kind, const htp_place *place,
                         const htp_item *unknown);

/** Drops the contents of a memory. */
void htp_memory_lose(htp_machine *m, uint32_t first, const htp_loss *loss);

/** A memory with lost contents. */
typedef struct htp_lost_memory {
    uint32_t first;
    htp_loss loss;
} htp_lost_memory;

typedef HTP_VECTOR(htp_lost_memory) htp_losses;

#endif
