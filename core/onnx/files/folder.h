/*
 * A folder that appears complete or not at all. It is made under a temporary name in the same
 * parent (onnx/files/temporary.h), and renamed when all files are in it. If the process is killed,
 * the next run that makes a folder there removes the temporary one.
 */
#ifndef HTP_ONNX_FOLDER_H
#define HTP_ONNX_FOLDER_H

#include "base/status.h"
#include "onnx/files/temporary.h"

#include <dirent.h>
#include <limits.h>

/** All zeroes: none. */
typedef struct htp_folder {
    char path[PATH_MAX]; /* the final path; symbolic links are resolved */
    htp_temporary *temporary;
    DIR *names; /* of the temporary folder, which it locks; kept, so that it can be emptied
                 * without memory */
} htp_folder;

/**
 * Makes the temporary folder, and removes those that dead runs left.
 * @param path  the final path, where nothing exists, or an empty folder, which it replaces.
 * @return HTP_CODE_CANNOT_WRITE
 */
HTP_MUST_USE htp_status htp_folder_begin(htp_folder *folder, const char *path);

/** The path of a file @p name in the temporary folder. @return whether it fits */
bool htp_folder_file(const htp_folder *folder, const char *name, char path[PATH_MAX]);

/** Renames the folder to its final path, and puts that on disk. @return HTP_CODE_CANNOT_WRITE, also
 * if something exists there now */
HTP_MUST_USE htp_status htp_folder_publish(htp_folder *folder);

/** Removes the temporary folder and the files in it, if there still is one. */
void htp_folder_discard(htp_folder *folder);

#endif
