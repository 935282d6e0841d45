#include "api/readers.h"

#include "exported/exported.h"
#include "source/torchscript/torchscript.h"

const htp_reader *const htp_readers[] = {
    &htp_torchscript_reader,
    &htp_exported_reader,
    NULL,
};
