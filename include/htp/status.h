/*
 * The status that functions of the library return: NULL for success.
 */
#ifndef HTP_STATUS_H
#define HTP_STATUS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HTP_MUST_USE __attribute__((warn_unused_result))
#define HTP_API __attribute__((visibility("default")))
#else
#define HTP_MUST_USE
#define HTP_API
#endif

/** The kind of a result; the numbers are the program's exit codes. */
typedef enum htp_code {
    HTP_CODE_OK = 0,
    HTP_CODE_INTERNAL = 1,      /**< a defect, or out of memory */
    HTP_CODE_USAGE = 2,         /**< bad options, or inputs that do not fit the model */
    HTP_CODE_BAD_INPUT = 3,     /**< a file is not readable, or not a valid model */
    HTP_CODE_UNSUPPORTED = 4,   /**< the model uses an operator that cannot be exported */
    HTP_CODE_CANNOT_WRITE = 5,  /**< the output could not be written */
    HTP_CODE_FOUND = 6,         /**< only of the program: a check has findings */
    HTP_CODE_INTERRUPTED = 130, /**< the caller asked to stop */
} htp_code;

/**
 * The result of a fallible function: NULL for success, otherwise a failure that the caller owns and
 * frees with htp_status_free().
 */
typedef struct htp_status_detail *htp_status;

#define HTP_OK ((htp_status)0)

/** The code of a status; HTP_CODE_OK for NULL. Does not consume the status. */
HTP_API htp_code htp_status_code(htp_status status);

/**
 * One line: what went wrong, where, and what to do. "" for NULL. Valid until the status is freed.
 * An unsupported model has further lines, see htp_status_detail_line().
 */
HTP_API const char *htp_status_message(htp_status status);

/** The number of detail lines (for example one for each unsupported operator); 0 for NULL. */
HTP_API size_t htp_status_detail_count(htp_status status);

/** Detail line @p index; valid until the status is freed. NULL when out of range. */
HTP_API const char *htp_status_detail_line(htp_status status, size_t index);

/** Frees a status; NULL is accepted. */
HTP_API void htp_status_free(htp_status status);

/** Frees a string that the library returned; NULL is accepted. */
HTP_API void htp_string_free(char *string);

#ifdef __cplusplus
}
#endif

#endif
