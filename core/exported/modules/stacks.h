/*
 * The running modules of a node, as programs write them: "key,path,class;...", the outermost one
 * first. Private to core/exported.
 */
#ifndef HTP_EXPORTED_STACKS_H
#define HTP_EXPORTED_STACKS_H

#include <stdbool.h>
#include <stddef.h>

/** A running module. Its texts have no NUL. */
typedef struct htp_stack_entry {
    const char *key; /**< unique for each call of a module */
    size_t key_bytes;
    const char *path; /**< dotted; empty for the root */
    size_t path_bytes;
    const char *class_name; /**< with its package */
    size_t class_bytes;
} htp_stack_entry;

/**
 * Reads the next module.
 * @param at  position in the text, NULL after the last one; initially the text, or NULL
 * @return false at the end.
 */
bool htp_stack_next(const char **at, htp_stack_entry *entry);

#endif
