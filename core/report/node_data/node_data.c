#include "report/node_data/node_data.h"

#include "base/json/json.h"
#include "base/text.h"

/* The colour of the largest value. */
static const int deepest[] = {0xf9, 0x73, 0x16};

const char *htp_node_data_color(htp_arena *arena, double share)
{
    int parts[3];
    for (int i = 0; i < 3; i++) {
        parts[i] = 255 - (int)(share * (255 - deepest[i]) + 0.5);
    }
    return htp_arena_printf(arena, "#%02x%02x%02x", parts[0], parts[1], parts[2]);
}

/* A value that may be none, and another one. */
static uint64_t sum_of(uint64_t a, uint64_t b)
{
    if (a == HTP_NODE_DATA_NONE || b == HTP_NODE_DATA_NONE) {
        return a == HTP_NODE_DATA_NONE ? b : a;
    }
    return a < HTP_NODE_DATA_NONE - 1 - b ? a + b : HTP_NODE_DATA_NONE - 1;
}

/* By node of graph 0: its value with those of its bodies, and of nodes before it with its name. The
 * last of these has the sum, the others have no value. */
static const uint64_t *add_up(htp_arena *arena, const htp_node_data *data)
{
    const htp_view *view = data->view;
    uint64_t *sums = HTP_NEW_ARRAY(arena, uint64_t, view->nodes.count + 1);
    const uint32_t *tops = htp_view_tops(arena, view, 0);
    uint32_t *named = HTP_NEW_ARRAY(arena, uint32_t, view->names.count + 1);
    for (uint32_t n = 0; n < view->nodes.count; n++) { /* bodies follow their nodes */
        sums[n] = data->values[n];
        if (tops[n] != HTP_NONE && tops[n] != n) {
            sums[tops[n]] = sum_of(sums[tops[n]], data->values[n]);
        }
    }
    for (uint32_t n = 0; n < view->graphs.items[0].nodes.count; n++) {
        uint32_t node = view->graphs.items[0].nodes.first + n;
        htp_view_name name = view->nodes.items[node].name;
        if (name != 0 && named[name] != 0) {
            sums[node] = sum_of(sums[node], sums[named[name] - 1]);
            sums[named[name] - 1] = HTP_NODE_DATA_NONE;
        }
        named[name] = node + 1;
    }
    return sums;
}

static void add_stop(htp_json *json, int64_t stop)
{
    htp_json_begin(json, NULL, '{');
    htp_json_number(json, "stop", stop);
    htp_json_string(json, "bgColor", htp_node_data_color(json->text.arena, (double)stop));
    htp_json_end(json, '}');
}

const char *htp_report_node_data(htp_arena *arena, const htp_node_data *data)
{
    const htp_view *view = data->view;
    const uint64_t *sums = add_up(arena, data);
    htp_view_range nodes = view->graphs.items[0].nodes;
    htp_json json = {.text.arena = arena};
    htp_json_begin(&json, NULL, '{');
    htp_json_begin(&json, htp_view_text(view, view->graphs.items[0].name), '{');
    htp_json_string(&json, "name", data->name);
    htp_json_begin(&json, "results", '{');
    for (uint32_t i = 0; i < nodes.count; i++) {
        uint64_t value = sums[nodes.first + i];
        const char *name = htp_view_text(view, view->nodes.items[nodes.first + i].name);
        if (value != HTP_NODE_DATA_NONE) {
            htp_json_begin(&json, *name ? name : htp_arena_printf(arena, "<node_%u>", i), '{');
            if (data->unit > 0) {
                htp_json_double(&json, "value", data->unit * (double)value);
            } else {
                htp_json_count(&json, "value", value);
            }
            htp_json_end(&json, '}');
        }
    }
    htp_json_end(&json, '}');
    htp_json_begin(&json, "gradient", '[');
    add_stop(&json, 0);
    add_stop(&json, 1);
    htp_json_end(&json, ']');
    htp_json_end(&json, '}');
    htp_json_end(&json, '}');
    return htp_text_string(&json.text);
}
