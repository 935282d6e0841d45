/*
 * The search for inputs that forward() accepts: guesses, refusals, and the steps from one guess to
 * the next. Private to core/source; htp_inputs_derive() is the door.
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
    HTP_COMPARISONS_READ = 6, /* nodes looked at where the program raised by itself */
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
    uint32_t leaf; /**< HTP_NONE where it has parts */
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
    bool is_open; /**< the program does not tell how long some list is */
} htp_plan;

/**
 * Splits the arguments into leaves, by their types and by the parts that the program reads.
 * @param elements  length of lists that the program leaves open
 */
htp_plan *htp_plan_make(htp_arena *arena, const htp_hint *hints, uint32_t hint_count,
                        const htp_argument *arguments, uint32_t argument_count, uint32_t elements);

/** The leaf at a path of an argument, or HTP_NONE. */
uint32_t htp_plan_find(const htp_plan *plan, uint32_t argument, const char *path);

/** The leaves' values in a trace; HTP_NONE for one that is not there. */
uint32_t *htp_plan_values(htp_arena *arena, const htp_plan *plan, const htp_trace *trace);

/** Puts an input together of its leaves. */
htp_input htp_plan_input(htp_arena *arena, const htp_part *part, const htp_input *leaves);

/** Whether a hint only names the part that the next one speaks of. */
bool htp_hint_is_part(const htp_hint *hint);

/** Whether a hint is about a sequence-first input of a recurrent layer. */
bool htp_hint_has_steps_first(const htp_hint *hint);

/** The role of a size. */
typedef enum htp_role {
    HTP_ROLE_FEATURES, /**< fixed by a weight */
    HTP_ROLE_BATCH,    /**< one for all arguments */
    HTP_ROLE_SEQUENCE, /**< one for all arguments that are ids or their masks */
    HTP_ROLE_LENGTH,   /**< of a few items */
    HTP_ROLE_EXTENT,   /** < of an image or a signal: windows slide over it */
} htp_role;

/** A family of shapes, one for every rank. */
typedef enum htp_family {
    HTP_FAMILY_IDS,
    HTP_FAMILY_INDICES, /**< numbers of elements of another tensor */
    HTP_FAMILY_PLAIN,
    HTP_FAMILY_FEATURES, /**< features last */
    HTP_FAMILY_STEPS,    /**< the same with the steps of a sequence first */
    HTP_FAMILY_CHANNELS, /**< features in dim 1 */
    HTP_FAMILY_SIGNALS,
    HTP_FAMILY_IMAGES,
    HTP_FAMILY_VOLUMES,
    HTP_FAMILY_STATES, /**< of a recurrent layer: layers first, features last */
    HTP_FAMILY_COUNTS, /**< whole numbers, one for each of a batch */
    HTP_FAMILY_COUNT,
} htp_family;

/** Possible shapes of a leaf, judged by its uses. */
typedef struct htp_uses {
    htp_family family;
    htp_dtype dtype;
    const char *ranks;              /**< digits, likeliest first */
    int64_t features;               /**< 0: not known */
    int64_t layers;                 /**< of a recurrent layer's state; 0: not known */
    int64_t picked[HTP_GUESS_RANK]; /**< by dim: how many elements it has, which are picked one by
                                         one; 0: not known */
    int64_t picked_last;            /**< the same of the last dim */
    bool is_flag;                   /**< no tensor, but true or false */
    bool is_telling;                /** < decided by a use; otherwise by default */
} htp_uses;

/** A leaf as it is guessed. Dims that are one size share a slot. */
typedef struct htp_guessed {
    bool is_given;
    bool is_flag; /**< no tensor, but true or false */
    bool is_set;  /**< true */
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

/** Two numbers that a refusal shows to differ; were they equal, the operator would run. */
typedef struct htp_fact {
    int64_t have;
    int64_t want;
    bool is_rank;  /**< ranks rather than sizes */
    bool is_least; /**< have may be larger than want */
    bool is_guess; /**< they need not be equal; it would help if they were */
    bool is_one;   /**< one of them is 1, and is broadcast */
    uint32_t id;   /**< the same for the same place of the same operator */
    bool is_sure;  /**< of is_least: the operator raises below that, whatever else it is given */
    bool is_limit; /**< whether @c want is the most that @c have can be */
} htp_fact;

/** An interpreted refusal. */
typedef struct htp_refusal {
    uint32_t node_count; /** < operators that ran, including the one that raised */
    const char *kind;    /**< of that one, or "" */
    bool is_operator;    /**< that one raised, rather than the program by itself */
    htp_fact facts[HTP_FACT_LIMIT];
    uint32_t fact_count;
    bool is_dtype;                     /**< operands of different dtypes, which it does not take */
    htp_dtype dtypes[HTP_DTYPE_LIMIT]; /**< of its operands */
    uint32_t dtype_count;
    uint32_t *suspects; /**< leaves that it depends on, the nearest first */
    uint32_t suspect_count;
} htp_refusal;

/** Judges the leaves by their uses. @return one per leaf */
htp_uses *htp_uses_find(htp_arena *arena, const htp_hint *hints, uint32_t hint_count,
                        const htp_plan *plan);

/** The likeliest guess. */
htp_guess htp_guess_first(htp_arena *arena, const htp_uses *uses, const htp_plan *plan);

/** A copy that can be changed. */
htp_guess htp_guess_copy(htp_arena *arena, const htp_guess *guess);

/** Gives a leaf the shape of its family for @p rank; false if there is none. */
bool htp_guess_set_rank(htp_guess *guess, const htp_uses *uses, uint32_t leaf, uint32_t rank);

/** Gives the first dim of a leaf the size of the batch. False where it has it. */
bool htp_guess_set_batch(htp_guess *guess, uint32_t leaf);

/** The slot of a dim that shares its size with no other. */
uint32_t htp_guess_own_slot(uint32_t leaf, uint32_t dim);

/** Makes the guess inputs, all sizes fixed. Fails when an argument that is no tensor is missing. */
HTP_MUST_USE htp_status htp_guess_inputs(htp_arena *arena, const htp_guess *guess,
                                         const htp_plan *plan, htp_inputs *inputs);

/** Interprets a trace that ended with a refusal; @p trace may be NULL. */
void htp_refusal_read(htp_arena *arena, const htp_trace *trace, const htp_plan *plan,
                      htp_refusal *refusal);

/** Adds the facts that the last node's operands tell. */
void htp_operands_read(const htp_trace *trace, htp_refusal *refusal);

/** The pairs of numbers that the last node's operands must agree in, as they are in @p lane: equal
 * ones, too. None where the operator has no rule of its own. @return how many */
uint32_t htp_operands_compare(const htp_trace *trace, uint32_t lane,
                              htp_fact pairs[HTP_PAIR_LIMIT]);

/**
 * Looks for a guess that @p attempt accepts, beginning with @p guess, which receives it.
 * @param tried  is advanced by the number of attempts
 * @param suspect  the leaf of the last refusal; or HTP_NONE
 * @return false if all were refused; the guess is then the one with which the program came
 *         furthest.
 */
bool htp_derive_search(htp_arena *arena, const htp_uses *uses, const htp_plan *plan,
                       htp_derive_try attempt, void *user, htp_guess *guess, uint32_t *tried,
                       uint32_t *suspect);

#endif
