/*
 * Values of nodes, as Model Explorer takes them: node data.
 *
 * The file has one object for each graph, by its name, with `results`: an object of a value for
 * each node, by its name. model-explorer-onnx calls a node without a name <node_N>, where N counts
 * the nodes of the graph. Values of bodies are added to those of their nodes.
 */
#ifndef HTP_REPORT_NODE_DATA_H
#define HTP_REPORT_NODE_DATA_H

#include "onnx/reader/view.h"

/** The value of a node that has none. */
#define HTP_NODE_DATA_NONE UINT64_MAX

typedef struct htp_node_data {
    const htp_view *view;
    const char *name;       /* of the values, for people */
    const uint64_t *values; /* by node of the view */
    double unit;            /* that they count; 0: they are whole numbers */
} htp_node_data;

/** The contents of such a file. Nodes of one name have one value, their sum. */
const char *htp_report_node_data(htp_arena *arena, const htp_node_data *data);

/** A colour between white and the deepest one, "#rrggbb". @param share  from 0 to 1 */
const char *htp_node_data_color(htp_arena *arena, double share);

#endif
