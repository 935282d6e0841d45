/*
 * A shim in front of the real one, for tests: whenever the interpreter asks for sizes
 * (HTP_RUN_SIZES), the operator is also run for real on operands of the same sizes and strides, and
 * what both tell is compared: dtypes, sizes, strides, offsets, and whose memory outputs lie in. The
 * same is done for operands in other layouts.
 *
 * HTP_SHIM names this library, which opens libhtp-shim.so beside it; HTP_ORACLE_LOG is the file
 * that findings are appended to, a line each:
 *
 *   checked  OPERATOR LAYOUT              the first time that it was compared
 *   found    OPERATOR LAYOUT WHAT CALL    the first time that it differs so
 *   skipped  OPERATOR REASON              it was not run for real
 *   reached  OPERATOR ELEMENTS            a real kernel ran on a probe of so many elements
 *   ran      MODEL OPERATOR...            those that sizes were asked of, or that ran on probes
 *   calls    PROCESS NUMBER               compared in this process so far
 */
#ifndef HTP_TESTS_ORACLE_H
#define HTP_TESTS_ORACLE_H

#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"
#include "base/vector.h"

#include <htp/program.h>
#include <htp/runner.h>

/** How tensors lie in memory. */
typedef enum oracle_layout {
    ORACLE_AS_GIVEN,
    ORACLE_DENSE,         /**< in the order of dims */
    ORACLE_TRANSPOSED,    /**< the last two dims are exchanged */
    ORACLE_REVERSED,      /**< all dims are */
    ORACLE_CHANNELS_LAST, /**< dim 1 is closest */
    ORACLE_EXPANDED,      /**< dim 0 has stride 0 */
    ORACLE_SLICED,        /**< of a larger tensor, not from its beginning on */
    ORACLE_LAYOUT_COUNT,
} oracle_layout;

/** Which tensors are laid out anew. */
typedef enum oracle_choice {
    ORACLE_ALL,
    ORACLE_FIRST,
    ORACLE_OTHERS,
    ORACLE_CHOICE_COUNT
} oracle_choice;

/** Contents of tensors that are made real. */
typedef enum oracle_fill {
    ORACLE_NO_CONTENTS,
    ORACLE_ONES,
    ORACLE_ZEROES,
    ORACLE_VARIED,
} oracle_fill;

/** How operands are made again. */
typedef struct oracle_way {
    oracle_layout layout;
    oracle_choice choice;
    oracle_fill fill;
} oracle_way;

/** A model that is open. */
typedef struct oracle {
    const htp_runner *inner;
    htp_runner view; /* the inner one with another run() */
    const htp_program *program;
    htp_arena arena; /* of one call */
    struct oracle *next;
} oracle;

typedef HTP_VECTOR(const htp_runner_tensor *) oracle_tensors;

/** A call of an operator, in one lane. */
typedef struct oracle_call {
    const htp_program_schema *schema;
    uint32_t number;
    const htp_operand *inputs;
    uint32_t count;
} oracle_call;

/** What an operator gave. */
typedef struct oracle_result {
    htp_run_code code;
    const htp_operand *outputs;
    uint32_t count;
    oracle_tensors inputs; /* of its operands, in order */
    char message[sizeof(((htp_error *)NULL)->message)];
} oracle_result;

/** Looks at a call that was answered with @p told (runs.c). */
void oracle_examine(oracle *o, const oracle_call *call, const oracle_result *told);

/** Notes that a real kernel is run on probes. */
void oracle_note_probes(oracle *o, const oracle_call *call);

/** The operands of a call made anew (operands.c). @return false where some cannot be made */
bool oracle_make(oracle *o, const oracle_call *call, const oracle_way *way, htp_operand **made);

/** The tensors among operands, also in lists. */
void oracle_list_tensors(oracle *o, const htp_operand *operands, uint32_t count,
                         oracle_tensors *tensors);

/** A call in words: "aten::relu (float32[2, 3]{3, 1})". */
const char *oracle_words(oracle *o, const oracle_call *call, const htp_operand *inputs);

/** Operands in words (words.c). @param is_rough  sizes above 2 are alike */
void oracle_write_operands(htp_text *text, const htp_operand *operands, uint32_t count,
                           bool is_rough);

/** What two results differ in, in a word; NULL where they are alike (compare.c). @p detail receives
 * more words. */
const char *oracle_compare(oracle *o, const oracle_result *told, const oracle_result *real,
                           const char **detail);

/** The name of a layout and choice: "sliced", "sliced/first". */
const char *oracle_way_name(oracle *o, const oracle_way *way);

/** Writes a line, unless the same was written before but for @p detail (report.c). */
void oracle_report(const char *what, const char *name, const char *key, const char *detail);

/** Writes a line about a call that was compared. Nothing waits until a model is closed: the program
 * leaves its last one to the system. */
void oracle_report_call(const char *operator_name);

/** Whether a text is new: it is kept. */
bool oracle_is_new(const char *text);

#endif
