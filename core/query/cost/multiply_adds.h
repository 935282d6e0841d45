/*
 * Multiply-adds of one node: of products of matrices, convolutions and what is made of them.
 * Private to core/query/cost.
 *
 * One multiply-add is a multiplication and the addition of its product to a sum: M*N*K for a
 * product of an M x K and a K x N matrix, as torch.utils.flop_counter counts them (it counts two
 * operations each). Masks, padding and zeroes are counted like other elements. All other operators
 * have none.
 */
#ifndef HTP_QUERY_MULTIPLY_ADDS_H
#define HTP_QUERY_MULTIPLY_ADDS_H

#include "onnx/reader/view.h"
#include "onnx/shape_inference/infer_builder.h"

/** A node and what is known of its operands. */
typedef struct htp_counting {
    htp_arena *arena;
    const htp_view *view;
    const htp_builder *builder; /* by value of the view: types */
    htp_symbols *symbols;
    const htp_view_node *node;
    uint32_t number; /* of the node */
    uint8_t a, b;    /* operands, by the operator's row */
} htp_counting;

/** @return HTP_NONE where a size is not known, or too large */
typedef htp_polynomial_id (*htp_count_fn)(const htp_counting *counting);

/** A row of multiply_adds.def. */
typedef struct htp_count_row {
    const char *domain; /* "" for ONNX's own */
    const char *op_type;
    htp_count_fn count;
    uint8_t a, b;
} htp_count_row;

/** The rows, and their number. */
extern const htp_count_row htp_count_rows[];
extern const size_t htp_count_row_count;

/* ---- operands ---- */

/** The type of input or output @p index; NULL where it is left out, or not known. */
const htp_tensor *htp_counting_input(const htp_counting *counting, uint32_t index);
const htp_tensor *htp_counting_output(const htp_counting *counting, uint32_t index);

/** The product of the dims @p first to @p end (left out); HTP_NONE where one is not known. */
htp_polynomial_id htp_counting_product(const htp_counting *counting, const htp_tensor *tensor,
                                       uint32_t first, uint32_t end);

/** All elements of a tensor; HTP_NONE for NULL. */
htp_polynomial_id htp_counting_elements(const htp_counting *counting, const htp_tensor *tensor);

/** A dim; HTP_NONE where it is not known. */
htp_polynomial_id htp_counting_dim(const htp_counting *counting, const htp_tensor *tensor,
                                   uint32_t axis);

/** a b; a + b; HTP_NONE where one of them is. */
htp_polynomial_id htp_counting_times(const htp_counting *counting, htp_polynomial_id a,
                                     htp_polynomial_id b);
htp_polynomial_id htp_counting_plus(const htp_counting *counting, htp_polynomial_id a,
                                    htp_polynomial_id b);

/** An integer attribute. */
int64_t htp_counting_int(const htp_counting *counting, const char *name, int64_t otherwise);

#define MULTIPLY_ADDS(domain, op, function, a, b)                                                  \
    htp_polynomial_id function(const htp_counting *counting);
#include "query/cost/multiply_adds.def"
#undef MULTIPLY_ADDS

#endif
