/*
 * Views of memories, and changes of their contents.
 *
 * A memory is identified by the creation id of its first value.
 */
#ifndef HTP_INTERPRET_MEMORY_MEMORY_H
#define HTP_INTERPRET_MEMORY_MEMORY_H

#include "interpret/lanes/execute.h"

/** Changes of memory are recorded from begin on; end undoes them and returns the final contents of
 * older memories. */
void htp_memory_begin_block(htp_machine *m, size_t first_item);
htp_memories htp_memory_end_block(htp_machine *m);

/** The contents of a memory in @p memories, or NULL. */
htp_item *htp_memories_find(const htp_memories *memories, uint32_t first);

/** Reads and sets the current contents of a memory. */
htp_item *htp_memory_held(const htp_machine *m, uint32_t first);
void htp_memory_hold(htp_machine *m, uint32_t first, htp_item *value);

/** Sets them as a change at the current epoch, which blocks record. The memory of @p value is
 * known. */
void htp_memory_change(htp_machine *m, uint32_t first, htp_item *value);

/** Records that a view was read again; it is read once more when the innermost block ends. */
void htp_memory_note_reading(htp_machine *m, htp_item *seen);

/** Whether two tensors both cover all of the same memory. */
bool htp_memory_is_same(const htp_item *a, const htp_item *b);

/** Whether an item is in a memory; an unknown one may be. */
static inline bool htp_has_memory(const htp_item *item)
{
    return htp_is_tensor(item) || item->kind == HTP_ITEM_UNKNOWN;
}

/** The memory of a tensor. */
uint32_t htp_memory_of(const htp_item *tensor);

/** Records that a tensor may share a memory: a change of one may change the other. */
void htp_memory_note_sharing(htp_machine *m, htp_item *tensor, uint32_t first);

/** Memories that may be the same: the group of each, and the other members of the groups. */
typedef struct htp_memory_groups {
    const size_t *of;       /* by index in the query */
    const htp_ids *members; /* by group */
    size_t count;
} htp_memory_groups;
htp_memory_groups htp_memory_group(htp_machine *m, const htp_ids *memories);

/** The item with the current contents of @p item: a tensor that was changed in place, under any
 * name or view, is read again from its memory. */
htp_outcome htp_memory_current(htp_machine *m, htp_item *item, const htp_place *place,
                               htp_item **current);

/* ---- for the executor ---- */

/** Records which outputs are views of an input's memory. */
htp_outcome htp_memory_note_views(htp_machine *m, const htp_call *call, const htp_items *outputs);

/** Refuses changes that the next call would read. */
htp_outcome htp_memory_refuse_lasting(htp_machine *m, const htp_call *call);

/** Gives the memories of tensors that a call changed in place their new values. */
htp_outcome htp_memory_note_changes(htp_machine *m, const htp_call *call, const htp_items *outputs);

/** Marks as unknown the contents of a tensor after an unknown change, of all that may share its
 * memory, and of possible views made by the failed @p node. */
htp_outcome htp_memory_note_failed_changes(htp_machine *m, const htp_call *call, uint32_t node);

/** Whether an element-wise operator on two tensors of one memory would read elements that it has
 * written (overlaps.c). True if unknown. */
bool htp_tensor_reads_written(const htp_runner_tensor *written, const htp_runner_tensor *read);

/** The same for two tensors of one memory, in any lane and for any data. */
bool htp_item_view_reads_written(htp_machine *m, htp_item *written, htp_item *read);

/* ---- views (geometry.c, views.c) ---- */

/** Whether two tensors have one geometry and type in all lanes. */
bool htp_item_view_has_same_geometry(const htp_machine *m, const htp_item *a, const htp_item *b);

/** Whether a view covers all of its parent in memory order. */
bool htp_item_view_is_whole(const htp_machine *m, const htp_item *seen);

/** The view's operator on another value of its parent. */
htp_outcome htp_item_view_again(htp_machine *m, const htp_item_view *view, htp_item *parent,
                                const htp_place *place, htp_item **seen);

/** The parent's value with the part at view @p child replaced by @p value. */
htp_outcome htp_item_view_put_back(htp_machine *m, const htp_item_view *view, const htp_item *child,
                                   htp_item *value, const htp_place *place, htp_item **parent);

#endif
