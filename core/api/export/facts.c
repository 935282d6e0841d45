/*
 * Facts about the library.
 */
#include "lower/driver/lower.h"
#include "lower/emit/table.h"
#include "report/tree/table.h"
#include "source/torchscript/shim_loader.h"

size_t htp_operator_count(void)
{
    return htp_table_count();
}

const char *htp_operator_name(size_t index)
{
    return htp_table_name(index);
}

const char *htp_version(void)
{
    return HTP_VERSION;
}

void htp_text_set_columns(size_t columns)
{
    htp_report_set_columns(columns);
}

htp_status htp_libtorch_version(const char **version)
{
    const htp_shim *shim = NULL;
    if (!version) {
        return htp_status_make(HTP_CODE_USAGE, "there is no place for the version");
    }
    *version = NULL;
    HTP_TRY(htp_shim_load(NULL, &shim));
    *version = shim->libtorch_version;
    return HTP_OK;
}
