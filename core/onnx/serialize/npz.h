/*
 * NumPy's archives of arrays: a zip file with one .npy file for each, as numpy.savez() writes it.
 *
 * Reference: numpy/lib/format.py, version 1.0; PKWARE APPNOTE.TXT, 4.3.7, 4.3.12 and 4.3.16.
 */
#ifndef HTP_ONNX_NPZ_H
#define HTP_ONNX_NPZ_H

#include "base/input_file.h"
#include "base/status.h"
#include "onnx/builder/builder.h"

/**
 * Writes the initial states of a model's inputs, each under the input's name. The file appears
 * complete or not at all.
 * @param source  the source of the model: a change while this is written is a failure
 * @return HTP_CODE_CANNOT_WRITE also for more than 4 GiB of arrays
 */
HTP_MUST_USE htp_status htp_npz_write_states(const htp_builder *model, const htp_input_file *source,
                                             const char *path);

#endif
