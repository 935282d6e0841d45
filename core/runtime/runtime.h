/*
 * ONNX Runtime, opened with dlopen() when it is needed: no part of this program links it.
 *
 * A session is a model in memory. Its tensors are fetched by name, and stay in the runtime's memory
 * until they are freed.
 */
#ifndef HTP_RUNTIME_H
#define HTP_RUNTIME_H

#include "base/arena.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/** Levels of ONNX Runtime's graph optimisation: none, basic, extended, all. */
enum { HTP_RUNTIME_LEVEL_NONE = 0, HTP_RUNTIME_LEVEL_ALL = 3 };

/** The most dims that a tensor may have here. */
enum { HTP_RUNTIME_MAX_RANK = 64 };

/** The library, once opened. It stays loaded. */
typedef struct htp_runtime htp_runtime;

/** A model that can run. */
typedef struct htp_runtime_session htp_runtime_session;

/** A tensor or a list of tensors: what goes in, and what comes out. */
typedef struct htp_array {
    int32_t data_type; /* TensorProto.DataType; 0: it is no tensor, or one of strings */
    size_t rank;
    const int64_t *dims;
    size_t count; /* of elements; of a list, also one without a type: its length */
    const void *data;
    const struct htp_array *tensors; /* of a list, an ONNX sequence; NULL: it is none */
} htp_array;

/**
 * Where the library is: @p file; else in the onnxruntime package of $VIRTUAL_ENV, then of the
 * python3 on PATH, which is not run: its folder tells; else wherever the system's linker looks.
 * @return the path, or a name for the linker, in @p arena.
 */
const char *htp_runtime_find(htp_arena *arena, const char *file);

/** Loads the library, so that htp_runtime_find() and htp_runtime_open() read no files later. Not
 * for several threads. @return false if there is none */
bool htp_runtime_preload(const char *file);

/**
 * Opens the library.
 * @param path  as htp_runtime_find() returns it.
 * @param runtime  closed with htp_runtime_close(), also after a failure.
 * @return HTP_CODE_INTERNAL where it is missing, or no ONNX Runtime; the message says what to
 * install.
 */
HTP_MUST_USE htp_status htp_runtime_open(const char *path, htp_runtime **runtime);

/** Frees sessions and tensors that are left, and ends what the library does; NULL is accepted. */
void htp_runtime_close(htp_runtime *runtime);

/** Its version: "1.31.1". */
const char *htp_runtime_version(const htp_runtime *runtime);

/** Whether sessions look for external data in a folder: releases before 1.21 look in the working
 * directory. */
bool htp_runtime_has_data_folder(const htp_runtime *runtime);

/**
 * Makes a session of a model.
 * @param model    the bytes of an ONNX file; needed no longer afterwards.
 * @param folder   where its external data lie.
 * @param level    of optimisation, 0 to HTP_RUNTIME_LEVEL_ALL.
 * @param session  freed with htp_runtime_session_free(), also after a failure.
 * @return HTP_CODE_BAD_INPUT where the runtime refuses the model.
 */
HTP_MUST_USE htp_status htp_runtime_session_new(htp_runtime *runtime, const void *model,
                                                size_t bytes, const char *folder, int level,
                                                htp_runtime_session **session);

/** NULL is accepted. */
void htp_runtime_session_free(htp_runtime_session *session);

/** Names and tensors, side by side. */
typedef struct htp_named_arrays {
    const char *const *names;
    const htp_array *arrays;
    size_t count;
} htp_named_arrays;

/** Tensors that a run returned. */
typedef struct htp_fetched htp_fetched;

/**
 * Runs a session.
 * @param names    of the outputs that are wanted.
 * @param fetched  freed with htp_fetched_free(), also after a failure.
 * @return HTP_CODE_BAD_INPUT where the run fails.
 */
HTP_MUST_USE htp_status htp_runtime_session_run(htp_runtime_session *session,
                                                const htp_named_arrays *inputs,
                                                const char *const *names, size_t count,
                                                htp_fetched **fetched);

/** Reads the elements of tensor @p index. @return false if they cannot be read */
typedef bool (*htp_elements_fn)(void *user, size_t index, void *elements);

/**
 * Tensors that are read, as if a run had returned them.
 * @param arrays   what is read; without elements. Their dims outlive it.
 * @param numbers  what read() calls them: a tensor, or the first one of a list.
 * @param fetched  as htp_runtime_session_run()
 * @return HTP_CODE_BAD_INPUT where reading fails
 */
HTP_MUST_USE htp_status htp_fetched_read(htp_runtime *runtime, const htp_array *const *arrays,
                                         const size_t *numbers, size_t count, htp_elements_fn read,
                                         void *user, htp_fetched **fetched);

/** Output @p index, in the order of the names; valid until it is freed. */
const htp_array *htp_fetched_array(const htp_fetched *fetched, size_t index);

/** NULL is accepted. */
void htp_fetched_free(htp_fetched *fetched);

/** Bytes of the elements of a tensor, or of all in a list; 0 for types that are not read here. */
size_t htp_array_bytes(const htp_array *array);

/** The element type of a tensor, or of the tensors in a list; 0 for a list without any. */
int32_t htp_array_type(const htp_array *array);

#endif
