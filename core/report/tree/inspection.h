/*
 * Facts about a model before its export, as text and JSON.
 */
#ifndef HTP_REPORT_INSPECTION_H
#define HTP_REPORT_INSPECTION_H

#include "base/vector.h"
#include "hierarchy/hierarchy.h"
#include "hierarchy/parameters.h"
#include "interpret/trace/inputs.h"

/** An argument, or a part of one, as an export would choose it. */
typedef struct htp_inspected_input {
    const char *name;          /* "past.0" */
    const char *specification; /* "past.0:float32[2,8]"; NULL: none */
    const char *form;          /* " --input past.0:DTYPE[DIMS]" if it cannot be derived; NULL if it
                                  can be left out, or nothing can be passed */
    bool is_left_out;
    bool is_complex;
} htp_inspected_input;

/** An operator that the code names. */
typedef struct htp_inspected_operator {
    const char *kind;   /* with overload: "aten::add.Tensor" */
    uint32_t places;    /* in the code */
    const char *reason; /* why it cannot be exported; NULL: it may be */
} htp_inspected_operator;

typedef struct htp_inspection {
    const char *model_path;
    const char *method;
    const char *module; /* that has the method; "": the root */
    const char *libtorch_version;
    uint64_t format_version;    /* of the archive; 0: unknown */
    bool has_serialization_id;  /* the archive has the record that PyTorch 2 adds */
    const char *const *methods; /* of the module that has the method, in order of definition */
    uint32_t method_count;
    const char *returns; /* the type that the method returns */
    const htp_argument *arguments;
    uint32_t argument_count;
    const char *inputs_origin; /* "given", "archive" or "derived" */
    HTP_VECTOR(htp_inspected_input) inputs;
    const htp_instance *modules;
    const htp_hierarchy *hierarchy;
    const htp_parameters *parameters;
    int depth; /* levels of modules that are shown below the root; negative: all */
    const htp_inspected_operator *operators;
    uint32_t operator_count;
} htp_inspection;

/** The facts as text: signature, inputs, module tree, operators. Ends with a newline. */
const char *htp_report_inspection(htp_arena *arena, const htp_inspection *inspection);

/** The facts as one JSON object on one line, without a newline. */
const char *htp_report_inspection_json(htp_arena *arena, const htp_inspection *inspection);

/** By module: the number of tagged modules above it. */
const uint32_t *htp_inspection_depths(htp_arena *arena, const htp_inspection *inspection);

/** Whether a module of this depth is below `--depth` and is not shown. */
bool htp_inspection_is_below(const htp_inspection *inspection, uint32_t depth);

/** The number of operators that cannot be exported. */
uint32_t htp_inspection_unsupported_count(const htp_inspection *inspection);

/** The writer of the archive: "PyTorch 2"; NULL if unknown. */
const char *htp_inspection_writer(const htp_inspection *inspection);

#endif
