/*
 * The sizes of a program of torch.export in the lanes of a trace: symbols get numbers from input
 * sizes, and formulas are evaluated. Ranges and guards are checked in every lane.
 */
#ifndef HTP_EXPORTED_SYMBOLS_H
#define HTP_EXPORTED_SYMBOLS_H

#include "exported/document/document.h"
#include "exported/expression/expression.h"
#include "interpret/trace/trace.h"

/** The range of a symbol. */
typedef struct htp_exported_bounds {
    int64_t least; /**< INT64_MIN without one */
    int64_t most;  /**< INT64_MAX without one */
} htp_exported_bounds;

/** Sizes of a symbol that guards accept while the other symbols have their exported values. */
typedef HTP_VECTOR(int64_t) htp_exported_taken;

typedef struct htp_exported_symbols {
    htp_arena *arena;
    const htp_exported_program *program;
    const char *const *paths;      /**< by input of the program: "past.0.key" */
    const char *const *flat_paths; /**< by input of the program: "flat_args.3" */
    htp_map places;                /**< from flat names of the places that guards name to symbols */
    htp_map *found;                /**< from places that were looked up to these symbols */
    htp_interned names;            /**< of symbols, and of places in arguments */
    const htp_exported_formula
        *formulas;                      /**< by expression; one that cannot be read has no steps */
    const char *const *problems;        /**< by expression: why it cannot be read; or NULL */
    const htp_exported_formula *guards; /**< one that cannot be read has no steps */
    const htp_exported_bounds *bounds;  /**< by symbol */
    const int64_t *hints;               /**< by symbol: its value at the time of torch.export; 0:
                                            unknown */
    const int64_t *steps;               /**< by symbol: the step between accepted sizes; 0:
                                            unknown */
    const int64_t *leasts;              /**< by symbol: the least accepted size that was found */
    const int64_t *mosts;              /**< by symbol: the largest accepted size; INT64_MAX: none */
    uint64_t *evaluated;               /**< steps evaluated in the search for these sizes */
    uint64_t asked;                    /**< steps of htp_exported_symbols_take() */
    uint64_t asked_by_one;             /**< in one call */
    uint64_t *sampled;                 /**< steps evaluated to see which guards restrict them */
    htp_exported_taken *taken;         /**< by symbol: accepted sizes, found on demand */
    const htp_exported_bounds *ranges; /**< by symbol: its bounds; those of arguments that stay
                                          inputs without ends that their own guards refuse */
    const char **open;        /**< by symbol: the path of an argument that stays a number among the
                                 inputs of the model; NULL */
    const int64_t **examples; /**< by symbol: that number in each lane; NULL until it is needed */
    uint32_t symbol_count;
    uint32_t lane_count;
    htp_exported_number *numbers[HTP_MAX_LANES]; /**< by symbol */
    HTP_VECTOR(htp_trace_size)
    data_sizes; /**< data-dependent sizes, named like their
                     symbols */
} htp_exported_symbols;

/**
 * Reads all formulas of a program. @return HTP_CODE_BAD_INPUT if one is malformed.
 * @param paths  by input of the program: its dotted path in the arguments; NULL for inputs that are
 *               not the user's
 */
HTP_MUST_USE htp_status htp_exported_symbols_read(htp_arena *arena,
                                                  const htp_exported_program *program,
                                                  const char *const *paths,
                                                  htp_exported_symbols *symbols);

/** Whether a symbol is data-dependent, or an argument that stays an input of the model. */
bool htp_exported_symbols_is_data(const htp_exported_symbols *symbols, uint32_t symbol);

/** Whether some sizes are data-dependent. A single lane cannot tell these from fixed ones. */
bool htp_exported_symbols_have_data(const htp_exported_symbols *symbols);

/**
 * Gives all symbols their numbers in each lane.
 * @param given  by input of the program: the user's input; NULL for weights and constants
 * @return HTP_CODE_USAGE if the program does not accept a size or input
 */
HTP_MUST_USE htp_status htp_exported_symbols_bind(htp_exported_symbols *symbols,
                                                  const htp_input *const *given,
                                                  uint32_t lane_count);

/** Whether the program accepts the sizes of inputs in a lane. Overwrites the numbers of this lane.
 * @param given  as for htp_exported_symbols_bind() */
bool htp_exported_symbols_take(htp_exported_symbols *symbols, const htp_input *const *given,
                               uint32_t lane);

/** A size, or another number of the program, in a lane; unknown if its formula has no value. */
htp_exported_number htp_exported_symbols_value(const htp_exported_symbols *symbols,
                                               const htp_exported_size *size, uint32_t lane);

/**
 * A size in a lane, which must be a nonnegative integer.
 * @return HTP_CODE_UNSUPPORTED, with the formula, if it is not
 */
HTP_MUST_USE htp_status htp_exported_symbols_size(const htp_exported_symbols *symbols,
                                                  const htp_exported_size *size, uint32_t lane,
                                                  int64_t *number);

/** The symbol of a place in the arguments, a dim or (HTP_NONE) a number; HTP_NONE if no guard names
 * it. @param path  one of symbols->paths or flat_paths */
uint32_t htp_exported_symbols_place(const htp_exported_symbols *symbols, const char *path,
                                    uint32_t dim);

/** Whether a formula with symbols is constant over all sizes that the program accepts:
 * "s77 // (s77 // 2)" for even ones. */
bool htp_exported_symbols_is_settled(const htp_exported_symbols *symbols, uint32_t expression);

/** Finds symbols->ranges, once it is known which arguments stay inputs. */
void htp_exported_symbols_find_ranges(htp_exported_symbols *symbols);

/** Sizes within the bounds and steps of all symbols: samples that guards are tried with. */
typedef struct htp_symbol_samples htp_symbol_samples;

htp_symbol_samples *htp_exported_symbols_sample(const htp_exported_symbols *symbols);

/** Whether a guard refuses sizes within the bounds and steps of all symbols, by samples of these.
 * After much work for a program, all are taken to do so. */
bool htp_exported_symbols_restricts(htp_symbol_samples *samples, uint32_t guard);

/** The symbol, if a size is nothing else; HTP_NONE for a number or a formula. */
uint32_t htp_exported_symbols_alone(const htp_exported_symbols *symbols,
                                    const htp_exported_size *size);

#endif
