/*
 * Addresses: how people name modules. One grammar for all commands:
 *
 *   /BertModel/BertEncoder/BertLayer.0   a tag, or a full tag, from the root on
 *   BertEncoder/BertLayer.0              the end of a tag: several segments
 *   encoder.layer.0                      an attribute path, from the root on
 *   BertLayer                            a class: all its instances
 *   BertLayer.1                          a segment
 *   torch.nn.LayerNorm                   a class, after its package or the first names of it
 *
 * `*` matches any part of a segment (in a path, of a name between dots). `**` in place of a segment
 * or name matches any number of them, including none. Names are spelled as in tags: reserved bytes
 * are percent-encoded, and %2A is a literal star. Without a slash, an address is tried as a path, a
 * class, a segment, a class with its package: torch.nn.LayerNorm matches
 * torch.nn.modules.normalization.LayerNorm, tor.LayerNorm does not. Whole segments are compared:
 * BertLayer.1 does not match BertLayer.10.
 */
#ifndef HTP_QUERY_ADDRESS_H
#define HTP_QUERY_ADDRESS_H

#include "query/tree/tree.h"

/** The modules that addresses name. */
typedef struct htp_address_matches {
    bool *is_matched; /* by module */
    uint32_t count;
    uint32_t first; /* module */
} htp_address_matches;

/**
 * Finds the modules that @p address names.
 * @return HTP_CODE_USAGE if there are none; the message has the nearest ones.
 */
HTP_MUST_USE htp_status htp_address_find(htp_arena *arena, const htp_tree *tree,
                                         const char *address, htp_address_matches *matches);

/** Whether @p text matches a pattern in which `*` matches any part, and %2A a literal star. */
bool htp_address_glob(const char *pattern, htp_slice text);

#endif
