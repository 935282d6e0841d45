/*
 * What is wrong with a model whoever wrote it: what onnx.checker and ONNX Runtime refuse. Looked
 * for are, besides flaws of the view (onnx/reader/view.h):
 * - names of bodies that hide those around them, and outputs of bodies that are made outside;
 * - operators that the imported opset does not have, counts of operands, operands that are missing,
 *   attributes that the operator's version does not have, of another type, missing or twice;
 * - operands and results of types that the operator does not take, of types that are to be one and
 *   differ, and values that are declared otherwise than they are made;
 * - ranks and dims of operands that cannot meet.
 *
 * What is not known is no finding: operators of other domains and opsets, and types and dims that
 * neither the file nor inference tells. Private to core/query.
 */
#ifndef HTP_QUERY_VALIDATE_ONNX_H
#define HTP_QUERY_VALIDATE_ONNX_H

#include "onnx/reader/schema.h"
#include "onnx/shape_inference/infer_builder.h"
#include "query/validate/validate.h"

/** A file that is looked at. */
typedef struct htp_validator {
    htp_arena *arena;
    const htp_view *view;
    htp_findings *findings;
    htp_schemas *schemas;
    const htp_schema **schema; /* by node; NULL: nothing is known of it */
    uint32_t *roots;           /* by graph: the one that lies in no other, and that it lies in */
} htp_validator;

/** Dims of values, as far as they are known. */
typedef struct htp_sizes {
    htp_view_draft drafted; /* what follows from the inputs of the model */
    bool *is_constant;      /* by value: its contents are in the file */
    bool *is_told;          /* by value: its dims follow from such contents and from dims alone */
    bool *has_rank;         /* by value: so does its rank */
} htp_sizes;

/** Whether the dims, or the rank, of a value are known to ONNX's inference, too: they are told, or
 * declared. */
bool htp_sizes_are_known(const htp_sizes *sizes, uint32_t value);
bool htp_sizes_have_rank(const htp_sizes *sizes, uint32_t value);

/** Looks at a file; findings are about its nodes. */
void htp_validate_onnx(const htp_view *file, htp_findings *findings);

/** The parts: names and ends of graphs; operators, which finds v->schema; types; dims, and
 * operands by these. All but the first two are for graphs without flaws. */
void htp_validate_graphs(htp_validator *v);
void htp_validate_operators(htp_validator *v);
void htp_validate_types(htp_validator *v);
void htp_validate_dims(htp_validator *v);
void htp_validate_operands(htp_validator *v, const htp_sizes *sizes);

/** Adds a finding about a node: "node 'NAME' (OP): " and what follows. */
void htp_validate_node(htp_validator *v, uint32_t node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
