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
    const char *form;          /* " --input past.0:DTYPE[DIMS]" where it cannot be derived; NULL
                                  where it can stay out, or where nothing can be passed */
    bool is_left_out;
    bool is_complex;
} htp_inspected_input;

/** An operator that the code names. */
typedef struct htp_inspected_operator {
    const char *kind;   /* with overload: "aten::add.Tensor" */
    uint32_t places;    /* in the code */
    const char *reason; /* NULL: an export may take it */
} htp_inspected_operator;

typedef struct htp_inspection {
    const char *model_path;
    const char *method;
    const char *module; /* that has it; "": the root */
    const char *libtorch_version;
    uint64_t format_version;    /* of the archive; 0 when not known */
    bool has_serialization_id;  /* the archive has the record that PyTorch 2 adds */
    const char *const *methods; /* of who has the method, in order of definition */
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

/** As text: signature, inputs, module tree, operators. Ends with a newline. */
const char *htp_report_inspection(htp_arena *arena, const htp_inspection *inspection);

/** As one JSON object on one line, without a newline. */
const char *htp_report_inspection_json(htp_arena *arena, const htp_inspection *inspection);

/** Levels of tagged modules above each module, by module. */
const uint32_t *htp_inspection_depths(htp_arena *arena, const htp_inspection *inspection);

/** Whether a module is so many levels down that it is not shown. */
bool htp_inspection_is_below(const htp_inspection *inspection, uint32_t depth);

/** The operators that no export takes. */
uint32_t htp_inspection_unsupported_count(const htp_inspection *inspection);

/** The writer of the archive: "PyTorch 2"; NULL if unknown. */
const char *htp_inspection_writer(const htp_inspection *inspection);

#endif
