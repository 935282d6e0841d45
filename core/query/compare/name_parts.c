#include "query/compare/name_parts.h"

#include <ctype.h>
#include <string.h>

/* Names may be hostile: length and number of look-ups are bounded. */
enum { LONGEST = 512, MAX_TRIES = 256 };

static bool may_end(const char *name, size_t begin, size_t end)
{
    unsigned char next = (unsigned char)name[end];
    return next == '\0' || (!isalnum(next) && next != '_') ||
           (next == '_' && memchr(name + begin, '/', end - begin));
}

htp_slice htp_name_longest_part(const char *name, htp_name_is_known *is_known, void *user)
{
    htp_slice best = {name, 0};
    size_t tries = 0;
    size_t length = strnlen(name, LONGEST);
    for (size_t begin = 0; begin < length; begin++) {
        bool is_begin = begin == 0 || name[begin - 1] == ' ';
        for (size_t end = length; is_begin && end > begin + best.length; end--) {
            if (may_end(name, begin, end) && tries++ < MAX_TRIES &&
                is_known(user, name + begin, end - begin)) {
                best = (htp_slice){name + begin, end - begin};
            }
        }
    }
    return best;
}
