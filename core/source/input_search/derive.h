/*
 * The search for inputs that forward() accepts: guesses, refusals, and the steps from one guess to
 * the next. Private to core/source; htp_inputs_derive() is the entry point.
 */
#ifndef HTP_SOURCE_DERIVE_H
#define HTP_SOURCE_DERIVE_H

#include "base/arena.h"
#include "source/inputs/inputs.h"

enum {
    HTP_GUESS_RANK = 6, /* the highest rank that is guessed */
    HTP_FACT_LIMIT = 12,
    HTP_DTYPE_LIMIT = 4,
    HTP_PAIR_LIMIT = 48,
    HTP_COMPARISONS_READ = 6, /* nodes searched for comparisons if the program itself raised */
};

/** A tensor that is derived: an argument, or a part of one. */
typedef struct htp_leaf {
    const htp_argument *type;
    uint32_t argument;
    const char *path; /**< "" for an argument; "0.key" below it */
} htp_leaf;

/** An argument, or a part of one, with its parts. */
typedef struct htp_part {
    const char *name;
    const htp_argument *type;
    uint32_t leaf; /**< HTP_NONE if it has parts */
    struct htp_part *parts;
    uint32_t count;
} htp_part;

/** The arguments to derive. */
typedef struct htp_plan {
    const htp_argument *arguments;
    uint32_t argument_count;
    htp_part *parts; /**< by argument */
    htp_leaf *leaves;
    uint32_t leaf_count;
    bool is_open; /**< the length of some list is not in the program */
} htp_plan;

/**
 * Splits the arguments into leaves, by their types and by the parts that the program reads.
 * @param elements  the length of lists whose length is not in the program
 */
htp_plan *htp_plan_make(htp_arena *arena, const htp_hint *hints, uint32_t hint_count,
                        const htp_argument *arguments, uint32_t argument_count, uint32_t elements);

/** The leaf at a path of an argument, or HTP_NONE. */
uint32_t htp_plan_find(const htp_plan *plan, uint32_t argument, const char *path);

/** By leaf: its value in a trace; HTP_NONE: it was left out. */
uint32_t *htp_plan_values(htp_arena *arena, const htp_plan *plan, const htp_trace *trace);

/** Assembles an input from its leaves. */
htp_input htp_plan_input(htp_arena *arena, const htp_part *part, const htp_input *leaves);

/** Whether a hint only names the part that the next one is about. */
bool htp_hint_is_part(const htp_hint *hint);

/** Whether a hint is about a sequence-first input of a recurrent layer. */
bool htp_hint_has_steps_first(const htp_hint *hint);

/** The role of a size. */
typedef enum htp_role {
    HTP_ROLE_FEATURES, /**< fixed by a weight */
    HTP_ROLE_BATCH,    /**< one for all arguments */
    HTP_ROLE_SEQUENCE, /**< one for all arguments that are ids or their masks */
    HTP_ROLE_LENGTH,   /**< of a few items */
    HTP_ROLE_EXTENT,   /**< of an image or a signal: windows slide over it */
} htp_role;

/** A family of shapes, one for every rank. */
typedef enum htp_family {
    HTP_FAMILY_IDS,
    HTP_FAMILY_INDICES, /**< indices into another tensor */
    HTP_FAMILY_PLAIN,
    HTP_FAMILY_FEATURES, /**< features last */
    HTP_FAMILY_STEPS,    /**< features last, the steps of a sequence first */
    HTP_FAMILY_CHANNELS, /**< features in dim 1 */
    HTP_FAMILY_SIGNALS,
    HTP_FAMILY_IMAGES,
    HTP_FAMILY_VOLUMES,
    HTP_FAMILY_STATES, /**< of a recurrent layer: layers first, features last */
    HTP_FAMILY_COUNTS, /**< whole numbers, one per batch element */
    HTP_FAMILY_COUNT,
} htp_family;

/** Possible shapes of a leaf, by its uses. */
typedef struct htp_uses {
    htp_family family;
    htp_dtype dtype;
    const char *ranks;              /**< digits, the likeliest first */
    int64_t features;               /**< 0: unknown */
    int64_t layers;                 /**< of a recurrent layer's state; 0: unknown */
    int64_t picked[HTP_GUESS_RANK]; /**< by dim: its size, if the program picks its elements one by
                                         one; 0: unknown */
    int64_t picked_last;            /**< likewise, counted as the last dim */
    bool is_flag;                   /**< not a tensor, but true or false */
    bool is_telling;                /**< a use decided; otherwise defaults did */
} htp_uses;

