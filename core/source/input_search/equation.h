/*
 * Equations between axes, from two numbers that must be equal but differ at the sampled sizes.
 */
#ifndef HTP_SOURCE_EQUATION_H
#define HTP_SOURCE_EQUATION_H

#include "source/inputs/inputs.h"

enum { HTP_EQUATION_MAX_TERMS = 4 };

/** An equation: the sum of the terms and a number is 0. */
typedef struct htp_equation {
    struct {
        uint32_t axis;
        int64_t factor; /* not 0 */
    } terms[HTP_EQUATION_MAX_TERMS];
    uint32_t count;
    int64_t number;
} htp_equation;

/**
 * Fits forms to two numbers per lane. Known forms: a number; an axis times, over or plus a number;
 * a sum of two axes and a number; products of two axes that share one.
 * @return false if a number has none of these forms, or their difference has no axis.
 */
bool htp_equation_read(const htp_inputs *inputs, const int64_t *have, const int64_t *want,
                       htp_equation *equation);

/** Whether the equation says that two axes are equal. */
bool htp_equation_is_join(const htp_equation *equation);

/** Whether the equation says that an axis, or a sum of axes, is a number: then none of them moves.
 */
bool htp_equation_is_fixed(const htp_equation *equation);

/** The term to solve the equation for, such that all other axes are added, and if possible the
 * number; among several, the last axis. HTP_NONE: none. */
uint32_t htp_equation_solve(const htp_equation *equation);

/** The solution for a term: its axis as a formula of the others. */
htp_size_formula htp_equation_solution(const htp_equation *equation, uint32_t term);

#endif
