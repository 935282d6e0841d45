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
    const char *sidecar;       /* path of the sidecar that stores its results; or NULL */
    htp_sidecar_file document; /* the sidecar that lies there already; or all zeroes */
} htp_quality_task_entry;

/** Resources of the run. */
typedef struct htp_quality_task htp_quality_task;
struct htp_quality_task {
    htp_quality_options options;
    htp_arena arena;
    htp_status (*answer)(htp_quality_task *w); /* called with the task's recovery point set */
    htp_status (*step)(htp_quality_task *w);   /* called with those of an entry's model set, too */
    htp_quality_task_entry *entries;           /* the models, then `against` */
    size_t count;
    size_t own;    /* how many are models */
    size_t index;  /* of the entry under way */
    size_t opened; /* how many are open, from the first on */
    htp_quality_entry *reported;
    htp_quality_report report;
    htp_sidecar_file sidecar; /* the reference, while it is read */
    htp_tree sidecar_tree;
    htp_fresh_export fresh; /* of a reference that is a PyTorch model */
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
 * @return HTP_CODE_BAD_INPUT if the file is no sidecar, or contradicts the model.
 */
HTP_MUST_USE htp_status htp_quality_open_sidecar(htp_quality_task *w,
                                                 htp_quality_task_entry *entry);

/** Writes the sidecar of a measured entry: the existing one with its results, or a new one. */
HTP_MUST_USE htp_status htp_quality_write_sidecar(htp_quality_task *w,
                                                  htp_quality_task_entry *entry);

#endif
