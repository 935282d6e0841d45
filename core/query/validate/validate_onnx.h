/*
 * Errors that onnx.checker or ONNX Runtime refuse, in models of any exporter. Besides those of the
 * view (onnx/reader/view.h):
 * - names in bodies that hide outer names, and outputs of bodies that are made outside;
 * - operators that the imported opset does not have; wrong numbers of operands, missing ones;
 *   attributes that are unknown in this version, of another type, missing or duplicate;
 * - types that the operator does not take, types that must be equal and differ, and declared types
 *   that differ from the inferred ones;
 * - ranks and dims of operands that do not fit.
 *
 * Unknowns are not reported: operators of other domains and opsets, types and dims that neither the
 * file nor inference gives. Private to core/query.
 */
#ifndef HTP_QUERY_VALIDATE_ONNX_H
#define HTP_QUERY_VALIDATE_ONNX_H

#include "onnx/reader/schema.h"
#include "onnx/shape_inference/infer_builder.h"
#include "query/validate/validate.h"

/** A file under validation. */
typedef struct htp_validator {
    htp_arena *arena;
    const htp_view *view;
    htp_findings *findings;
    htp_schemas *schemas;
    const htp_schema **schema; /* by node; NULL: unknown */
    uint32_t *roots;           /* by graph: the outermost one around it */
} htp_validator;

/** Dims of values, as far as they are known. */
typedef struct htp_sizes {
    htp_view_builder built; /* inferred from the model's inputs */
    bool *is_constant;      /* by value: its contents are in the file */
    bool *is_inferred;      /* by value: ONNX infers its dims, from such contents and dims */
    bool *has_rank;         /* by value: ONNX infers its rank */
} htp_sizes;

/** Whether the dims, or the rank, of a value are declared, or ONNX's own inference knows them. */
bool htp_sizes_are_known(const htp_sizes *sizes, uint32_t value);
bool htp_sizes_have_rank(const htp_sizes *sizes, uint32_t value);

/** Checks a file; findings are about its nodes. */
void htp_validate_onnx(const htp_view *file, htp_findings *findings);

/** The parts: names, inputs and outputs of graphs; operators, which finds v->schema; types; dims,
 * and operands by these. All but the first two need graphs without flaws. */
void htp_validate_graphs(htp_validator *v);
void htp_validate_operators(htp_validator *v);
void htp_validate_types(htp_validator *v);
void htp_validate_dims(htp_validator *v);
void htp_validate_operands(htp_validator *v, const htp_sizes *sizes);

/** Adds a finding about a node: "node 'NAME' (OP): " and the text. */
void htp_validate_node(htp_validator *v, uint32_t node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
