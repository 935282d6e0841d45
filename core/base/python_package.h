/*
 * Files in packages of Python, without running Python.
 */
#ifndef HTP_BASE_PYTHON_PACKAGE_H
#define HTP_BASE_PYTHON_PACKAGE_H

#include "base/arena.h"
#include "base/vector.h"

/** Paths, the preferred one first. */
typedef HTP_VECTOR(const char *) htp_package_files;

/**
 * Files of a package of $VIRTUAL_ENV, then of the python3 on PATH: one for each place of packages
 * that has it.
 * @param package  its folder: "onnxruntime"
 * @param file     a pattern of glob(7) in that folder: "capi/libonnxruntime.so*"; of several files
 *                 that match, the last one is taken.
 */
htp_package_files htp_package_find(htp_arena *arena, const char *package, const char *file);

#endif
