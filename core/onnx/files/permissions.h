/*
 * Permissions of a file that replaces another one.
 */
#ifndef HTP_ONNX_PERMISSIONS_H
#define HTP_ONNX_PERMISSIONS_H

/**
 * Gives the open file @p fd, so far private to its owner, the owner, group, access control list and
 * mode of the file at @p path. If owner or group cannot be set, the group gets only the rights of
 * others. The file is never more open in between. Sticky and set-id bits are left out.
 */
void htp_permissions_copy(const char *path, int fd);

#endif
