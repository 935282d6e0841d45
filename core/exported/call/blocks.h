/*
 * Branches and loops, whose blocks are graphs of the program. Private to core/exported.
 */
#ifndef HTP_EXPORTED_BLOCKS_H
#define HTP_EXPORTED_BLOCKS_H

#include "exported/call/tape.h"

/** cond(condition, graph, graph, operands): prim::If. This and the functions below return false if
 * graphs do not fit the node's inputs or outputs. */
bool htp_blocks_add_cond(htp_tape *r, const htp_exported_node *node);

/** while_loop(graph, graph, carried, others): prim::Loop, whose condition is computed before the
 * loop, and at the end of each iteration. */
bool htp_blocks_add_while(htp_tape *r, const htp_exported_node *node);

/** scan(graph, carried, stacked, others): prim::Loop over the first dim of the stacks. */
bool htp_blocks_add_scan(htp_tape *r, const htp_exported_node *node);

/** map_impl(graph, stacked, others): prim::Loop like scan's, without carried values. */
bool htp_blocks_add_map(htp_tape *r, const htp_exported_node *node);

#endif
