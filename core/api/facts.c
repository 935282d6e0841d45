/*
 * What the library says of itself.
 */
#include "lower/lower.h"
#include "source/torchscript.h"

const char *htp_stage_name(htp_stage stage)
{
    static const char *const names[] = {
        [HTP_STAGE_LOADED] = "loaded", [HTP_STAGE_INPUTS] = "inputs",
        [HTP_STAGE_TRACED] = "traced", [HTP_STAGE_LOWERED] = "lowered",
        [HTP_STAGE_TAGGED] = "tagged", [HTP_STAGE_WRITTEN] = "written",
    };
    _Static_assert(sizeof(names) / sizeof(names[0]) == HTP_STAGE_COUNT, "a name for each");
    return (unsigned)stage < HTP_STAGE_COUNT ? names[stage] : NULL;
}

size_t htp_operator_count(void)
{
    return htp_lower_operator_count();
}

const char *htp_operator_name(size_t index)
{
    return htp_lower_operator_name(index);
}

const char *htp_version(void)
{
    return HTP_VERSION;
}

htp_status htp_libtorch_version(const char **version)
{
    const htp_shim *shim = NULL;
    if (!version) {
        return htp_status_make(HTP_CODE_USAGE, "there is no place for the version");
    }
    *version = NULL;
    HTP_TRY(htp_torchscript_shim(&shim));
    *version = shim->libtorch_version;
    return HTP_OK;
}
