/*
 * A shim that wraps the real one, for tests: whenever the interpreter asks for sizes
 * (HTP_RUN_SIZES), the real kernel also runs on operands of the same sizes and strides, and the
 * results are compared: dtypes, sizes, strides, offsets, and aliasing of outputs. The same is done
 * for operands in other layouts.
 *
 * HTP_SHIM names this library, which opens the shim beside it. Findings are appended to the
 * file HTP_ORACLE_LOG, one per line:
 *
 *   checked  OPERATOR LAYOUT              the first comparison
 *   found    OPERATOR LAYOUT WHAT CALL    the first difference of this kind
 *   skipped  OPERATOR REASON              it was not run for real
 *   reached  OPERATOR ELEMENTS            a real kernel ran on a probe of this many elements
 *   ran      MODEL OPERATOR...            those asked for sizes, or run on probes
 *   call     OPERATOR                     a compared call
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
    ORACLE_REVERSED,      /**< the order of dims is reversed */
    ORACLE_CHANNELS_LAST, /**< dim 1 is innermost */
    ORACLE_EXPANDED,      /**< dim 0 has stride 0 */
    ORACLE_SLICED,        /**< an inner part of a larger tensor */
    ORACLE_LAYOUT_COUNT,
} oracle_layout;

/** The tensors that get the layout. */
typedef enum oracle_choice {
    ORACLE_ALL,
    ORACLE_FIRST,
    ORACLE_OTHERS,
    ORACLE_CHOICE_COUNT
} oracle_choice;

/** Contents of copies that get memory. */
typedef enum oracle_fill {
    ORACLE_NO_CONTENTS,
    ORACLE_ONES,
    ORACLE_ZEROES,
    ORACLE_VARIED,
} oracle_fill;

/** How operands are copied. */
typedef struct oracle_way {
    oracle_layout layout;
    oracle_choice choice;
    oracle_fill fill;
} oracle_way;

/** An open model. */
typedef struct oracle {
    const htp_runner *inner;
    htp_runner view; /* the real runner with another run() */
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

/** An operator's results. */
typedef struct oracle_result {
    htp_run_code code;
    const htp_operand *outputs;
    uint32_t count;
    oracle_tensors inputs; /* of its operands, in order */
    char message[sizeof(((htp_error *)NULL)->message)];
} oracle_result;

/** Compares the results @p told of a call with the real kernel's (runs.c). */
void oracle_examine(oracle *o, const oracle_call *call, const oracle_result *told);

/** Records that a real kernel runs on probes. */
void oracle_note_probes(oracle *o, const oracle_call *call);

/** Copies the operands of a call (operands.c). @return false if some cannot be copied */
bool oracle_make(oracle *o, const oracle_call *call, const oracle_way *way, htp_operand **made);

/** The tensors among operands, also in lists. */
void oracle_list_tensors(oracle *o, const htp_operand *operands, uint32_t count,
                         oracle_tensors *tensors);

/** A call as text: "aten::relu (float32[2, 3]{3, 1})". */
const char *oracle_words(oracle *o, const oracle_call *call, const htp_operand *inputs);

/** Writes operands as text (words.c). @param is_rough  all sizes above 2 are written alike */
void oracle_write_operands(htp_text *text, const htp_operand *operands, uint32_t count,
                           bool is_rough);

/** The difference of two results, as a word; NULL if there is none (compare.c). @p detail receives
 * a description. */
const char *oracle_compare(oracle *o, const oracle_result *told, const oracle_result *real,
                           const char **detail);

/** The name of a layout and choice: "sliced", "sliced/first". */
const char *oracle_way_name(oracle *o, const oracle_way *way);

/** Opens the file that lines go to, $HTP_ORACLE_LOG, while that can be done (report.c). */
void oracle_open_log(void);

/** Writes a line, unless one with the same @p what, @p name and @p key was written before
 * (report.c). */
void oracle_report(const char *what, const char *name, const char *key, const char *detail);

/** Writes a line about a compared call. It is not delayed until the model is closed, because the
 * program leaves its last one to the system. */
void oracle_report_call(const char *operator_name);

/** Whether a text is new. It is remembered. */
bool oracle_is_new(const char *text);

#endif
