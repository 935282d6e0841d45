/*
 * One run of htp_measure_quality(), and the sources of known facts. Private to core/api.
 */
#ifndef HTP_API_QUALITY_TASK_H
#define HTP_API_QUALITY_TASK_H

#include "api/export/fresh_export.h"
#include "api/model.h"
#include "quality/threshold.h"
#include "query/profile/profile.h"
#include "report/quality/quality.h"

/** A model that is measured. */
typedef struct htp_quality_task_entry {
    const char *path;
    htp_model *model;
    htp_subject subject;
    htp_reference reference;
    htp_quality quality;
    const char *sidecar;       /* where its results go, too; or NULL */
    htp_sidecar_file document; /* that lies there; or all zeroes */
} htp_quality_task_entry;

/** Resources of the run. */
typedef struct htp_quality_task htp_quality_task;
struct htp_quality_task {
    htp_quality_options options;
    htp_arena arena;
    htp_status (*answer)(htp_quality_task *w); /* with recovery points set, as is */
    htp_status (*step)(htp_quality_task *w);   /* of the entry under way, likewise */
    htp_quality_task_entry *entries;
    size_t count;  /* of these */
    size_t own;    /* of these, from the first on: the others are `against` */
    size_t index;  /* under way */
    size_t opened; /* of these, from the first on */
    htp_quality_entry *told;
    htp_quality_report report;
    htp_sidecar_file sidecar; /* the reference, as long as it is read */
    htp_tree sidecar_tree;
    htp_fresh_export fresh; /* of a reference that is TorchScript */
    htp_profile profile;
    htp_threshold *thresholds;    /* by options.fail_under */
    HTP_VECTOR(htp_slice) pieces; /* of the output under way */
    uint64_t bytes;               /* of these */
    char **text, **json, **failures;
};

/** Finds by options.reference which modules ran the nodes of an entry: by the operations of a
 * sidecar, or by a fresh export of a TorchScript model. */
HTP_MUST_USE htp_status htp_quality_take_reference(htp_quality_task *w,
                                                   htp_quality_task_entry *entry);

/** Carries known facts from one entry to another, node by node: those of its reference if it has
 * one, else its own tags. */
HTP_MUST_USE htp_status htp_quality_carry_reference(htp_quality_task *w,
                                                    const htp_quality_task_entry *from,
                                                    htp_quality_task_entry *to);

/** Adds the times of options.profile to the modules of an entry that was measured. */
HTP_MUST_USE htp_status htp_quality_take_profile(htp_quality_task *w,
                                                 htp_quality_task_entry *entry);

/** Finds by options.sidecar the sidecars that store results. Refuses other files (HTP_CODE_USAGE).
 */
HTP_MUST_USE htp_status htp_quality_find_sidecars(htp_quality_task *w);

/**
 * Opens an existing sidecar.
 * @return HTP_CODE_BAD_INPUT if it is none, or contradicts the model.
 */
HTP_MUST_USE htp_status htp_quality_open_sidecar(htp_quality_task *w,
                                                 htp_quality_task_entry *entry);

/** Writes the sidecar of a measured entry: the existing one with its results, or a new one. */
HTP_MUST_USE htp_status htp_quality_write_sidecar(htp_quality_task *w,
                                                  htp_quality_task_entry *entry);

#endif
