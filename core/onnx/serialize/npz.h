/*
 * NumPy's archives of arrays: a zip file with one .npy file per array, as numpy.savez() writes it.
 *
 * Reference: numpy/lib/format.py, version 1.0; PKWARE APPNOTE.TXT, 4.3.7, 4.3.12 and 4.3.16.
 */
#ifndef HTP_ONNX_NPZ_H
#define HTP_ONNX_NPZ_H

#include "base/input_file.h"
#include "base/status.h"
#include "onnx/builder/builder.h"

/**
 * Writes the initial values of a model's states, each under its input's name. The file appears
 * complete or not at all.
 * @param source  the model's source: a change during writing is a failure
 * @return HTP_CODE_CANNOT_WRITE also for more than 4 GiB of arrays
 */
HTP_MUST_USE htp_status htp_npz_write_states(const htp_builder *model, const htp_input_file *source,
                                             const char *path);

#endif
