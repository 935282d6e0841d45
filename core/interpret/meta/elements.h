/*
 * Element-wise operators: the meaning of rows in elements.def.
 */
#ifndef HTP_INTERPRET_META_ELEMENTS_H
#define HTP_INTERPRET_META_ELEMENTS_H

/** The lowest bits are the number of leading operands in the loop. Rows of other tables use the
 * flags that exclude types. */
typedef enum htp_elements {
    HTP_ELEMENTS_COUNT = 3,
    HTP_ELEMENTS_FLOAT = 1 << 2,       /**< integers are converted to floats */
    HTP_ELEMENTS_BOOL = 1 << 3,        /**< it returns bools */
    HTP_ELEMENTS_REAL = 1 << 4,        /**< for complex numbers it returns real ones */
    HTP_ELEMENTS_COMPLEX = 1 << 5,     /**< for real numbers it returns complex ones */
    HTP_ELEMENTS_SAME = 1 << 6,        /**< its operands have the same type */
    HTP_ELEMENTS_LIKE = 1 << 7,        /**< its output has the layout of its first operand */
    HTP_ELEMENTS_PLAIN = 1 << 14,      /**< its output is contiguous */
    HTP_ELEMENTS_REVERSED = 1 << 8,    /**< it subtracts the first operand from the second */
    HTP_ELEMENTS_NO_BOOL = 1 << 9,     /**< it takes no bools */
    HTP_ELEMENTS_NO_INTEGER = 1 << 10, /**< it takes no integers or bools */
    HTP_ELEMENTS_NO_FLOAT = 1 << 11,
    HTP_ELEMENTS_NO_BFLOAT = 1 << 12,
    HTP_ELEMENTS_NO_COMPLEX = 1 << 13,
} htp_elements;

#endif
