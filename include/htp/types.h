/*
 * Element types, limits and messages, for all headers between the core and libtorch.
 */
#ifndef HTP_TYPES_H
#define HTP_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** No index, wherever an index may be missing. */
#define HTP_NONE UINT32_MAX

#define HTP_MAX_LANES 4u
#define HTP_MAX_RANK 64u

/** Element types, in the order of at::ScalarType where that is stable. */
typedef enum htp_dtype {
    HTP_DTYPE_UINT8 = 0,
    HTP_DTYPE_INT8,
    HTP_DTYPE_INT16,
    HTP_DTYPE_INT32,
    HTP_DTYPE_INT64,
    HTP_DTYPE_FLOAT16,
    HTP_DTYPE_FLOAT32,
    HTP_DTYPE_FLOAT64,
    HTP_DTYPE_COMPLEX32,
    HTP_DTYPE_COMPLEX64,
    HTP_DTYPE_COMPLEX128,
    HTP_DTYPE_BOOL,
    HTP_DTYPE_BFLOAT16,
    HTP_DTYPE_OTHER, /**< quantised and other types without plain bytes */
    HTP_DTYPE_COUNT,
} htp_dtype;

/** The reason of a failure. Messages of libtorch may have several lines. */
typedef struct htp_error {
    char message[2048];
} htp_error;

/** Called now and then during a long call. @return false to stop it */
typedef bool (*htp_tick)(void *user, uint64_t done, uint64_t total);

#ifdef __cplusplus
}
#endif

#endif
