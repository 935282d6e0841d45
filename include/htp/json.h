/*
 * Options as JSON, for languages that do not have the structs of C.
 *
 *     htp_options *options = NULL;
 *     htp_status status = htp_options_from_json("{\"opset\": 17, \"eval\": true}", &options);
 *     ...
 *     htp_options_free(options);
 */
#ifndef HTP_JSON_H
#define HTP_JSON_H

#include <htp/export.h>
#include <htp/model.h>
#include <htp/replace.h>
#include <htp/status.h>
#include <htp/verify.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Each makes options with the defaults, and sets those that the JSON object names. A key is the
 * name of a field. Its value is a string, a number, true or false as the field is; for a list of
 * strings and its count, a list of strings, by the name of the list. For an enumeration, a word:
 * "auto", "always" or "never" for external_data; "cost", "weights" or "time" for by. For tags, a
 * list of words: "attribute", "metadata", "doc_string", "layer_ann". null is the default.
 * Callbacks, formats and options within options have no key.
 *
 * @param json     an object; NULL: all defaults
 * @param options  receives the options, freed with htp_options_free() together with their strings;
 *                 NULL on failure
 * @return HTP_CODE_USAGE for what is not JSON, for an unknown key, which the message names, and for
 *         a value of another kind
 */
HTP_API HTP_MUST_USE htp_status htp_options_from_json(const char *json, htp_options **options);
HTP_API HTP_MUST_USE htp_status htp_inspect_options_from_json(const char *json,
                                                              htp_inspect_options **options);
HTP_API HTP_MUST_USE htp_status htp_selection_from_json(const char *json, htp_selection **options);
HTP_API HTP_MUST_USE htp_status htp_validate_options_from_json(const char *json,
                                                               htp_validate_options **options);
HTP_API HTP_MUST_USE htp_status htp_verify_options_from_json(const char *json,
                                                             htp_verify_options **options);
HTP_API HTP_MUST_USE htp_status htp_quality_options_from_json(const char *json,
                                                              htp_quality_options **options);
HTP_API HTP_MUST_USE htp_status htp_extraction_from_json(const char *json,
                                                         htp_extraction **options);
HTP_API HTP_MUST_USE htp_status htp_splitting_from_json(const char *json, htp_splitting **options);
HTP_API HTP_MUST_USE htp_status htp_replacing_from_json(const char *json, htp_replacing **options);

/** Frees the options that one of these functions made; NULL is accepted. */
HTP_API void htp_options_free(void *options);

#ifdef __cplusplus
}
#endif

#endif
