#include "hierarchy/relation.h"

#include <string.h>

const char *htp_relation_tag(const char *tag, const char *call)
{
    size_t length = strlen(call);
    if (strncmp(tag, call, length) != 0) {
        return tag;
    }
    return tag[length] == '\0' ? "." : tag[length] == '/' ? tag + length + 1 : tag;
}

const char *htp_relation_path(const char *path, const char *call)
{
    size_t length = strlen(call);
    if (strncmp(path, call, length) != 0) {
        return NULL;
    }
    if (length == 0 || path[length] == '\0') {
        return path + length;
    }
    return path[length] == '.' ? path + length + 1 : NULL;
}
