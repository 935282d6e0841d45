/*
 * Who may read models and their data files.
 */
#include "publication_fixture.h"

#include "onnx/files/permissions.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/xattr.h>

static unsigned mode_of(const char *name)
{
    return facts_of(name).st_mode & 07777;
}

UNIT_TEST(files_keep_their_modes)
{
    static const mode_t modes[] = {0600, 0640, 0644, 0664, 0666, 0755, 0620};
    begin(arena);
    mode_t before = umask(022);
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        const char *data = publish(0, HTP_EXTERNAL_ALWAYS);
        ck_assert_uint_eq(mode_of("m.onnx"), 0644);
        ck_assert_uint_eq(mode_of(data), 0644);
        ck_assert_int_eq(chmod(at("m.onnx"), modes[i]), 0);
        ck_assert_int_eq(chmod(at(data), 0604), 0);
        data = publish(1, HTP_EXTERNAL_ALWAYS);
        ck_assert_uint_eq(mode_of("m.onnx"), modes[i]);
        ck_assert_uint_eq(mode_of(data), 0604);
        (void)publish(1, HTP_EXTERNAL_NEVER);
        ck_assert_uint_eq(mode_of("m.onnx"), modes[i]);
        data = publish(1, HTP_EXTERNAL_ALWAYS); /* the mode of the old data file */
        ck_assert_uint_eq(mode_of(data), modes[i]);
        (void)scratch_clear();
    }
    write_text(at("m.onnx.data"), "stale");
    ck_assert_int_eq(chmod(at("m.onnx.data"), 0600), 0);
    (void)publish(0, HTP_EXTERNAL_ALWAYS);
    ck_assert_uint_eq(mode_of("m.onnx"), 0644);
    ck_assert_uint_eq(mode_of("m.onnx.data"), 0600);
    (void)umask(before);
    (void)scratch_clear();
    scratch_remove();
}

UNIT_TEST(files_keep_their_owners)
{
    begin(arena);
    if (geteuid() == 0) {
        const char *data = publish(0, HTP_EXTERNAL_ALWAYS);
        ck_assert_int_eq(chown(at("m.onnx"), NOBODY, 7), 0);
        ck_assert_int_eq(chown(at(data), 8, NOBODY), 0);
        ck_assert_int_eq(chmod(at("m.onnx"), 0640), 0);
        data = publish(1, HTP_EXTERNAL_ALWAYS);
        ck_assert_uint_eq(facts_of("m.onnx").st_uid, NOBODY);
        ck_assert_uint_eq(facts_of("m.onnx").st_gid, 7);
        ck_assert_uint_eq(mode_of("m.onnx"), 0640);
        ck_assert_uint_eq(facts_of(data).st_uid, 8);
        ck_assert_uint_eq(facts_of(data).st_gid, NOBODY);
    }
    (void)scratch_clear();
    scratch_remove();
}

/* If a file cannot be given to its group, its group gets no permissions. */
UNIT_TEST(another_group_gets_nothing)
{
    begin(arena);
    if (geteuid() == 0) {
        write_text(at("old"), "");
        ck_assert_int_eq(chown(at("old"), 7, 7), 0);
        ck_assert_int_eq(chmod(at("old"), 0664), 0);
        ck_assert_int_eq(chmod(scratch_folder, 0755), 0);
        int fd = open(at("new"), O_RDWR | O_CREAT, 0600);
        ck_assert_int_ge(fd, 0);
        ck_assert_int_eq(fchown(fd, NOBODY, NOBODY), 0);
        ck_assert_int_eq(seteuid(NOBODY), 0);
        htp_permissions_copy(at("old"), fd);
        ck_assert_int_eq(seteuid(0), 0);
        ck_assert_uint_eq(mode_of("new"), 0644);
        ck_assert_uint_eq(facts_of("new").st_uid, NOBODY);
        ck_assert_int_eq(close(fd), 0);
    }
    (void)scratch_clear();
    scratch_remove();
}

/* user::rw-, user:7:rw-, group::---, mask::rw-, other::---: read as group bits, the mask would
 * grant more. */
UNIT_TEST(files_keep_their_access_lists)
{
    static const unsigned char list[] = {2,   0,   0,   0,   1,   0,   6,  0,   255, 255, 255,
                                         255, 2,   0,   6,   0,   7,   0,  0,   0,   4,   0,
                                         0,   0,   255, 255, 255, 255, 16, 0,   6,   0,   255,
                                         255, 255, 255, 32,  0,   0,   0,  255, 255, 255, 255};
    unsigned char found[sizeof(list) + 1];
    begin(arena);
    (void)publish(0, HTP_EXTERNAL_AUTO);
    if (setxattr(at("m.onnx"), "system.posix_acl_access", list, sizeof(list), 0) == 0) {
        (void)publish(1, HTP_EXTERNAL_AUTO);
        ck_assert_uint_eq(mode_of("m.onnx"), 0660);
        ssize_t bytes = getxattr(at("m.onnx"), "system.posix_acl_access", found, sizeof(found));
        ck_assert_int_eq(bytes, sizeof(list));
        ck_assert_mem_eq(found, list, sizeof(list));
    } else {
        ck_assert_int_eq(errno, ENOTSUP);
    }
    (void)scratch_clear();
    scratch_remove();
}

/* No temporary file has more permissions than the final one. */
static bool check_modes(void *user, const htp_progress *progress)
{
    DIR *folder = opendir(scratch_folder);
    (void)progress;
    ck_assert_ptr_nonnull(folder);
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        struct stat facts;
        ck_assert_int_eq(fstatat(dirfd(folder), entry->d_name, &facts, AT_SYMLINK_NOFOLLOW), 0);
        if (S_ISREG(facts.st_mode)) {
            ck_assert_uint_eq(facts.st_mode & 0777 & ~*(const unsigned *)user, 0);
        }
    }
    (void)closedir(folder);
    return true;
}

UNIT_TEST(temporary_files_are_not_more_open)
{
    unsigned mode;
    begin(arena);
    mode_t before = umask(0);
    htp_writer_options options = {
        .external_data = HTP_EXTERNAL_ALWAYS, .progress = check_modes, .user = &mode};
    htp_writer_result result;
    for (int i = 0; i < 4; i++) {
        mode = i < 2 ? 0640 : 0600;
        const char *data = publish(2 * i, HTP_EXTERNAL_ALWAYS);
        ck_assert_int_eq(chmod(at("m.onnx"), mode), 0);
        ck_assert_int_eq(chmod(at(data), mode), 0);
        build(&f, 2 * i + 1);
        options.external_data = i % 2 ? HTP_EXTERNAL_NEVER : HTP_EXTERNAL_ALWAYS;
        ck_assert_ptr_null(htp_builder_write(f.model, NULL, at("m.onnx"), &options, &result));
        (void)scratch_clear();
    }
    (void)umask(before);
    scratch_remove();
}

UNIT_MAIN("permissions", files_keep_their_modes, files_keep_their_owners,
          another_group_gets_nothing, files_keep_their_access_lists,
          temporary_files_are_not_more_open)
