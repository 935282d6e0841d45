#include "source/reader.h"

#include "source/contents/contents.h"

htp_status htp_reader_find(const htp_reader *const *readers, const char *path, htp_archive *archive,
                           const htp_reader **reader)
{
    HTP_TRY(htp_archive_open(path, archive));
    for (size_t i = 0; readers[i]; i++) {
        if (readers[i]->detect(archive)) {
            *reader = readers[i];
            return HTP_OK;
        }
    }
    return htp_archive_refuse(path, archive);
}

htp_status htp_source_open(htp_source *source, htp_arena *arena, const char *path,
                           const htp_reader *const *readers, const htp_source_options *options)
{
    source->arena = arena;
    source->path = path;
    HTP_TRY(htp_reader_find(readers, path, &source->archive, &source->reader));
    return source->reader->open(source, options);
}

void htp_source_close(htp_source *source, bool leaves_memory)
{
    htp_archive_close(&source->archive);
    htp_input_file_close(&source->file);
    if (source->reader && !leaves_memory) {
        source->reader->close(source);
        source->reader = NULL;
    }
}

const char *htp_source_read(htp_source *source, const char *name, size_t *bytes)
{
    size_t ignored = 0;
    return htp_archive_read(source->arena, &source->archive, source->file.fd, name,
                            bytes ? bytes : &ignored);
}

void htp_source_list_methods(const htp_source *source, uint32_t module, const char *const **names,
                             uint32_t *count)
{
    source->reader->list_methods(source, module, names, count);
}

htp_status htp_source_choose_method(htp_source *source, uint32_t module, const char *method)
{
    source->module = module;
    source->method = method;
    return htp_status_prefix(source->reader->choose_method(source, module, method), source->path);
}

htp_status htp_source_find_operators(const htp_source *source, const htp_named_operator **operators,
                                     uint32_t *count)
{
    return htp_status_prefix(source->reader->find_operators(source, operators, count),
                             source->path);
}

htp_status htp_source_find_hints(const htp_source *source, const htp_hint **hints, uint32_t *count)
{
    *hints = NULL;
    *count = 0;
    return source->reader->find_hints
               ? htp_status_prefix(source->reader->find_hints(source, hints, count), source->path)
               : HTP_OK;
}

void htp_source_find_axes(const htp_source *source, htp_axes *axes)
{
    if (source->reader->find_axes) {
        source->reader->find_axes(source, axes);
    }
}

bool htp_source_find_bounds(const htp_source *source, htp_inputs *inputs)
{
    return source->reader->find_bounds && source->reader->find_bounds(source, inputs);
}

htp_status htp_source_find_inputs(htp_source *source, const htp_input **inputs, uint32_t *count)
{
    *inputs = NULL;
    *count = 0;
    return htp_status_prefix(source->reader->find_inputs(source, inputs, count), source->path);
}

htp_status htp_source_find_calls(const htp_source *source, htp_arena *arena, htp_watch *watch,
                                 htp_source_calls *calls)
{
    *calls = (htp_source_calls){.running = NULL};
    if (!source->reader->find_calls) {
        return htp_status_make(HTP_CODE_UNSUPPORTED,
                               "%s: its calls cannot be followed on a second path", source->path);
    }
    htp_status status = source->reader->find_calls(source, arena, watch, calls);
    return watch->is_interrupted ? status : htp_status_prefix(status, source->path);
}

htp_status htp_source_trace(htp_source *source, const htp_trace_request *request,
                            htp_trace_result *result)
{
    return source->reader->trace(source, request, result);
}
