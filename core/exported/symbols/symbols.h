/*
 * The sizes of a program of torch.export in the lanes of a trace: symbols get numbers from input
 * sizes, and formulas are evaluated. Ranges and guards are checked in every lane.
 */
#ifndef HTP_EXPORTED_SYMBOLS_H
#define HTP_EXPORTED_SYMBOLS_H

#include "exported/document/document.h"
#include "exported/expression/expression.h"
#include "interpret/trace/trace.h"

/** Which sizes a symbol may have. */
typedef struct htp_exported_bounds {
    int64_t least; /**< INT64_MIN without one */
    int64_t most;  /**< INT64_MAX without one */
} htp_exported_bounds;

/** Sizes of a symbol that guards take where the other symbols are as they were exported. */
typedef HTP_VECTOR(int64_t) htp_exported_taken;

typedef struct htp_exported_symbols {
    htp_arena *arena;
    const htp_exported_program *program;
    const char *const *paths;      /**< by input of the program: "past.0.key" */
    const char *const *flat_paths; /**< the same: "flat_args.3" */
    htp_map places;     /**< of arguments that guards speak of: their symbols, by flat names */
    htp_interned names; /**< of symbols, and of places in arguments */
    const htp_exported_formula
        *formulas;                      /**< by expression; one that cannot be read has no steps */
    const char *const *problems;        /**< by expression: why it cannot be read; NULL */
    const htp_exported_formula *guards; /**< one that cannot be read has no steps */
    const htp_exported_bounds *bounds;  /**< by symbol */
    const int64_t *hints;               /**< by symbol: its value at the time of torch.export; 0:
                                            unknown */
    const int64_t *steps;               /**< by symbol: the step between accepted sizes; 0:
                                            unknown */
    const int64_t *leasts;     /**< by symbol: the least of these sizes, as far as was looked */
    const int64_t *mosts;      /**< the same, the largest one; INT64_MAX without one */
    uint64_t *evaluated;       /**< steps of formulas, in the search for such sizes */
    htp_exported_taken *taken; /**< by symbol: accepted sizes, once the guards were asked */
    uint32_t symbol_count;
    uint32_t lane_count;
    htp_exported_number *numbers[HTP_MAX_LANES]; /**< by symbol */
    HTP_VECTOR(htp_trace_size)
    data_sizes; /**< of symbols that the data decides; their names
                     are those of the symbols */
} htp_exported_symbols;

/**
 * Reads all formulas of a program. @return HTP_CODE_BAD_INPUT if one is malformed.
 * @param paths  by input of the program: its dotted path in the arguments; NULL for inputs that no
 *               user gives
 */
HTP_MUST_USE htp_status htp_exported_symbols_read(htp_arena *arena,
                                                  const htp_exported_program *program,
                                                  const char *const *paths,
                                                  htp_exported_symbols *symbols);

/** Whether the data decides a symbol. */
bool htp_exported_symbols_is_data(const htp_exported_symbols *symbols, uint32_t symbol);

/** Whether some sizes are decided by the data: one lane cannot tell these from fixed ones. */
bool htp_exported_symbols_have_data(const htp_exported_symbols *symbols);

/**
 * Gives all symbols their numbers in each lane.
 * @param given  by input of the program: the user's input; NULL for weights and constants
 * @return HTP_CODE_USAGE if the program does not accept a size or input
 */
HTP_MUST_USE htp_status htp_exported_symbols_bind(htp_exported_symbols *symbols,
                                                  const htp_input *const *given,
                                                  uint32_t lane_count);

/** Whether the program takes the sizes that inputs have in a lane: the numbers of this lane are
 * overwritten. @param given  as for htp_exported_symbols_bind() */
bool htp_exported_symbols_take(htp_exported_symbols *symbols, const htp_input *const *given,
                               uint32_t lane);

/** A size, or another number of the program, in a lane; unknown where its formula has no value. */
htp_exported_number htp_exported_symbols_value(const htp_exported_symbols *symbols,
                                               const htp_exported_size *size, uint32_t lane);

/**
 * The same for a size, which must be a nonnegative integer.
 * @return HTP_CODE_UNSUPPORTED, with the formula, if it is not
 */
HTP_MUST_USE htp_status htp_exported_symbols_size(const htp_exported_symbols *symbols,
                                                  const htp_exported_size *size, uint32_t lane,
                                                  int64_t *number);

/** The symbol of a place in the arguments, a dim or (HTP_NONE) a number; HTP_NONE where no guard
 * speaks of it. */
uint32_t htp_exported_symbols_place(const htp_exported_symbols *symbols, const char *path,
                                    uint32_t dim);

/** Whether a formula with symbols has one value all the same, at whatever sizes the program takes:
 * "s77 // (s77 // 2)" of even ones. */
bool htp_exported_symbols_is_settled(const htp_exported_symbols *symbols, uint32_t expression);

/** Whether a guard refuses sizes that the bounds and steps of all symbols take, as far as some of
 * these show. */
bool htp_exported_symbols_restricts(const htp_exported_symbols *symbols, uint32_t guard);

/** The symbol that a size is, and nothing else; HTP_NONE where it is a number or a formula. */
uint32_t htp_exported_symbols_alone(const htp_exported_symbols *symbols,
                                    const htp_exported_size *size);

#endif
