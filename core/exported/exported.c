#include "exported/exported.h"

static bool detect(const htp_archive *archive)
{
    return htp_archive_has(archive, "archive_format") ||
           htp_archive_has(archive, "serialized_exported_program.json");
}

static htp_status open_source(htp_source *source, const htp_source_options *options)
{
    (void)options;
    return htp_archive_refuse(source->path, &source->archive);
}

static void close_source(htp_source *source)
{
    source->self = NULL;
}

const htp_reader htp_exported_reader = {
    .name = "torch.export",
    .detect = detect,
    .open = open_source,
    .close = close_source,
};
