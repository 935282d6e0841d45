/*
 * The command line.
 */
#ifndef HTP_CLI_ARGUMENTS_H
#define HTP_CLI_ARGUMENTS_H

#include "cli/arguments/command_table.h"

#include <htp/htp.h>

/** When colour is used. */
typedef enum htp_cli_color {
    HTP_CLI_COLOR_AUTO, /* on a terminal that has it, and not with NO_COLOR set */
    HTP_CLI_COLOR_ALWAYS,
    HTP_CLI_COLOR_NEVER,
} htp_cli_color;

/** Everything but the arrays and `functions` is borrowed from argv. */
typedef struct htp_cli_arguments {
    htp_cli_command command;
    htp_cli_command about; /* the subject of HTP_CLI_HELP */
    htp_options options;
    const char **models;
    size_t model_count;
    const char *out;        /* NULL: none */
    const char *out_folder; /* NULL: none */
    const char *like;       /* the model that tags are taken from; NULL: none */
    unsigned keep;          /* HTP_TAG_..., tags that stay */
    bool quiet;
    bool json;             /* --json, with or without a file */
    const char *json_file; /* NULL: JSON takes the place of the text on stdout */
    bool print_tree;
    htp_cli_color color;
    const char **inputs; /* storage of options.inputs and others */
    const char **libraries;
    const char **limits;
    const char **custom_operators;
    htp_selection selection; /* storage of modules (also those to split at) and except */
    const char **modules;
    const char **except;
    int depth; /* -1: all levels */
    htp_drawing drawing;
    int format; /* of a drawing, htp_drawing_format; -1: given by the name of `out` */
    htp_profiling profiling;
    htp_verify_options verifying;
    bool cost;
    bool borders;
    const char *sizes;     /* of axes; NULL: none */
    const char *node_data; /* a file; NULL: none */
    int call;              /* -1: all of them */
    htp_replacing replacing;
    bool share_weights;
    int into;         /* 0: no number of parts */
    int time_limit;   /* seconds; 0: none */
    int memory_limit; /* MiB; 0: none */
    bool no_sandbox;
    int jobs; /* processes for several models; 0: one */
    htp_split_measure split_by;
    htp_quality_options quality; /* storage of against and fail_under */
    const char **against;
    const char **fail_under;
    const char *sidecar;    /* NULL: none; "": at its default path */
    const char **selectors; /* by occurrence of --functions; "": without a value */
    size_t selectors_count;
    const char *selectors_word; /* the last selector that was a separate word; NULL: none */
    char *functions;            /* storage of options.functions */
} htp_cli_arguments;

/** Reads the command line. @return false after one line on stderr: exit with HTP_CODE_USAGE. */
bool htp_cli_arguments_read(htp_cli_arguments *arguments, int argc, char **argv);

/**
 * Opens standard input and output where "-" stands for a file.
 * @return an exit code: HTP_CODE_OK, or another one after one line on stderr.
 */
int htp_cli_arguments_open(htp_cli_arguments *arguments);

/** Whether @p path is a file that the command reads, under whatever name. */
bool htp_cli_arguments_read_file(const htp_cli_arguments *arguments, const char *path);

/** Frees the arrays. */
void htp_cli_arguments_free(htp_cli_arguments *arguments);

#endif
