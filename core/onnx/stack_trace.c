#include "onnx/stack_trace.h"

#include "base/text.h"
#include "base/vector.h"
#include "onnx/names.h"

#include <string.h>

enum { LONGEST_STACK = 256, LONGEST_LINE = 1000 };

#define FORWARD "forward"
/* What calls the program in order to trace it. */
#define TRACER_FILE "torch/jit/_trace.py"

typedef struct frame {
    const char *file;
    const char *line; /* digits */
    const char *function;
    const char *text; /* NULL where not known */
} frame;

typedef struct stack {
    htp_arena *arena;
    const htp_shim_trace *trace;
    const char *method;       /* that was exported */
    HTP_VECTOR(frame) frames; /* the innermost first */
} stack;

/* The tracer names the second call of one module forward1, and so on. */
static bool is_forward(const char *function)
{
    size_t length = strlen(FORWARD);
    return strncmp(function, FORWARD, length) == 0 &&
           function[length + strspn(function + length, "0123456789")] == '\0';
}

static bool has_suffix(const char *string, const char *suffix)
{
    size_t length = strlen(string);
    size_t tail = strlen(suffix);
    return length >= tail && strcmp(string + length - tail, suffix) == 0;
}

static void add_frame(stack *s, frame added)
{
    if (s->frames.count < LONGEST_STACK) {
        HTP_PUSH(s->arena, &s->frames, added);
    }
}

/* ---- Python's stacks in traced files ---- */

/* Reads "FILE(LINE): FUNCTION". */
static bool read_frame(htp_arena *arena, const char *line, size_t length, frame *read)
{
    char *file = htp_arena_copy(arena, line, length);
    char *close = NULL;
    for (char *at = strstr(file, "): "); at; at = strstr(at + 1, "): ")) {
        close = at;
    }
    char *open = close;
    while (open && open > file && open[-1] >= '0' && open[-1] <= '9') {
        open--;
    }
    if (!close || open == close || open - file < 2 || open[-1] != '(') {
        return false;
    }
    open[-1] = '\0';
    *close = '\0';
    *read = (frame){file, open, close + strlen("): "), NULL};
    return true;
}

/* Adds the frames of forward() from a stack, or the innermost one where there is none. */
static void add_python_stack(stack *s, const char *text)
{
    size_t before = s->frames.count;
    frame innermost = {0};
    while (*text && s->frames.count < LONGEST_STACK) {
        size_t length = strcspn(text, "\n");
        frame read;
        bool is_read = read_frame(s->arena, text, length, &read);
        if (is_read && has_suffix(read.file, TRACER_FILE)) {
            break;
        }
        if (is_read &&
            (strcmp(read.function, FORWARD) == 0 || strcmp(read.function, s->method) == 0)) {
            add_frame(s, read);
        }
        innermost = is_read && !innermost.file ? read : innermost;
        text += length + (text[length] != '\0');
    }
    if (s->frames.count == before && innermost.file) {
        add_frame(s, innermost);
    }
}

/* ---- the chain of calls ---- */

static bool is_line(const char *text)
{
    return *text == ' ';
}

/* Adds the frames that a place tells of. */
static void add_place(stack *s, const htp_shim_call *place)
{
    const char *text = place->source_text ? place->source_text : "";
    if (*text && !is_line(text)) {
        add_python_stack(s, text);
        return;
    }
    const char *function = place->function && *place->function ? place->function : FORWARD;
    add_frame(s, (frame){.file = place->source_file,
                         .line = htp_arena_printf(s->arena, "%u", (unsigned)place->source_line),
                         .function = is_forward(function) ? FORWARD : function,
                         .text = *text ? text : NULL});
}

static const htp_shim_call *caller_of(const htp_shim_trace *trace, const htp_shim_call *place)
{
    return place->call ? &trace->calls[place->call - 1] : NULL;
}

/* Of what runs in one call of a module, the outermost place that is known counts: that in forward()
 * itself. */
static void add_chain(stack *s, const htp_shim_call *innermost)
{
    const htp_shim_call *known = *innermost->source_file ? innermost : NULL;
    for (const htp_shim_call *at = innermost; at; at = caller_of(s->trace, at)) {
        known = at->source_text && *at->source_text ? at : known;
        const htp_shim_call *caller = caller_of(s->trace, at);
        if (known && (!caller || caller->scope != at->scope)) {
            add_place(s, known);
            known = NULL;
        }
    }
}

static const char *find_method(const htp_shim_trace *trace, const htp_shim_call *place)
{
    const char *method = NULL;
    for (; place; place = caller_of(trace, place)) {
        method = place->function;
    }
    return method ? method : FORWARD;
}

/* ---- the text ---- */

static void add_line(htp_text *text, const char *line)
{
    static const char blanks[] = " \t\r\n\f\v";
    line += strspn(line, blanks);
    size_t length = strlen(line);
    while (length > 0 && strchr(blanks, line[length - 1])) {
        length--;
    }
    size_t kept = 0;
    while (kept < length && kept < LONGEST_LINE) {
        uint32_t code;
        size_t bytes = htp_text_utf8(line + kept, &code);
        kept += bytes ? bytes : 1;
    }
    if (kept > 0) {
        htp_text_add(text, "\n    ");
        htp_text_add_utf8(text, htp_arena_copy(text->arena, line, kept));
    }
}

static void add_text(htp_text *text, const frame *added)
{
    htp_text_add(text, text->length ? "\n  File \"" : "File \"");
    htp_text_add(text, htp_name_escape(text->arena, added->file));
    htp_text_add(text, "\", line ");
    htp_text_add(text, added->line);
    htp_text_add(text, ", in ");
    htp_text_add(text, htp_name_escape(text->arena, added->function));
    if (added->text) {
        add_line(text, added->text);
    }
}

const char *htp_stack_trace_make(htp_arena *arena, const htp_shim_trace *trace,
                                 const htp_shim_node *node)
{
    const htp_shim_call place = {.scope = node->scope,
                                 .source_file = node->source_file,
                                 .source_line = node->source_line,
                                 .source_text = node->source_text,
                                 .function = node->function,
                                 .call = node->call};
    stack s = {.arena = arena, .trace = trace, .method = find_method(trace, &place)};
    add_chain(&s, &place);
    htp_text text = {.arena = arena};
    for (size_t i = s.frames.count; i-- > 0;) {
        add_text(&text, &s.frames.items[i]);
    }
    return text.length ? htp_text_string(&text) : NULL;
}
