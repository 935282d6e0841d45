/*
 * Generates programs from bytes, as plain data (htp/program.h), for the target `program`. Their
 * structure is valid as if from a reader (indices are within their tables, nodes have the outputs
 * of their schemas, an If has two blocks); types are mostly right.
 */
#ifndef HTP_TESTS_FUZZ_PROGRAM_MAKER_H
#define HTP_TESTS_FUZZ_PROGRAM_MAKER_H

#include "interpret_fixture.h"

/** The bytes that decide; after the end all are 0. */
typedef struct fuzz_bytes {
    const uint8_t *at;
    const uint8_t *end;
} fuzz_bytes;

/** A number below @p count, which is at most 256. */
static inline uint32_t fuzz_take(fuzz_bytes *bytes, uint32_t count)
{
    return bytes->at < bytes->end ? *bytes->at++ % count : 0;
}

typedef HTP_VECTOR(htp_program_node) fuzz_nodes;

/** A value that nodes may read, and the letter of its type (program_rows.def). */
typedef struct fuzz_known {
    uint32_t value;
    char type;
} fuzz_known;

/** A program under construction. */
typedef struct fuzz_maker {
    htp_arena *arena;
    program_fixture *program; /* values and blocks are those of the current function */
    fuzz_bytes *bytes;
    uint32_t types[128];          /* by letter */
    HTP_VECTOR(fuzz_known) known; /* visible here */
    HTP_VECTOR(fuzz_nodes) nodes; /* by block */
    uint32_t function;            /* current one */
    uint32_t depth;               /* of blocks */
} fuzz_maker;

/** A function: its parameters and results, by letters. */
typedef struct fuzz_signature {
    const char *name; /**< NULL for the body of a fork */
    int32_t owner;    /**< class; -1: none */
    const char *takes;
    const char *gives;
} fuzz_signature;

enum { FUZZ_FUNCTIONS = 6 };

/** All functions; the first one is the method, which takes inputs after self. */
extern const fuzz_signature fuzz_signatures[FUZZ_FUNCTIONS];

/** A new value of a type, visible from now on. */
uint32_t fuzz_make_value(fuzz_maker *m, char type);

/** Makes the nodes and the results of a block, whose inputs exist already. */
void fuzz_make_block(fuzz_maker *m, uint32_t block, const char *gives);

/** A constant of a type, if there is one. @return its index in the program's data */
uint32_t fuzz_make_data(fuzz_maker *m, char type);

/** A program from the first bytes, with the operators of the fake runner first. @param
 * inputs  receives the inputs of its method, in the format of interpret_inputs() */
const htp_program *fuzz_make_program(htp_arena *arena, fuzz_bytes *bytes, const char **inputs);

/** Whether operands match a schema, and are small: the rules of the fake runner trust theirs. */
bool fuzz_takes_operands(const htp_program *program, uint32_t schema, const htp_operand *inputs,
                         uint32_t count);

#endif
