#include "source/input_search/pairs.h"

static htp_pair_kind kind_of(const htp_fact *fact)
{
    if (fact->is_guess || fact->is_rank || (fact->is_least && !fact->is_sure)) {
        return HTP_PAIR_OTHER;
    }
    return fact->is_least ? HTP_PAIR_LEAST : HTP_PAIR_EQUAL;
}

static htp_pair read_pair(htp_fact (*facts)[HTP_PAIR_LIMIT], uint32_t index, uint32_t lane_count)
{
    htp_pair pair = {.kind = kind_of(&facts[0][index])};
    for (uint32_t lane = 0; lane < lane_count; lane++) {
        const htp_fact *fact = &facts[lane][index];
        pair.kind = kind_of(fact) == pair.kind ? pair.kind : HTP_PAIR_OTHER;
        pair.have[lane] = fact->have;
        pair.want[lane] = fact->want;
        pair.is_one[lane] = fact->is_one;
        pair.is_limit = fact->is_limit;
    }
    return pair;
}

uint32_t htp_pairs_read(const htp_trace *trace, uint32_t lane_count, htp_pair pairs[HTP_PAIR_LIMIT])
{
    htp_fact facts[HTP_MAX_LANES][HTP_PAIR_LIMIT];
    uint32_t count = 0;
    if (!trace || trace->node_count == 0 || lane_count < HTP_INPUTS_LANES) {
        return 0;
    }
    for (uint32_t lane = 0; lane < lane_count; lane++) {
        uint32_t compared = htp_operands_compare(trace, lane, facts[lane]);
        if (lane > 0 && compared != count) {
            return 0;
        }
        count = compared;
    }
    for (uint32_t i = 0; i < count; i++) {
        pairs[i] = read_pair(facts, i, lane_count);
    }
    return count;
}
