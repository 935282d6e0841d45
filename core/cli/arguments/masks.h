/*
 * Sets of commands, as rows of commands.def and options.def name them. Private to
 * core/cli/arguments.
 */
#ifndef HTP_CLI_MANUAL_MASKS_H
#define HTP_CLI_MANUAL_MASKS_H

#include "cli/arguments/command_table.h"

enum {
#define COMMAND(id, name, models, addresses, usage, summary, description)                          \
    ON_##id = 1 << HTP_CLI_##id,
#include "cli/arguments/commands.def"
    ON_TREE = ON_INSPECT | ON_GRAPH | ON_PROFILE,    /* show the module tree, or a part of it */
    ON_TRACED = ON_EXPORT | ON_INSPECT | ON_QUALITY, /* open PyTorch models */
    ON_EVERYTHING = (1 << HTP_CLI_DUMP_GRAPH) - 1,
};

#endif