/** The guess at a leaf. Dims of one size share a slot. */
typedef struct htp_guessed {
    bool is_given;
    bool is_flag; /**< not a tensor, but true or false */
    bool is_set;  /**< the flag is true */
    htp_dtype dtype;
    uint32_t rank;
    uint32_t slots[HTP_GUESS_RANK];
} htp_guessed;

/** A guess at all leaves. */
typedef struct htp_guess {
    uint32_t count;
    htp_guessed *leaves;
    uint32_t slot_count;
    int64_t *sizes;  /**< by slot */
    htp_role *roles; /**< by slot */
} htp_guess;

/** Two numbers of a refused operator that should be equal and are not. */
typedef struct htp_fact {
    int64_t have;
    int64_t want;
    bool is_rank;  /**< ranks rather than sizes */
    bool is_least; /**< @c have may be larger than @c want */
    bool is_guess; /**< they need not be equal, but it may help if they are */
    bool is_one;   /**< one of them is 1, and is broadcast */
    uint32_t id;   /**< identifies the place of the pair in the operator */
    bool is_sure;  /**< with is_least: the operator raises below @c want in any case */
    bool is_limit; /**< @c have may be smaller than @c want */
} htp_fact;

/** An interpreted refusal. */
typedef struct htp_refusal {
    uint32_t node_count; /**< operators that ran, including the one that raised */
    const char *kind;    /**< of the last operator, or "" */
    bool is_operator;    /**< the last operator raised, rather than the program itself */
    htp_fact facts[HTP_FACT_LIMIT];
    uint32_t fact_count;
    bool is_dtype;                     /**< the operator refuses operands of different dtypes */
    htp_dtype dtypes[HTP_DTYPE_LIMIT]; /**< of its operands */
    uint32_t dtype_count;
    uint32_t *suspects; /**< leaves that it depends on, the nearest first */
    uint32_t suspect_count;
} htp_refusal;

/** Finds possible shapes of the leaves by their uses. @return one per leaf */
htp_uses *htp_uses_find(htp_arena *arena, const htp_hint *hints, uint32_t hint_count,
                        const htp_plan *plan);

/** The likeliest guess. */
htp_guess htp_guess_first(htp_arena *arena, const htp_uses *uses, const htp_plan *plan);

/** A copy that can be changed. */
htp_guess htp_guess_copy(htp_arena *arena, const htp_guess *guess);

/** Sets a leaf to the shape of its family with @p rank. @return false if there is none */
bool htp_guess_set_rank(htp_guess *guess, const htp_uses *uses, uint32_t leaf, uint32_t rank);

/** Gives the first dim of a leaf the size of the batch. @return false if it has that already */
bool htp_guess_set_batch(htp_guess *guess, uint32_t leaf);

/** The slot of a dim that shares its size with no other. */
uint32_t htp_guess_own_slot(uint32_t leaf, uint32_t dim);

/** Turns a guess into inputs, all sizes fixed. Fails if an argument that is not a tensor is
 * missing. */
HTP_MUST_USE htp_status htp_guess_inputs(htp_arena *arena, const htp_guess *guess,
                                         const htp_plan *plan, htp_inputs *inputs);

/** Interprets a trace that ended with a refusal; @p trace may be NULL. */
void htp_refusal_read(htp_arena *arena, const htp_trace *trace, const htp_plan *plan,
                      htp_refusal *refusal);

/** Adds the facts from the operands of the last node. */
void htp_operands_read(const htp_trace *trace, htp_refusal *refusal);

/** The pairs of numbers, equal ones included, that the operands of the last node must agree in,
 * with their values in @p lane. @return how many; 0 if there is no rule for the operator */
uint32_t htp_operands_compare(const htp_trace *trace, uint32_t lane,
                              htp_fact pairs[HTP_PAIR_LIMIT]);

/**
 * Searches for a guess that @p attempt accepts, beginning with @p guess, which receives it.
 * @param tried  is advanced by the number of attempts
 * @param suspect  the leaf of the last refusal; or HTP_NONE
 * @return false if all were refused; then @p guess is the one with which the program came furthest.
 */
bool htp_derive_search(htp_arena *arena, const htp_uses *uses, const htp_plan *plan,
                       htp_derive_try attempt, void *user, htp_guess *guess, uint32_t *tried,
                       uint32_t *suspect);

#endif
