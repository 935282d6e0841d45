/*
 * Replays the corpus without a fuzzer: calls each target with every file in CORPUS/TARGET, each in
 * a separate process. The last line is `N passed, N failed, N skipped`.
 *
 * replay [CORPUS] default: tests/fuzz/corpus, relative to the root of the repository
 */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS_EACH = 60 };

static const struct target {
    const char *name;
    void (*run)(const uint8_t *data, size_t size);
} targets[] = {
#define TARGET(name) {#name, fuzz_##name},
#include "targets.def"
#undef TARGET
};

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    *size = 0;
    for (size_t got = 1; file && got > 0; *size += got) {
        enum { STEP = 1 << 16 };
        data = realloc(data, *size + STEP);
        FUZZ_CHECK(data);
        got = fread(data + *size, 1, STEP, file);
    }
    FUZZ_CHECK(file && !ferror(file));
    (void)fclose(file);
    return data;
}

/* Whether a process that runs the target on the file ends normally. */
static bool replay(const struct target *target, const char *path)
{
    (void)fflush(stdout);
    pid_t process = fork();
    FUZZ_CHECK(process >= 0);
    if (process == 0) {
        size_t size;
        uint8_t *data = read_file(path, &size);
        (void)alarm(SECONDS_EACH);
        target->run(data, size);
        free(data);
        exit(EXIT_SUCCESS);
    }
    int state = 0;
    FUZZ_CHECK(waitpid(process, &state, 0) == process);
    return state == 0;
}

static int is_input(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void replay_all(const struct target *target, const char *folder, unsigned *passed,
                       unsigned *failed)
{
    char path[4096];
    struct dirent **entries = NULL;
    (void)snprintf(path, sizeof(path), "%s/%s", folder, target->name);
    int count = scandir(path, &entries, is_input, alphasort);
    if (count <= 0) {
        (void)printf("  FAILED  %s: there are no inputs in %s\n", target->name, path);
        *failed += 1;
    }
    for (int i = 0; i < count; i++) {
        (void)snprintf(path, sizeof(path), "%s/%s/%s", folder, target->name, entries[i]->d_name);
        bool is_good = replay(target, path);
        *(is_good ? passed : failed) += 1;
        if (!is_good) {
            (void)printf("  FAILED  %s: %s\n", target->name, path);
        }
        free(entries[i]);
    }
    free(entries);
}

int main(int argc, char **argv)
{
    unsigned passed = 0;
    unsigned failed = 0;
    for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
        replay_all(&targets[i], argc > 1 ? argv[1] : "tests/fuzz/corpus", &passed, &failed);
    }
    (void)printf("%u passed, %u failed, 0 skipped\n", passed, failed);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
