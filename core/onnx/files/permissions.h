/*
 * Who may read and write a file that takes another one's place.
 */
#ifndef HTP_ONNX_PERMISSIONS_H
#define HTP_ONNX_PERMISSIONS_H

/**
 * Gives the open file @p fd, that nobody but its owner may read or write so far, the owner, group,
 * access control list and mode of the file at @p path. Where the owner or group cannot be given
 * (they are another user's), nobody gets more than there: the group then may do what all may. It is
 * never more open on the way. Sticky and set-id bits are left out.
 */
void htp_permissions_copy(const char *path, int fd);

#endif
