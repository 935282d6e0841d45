#include "cli/arguments/suggestion.h"

#include "cli/arguments/option_table.h"

#include <string.h>

enum {
    LONGEST = 40, /* words beyond it have no suggestion */
    NEAR = 4,     /* one edit, and one more for so many letters */
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/*
 * Insertions, deletions, substitutions and swaps of neighbours that make one word the other.
 *
 * Reference: Damerau, A technique for computer detection and correction of spelling errors.
 */
static size_t measure_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t edits[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= a_length; i++) {
        for (size_t k = 0; k <= b_length; k++) {
            if (i == 0 || k == 0) {
                edits[i][k] = i + k;
                continue;
            }
            size_t changed = edits[i - 1][k - 1] + (a[i - 1] != b[k - 1]);
            size_t shorter = least(edits[i - 1][k], edits[i][k - 1]) + 1;
            edits[i][k] = least(changed, shorter);
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1]) {
                edits[i][k] = least(edits[i][k], edits[i - 2][k - 2] + 1);
            }
        }
    }
    return edits[a_length][b_length];
}

/* The nearest name so far. */
struct nearest {
    const char *word;
    size_t length;
    const char *name;
    size_t distance; /* a name must be nearer than this */
};

static struct nearest begin(const char *word, size_t length)
{
    return (struct nearest){word, length, NULL, length / NEAR + 2};
}

static void consider(struct nearest *nearest, const char *name)
{
    size_t length = strlen(name);
    if (nearest->length > LONGEST || length > LONGEST) {
        return;
    }
    size_t distance = measure_distance(nearest->word, nearest->length, name, length);
    if (distance < nearest->distance) {
        nearest->name = name;
        nearest->distance = distance;
    }
}

const char *htp_cli_command_suggest(const char *word)
{
    struct nearest nearest = begin(word, strlen(word));
    for (int i = HTP_CLI_EXPORT + 1; i < HTP_CLI_DUMP_GRAPH; i++) {
        consider(&nearest, htp_cli_command_find((htp_cli_command)i)->name);
    }
    return nearest.name;
}

const char *htp_cli_option_suggest(const char *option, htp_cli_command command)
{
    size_t count = 0;
    const htp_cli_option_row *rows = htp_cli_option_rows(&count);
    const char *word = option + strspn(option, "-");
    struct nearest nearest = begin(word, strcspn(word, "="));
    for (size_t i = 0; i < count; i++) {
        if ((rows[i].commands | rows[i].also) & htp_cli_command_bit(command)) {
            consider(&nearest, rows[i].name);
        }
    }
    return nearest.distance > 0 ? nearest.name : NULL;
}
