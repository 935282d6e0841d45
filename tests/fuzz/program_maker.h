/*
 * Programs that are made up of bytes, as plain data (htp/program.h): what the target `program`
 * interprets. Structure is as readers of programs give it (numbers are within their tables, nodes
 * have the outputs that their schemas say, an If has two blocks); types are right most of the time.
 */
#ifndef HTP_TESTS_FUZZ_PROGRAM_MAKER_H
#define HTP_TESTS_FUZZ_PROGRAM_MAKER_H

#include "interpret_fixture.h"

/** Bytes that decisions are made of; at their end all of them are 0. */
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

/** A value that nodes may take, and the letter of its type (program_rows.def). */
typedef struct fuzz_known {
    uint32_t value;
    char type;
} fuzz_known;

/** A program that is being made. */
typedef struct fuzz_maker {
    htp_arena *arena;
    program_fixture *program; /* values and blocks are those of the function that is made */
    fuzz_bytes *bytes;
    uint32_t types[128];          /* by letter */
    HTP_VECTOR(fuzz_known) known; /* that may be read here */
    HTP_VECTOR(fuzz_nodes) nodes; /* by block */
    uint32_t function;            /* that is made */
    uint32_t depth;               /* of blocks */
} fuzz_maker;

/** A function: what it is given and gives, by letters. */
typedef struct fuzz_signature {
    const char *name; /**< NULL of the body of a fork */
    int32_t owner;    /**< class; -1: none */
    const char *takes;
    const char *gives;
} fuzz_signature;

enum { FUZZ_FUNCTIONS = 6 };

/** All of them; the first one is the method, which takes inputs behind self. */
extern const fuzz_signature fuzz_signatures[FUZZ_FUNCTIONS];

/** A new value of a type, which may be read from now on. */
uint32_t fuzz_make_value(fuzz_maker *m, char type);

/** Makes the nodes of a block, whose inputs are made, and what it gives. */
void fuzz_make_block(fuzz_maker *m, uint32_t block, const char *gives);

/** A constant of a type, where there is one: a number of the program's data. */
uint32_t fuzz_make_data(fuzz_maker *m, char type);

/** A program of the first bytes, behind the operators of the made-up runner.
 * @param inputs  receives those that its method is to be given, as interpret_inputs() reads them */
const htp_program *fuzz_make_program(htp_arena *arena, fuzz_bytes *bytes, const char **inputs);

/** Whether operands are what a schema asks for, and small: the rules of the made-up runner trust
 * theirs. */
bool fuzz_takes_operands(const htp_program *program, uint32_t schema, const htp_operand *inputs,
                         uint32_t count);

#endif
