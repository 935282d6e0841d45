/*
 * Shared parts of the call oracle: the analysis of a program, its code, and the frames of its
 * calls.
 */
#ifndef HTP_SOURCE_STATIC_FRAMES_H
#define HTP_SOURCE_STATIC_FRAMES_H

#include "base/map.h"
#include "base/vector.h"
#include "source/call_oracle/call_oracle.h"

/** A function of the program. */
typedef struct htp_static_function {
    htp_program_function code; /* a copy: the table may move */
    uint64_t size;             /* its nodes with all calls inlined; 0: not measured */
    bool is_measured;          /* or being measured */
} htp_static_function;

/** Names of a class, to numbers. */
typedef struct htp_static_class {
    htp_map slots;
    htp_map methods; /* functions */
} htp_static_class;

/** A function on one path of calls that begins with the method, or the code of a fork. */
typedef struct htp_static_frame {
    uint32_t number;
    uint32_t call;     /* the frame of the call; of a fork that of the function around it */
    uint32_t function; /* of the program */
    const htp_program_function *code;
    uint32_t running;  /* HTP_NONE: unknown */
    uint32_t *objects; /* by value; HTP_NONE: not an object, or unknown */
    bool is_ambiguous; /* forks run this code on different objects */
} htp_static_frame;

/** A search. */
typedef struct htp_static_search {
    htp_arena *arena;
    const htp_program *program;
    const htp_static_watch *watch;
    htp_status failure;                          /* ends the search */
    HTP_VECTOR(htp_static_function *) functions; /* by number; NULL: not loaded */
    HTP_VECTOR(htp_static_class *) classes;      /* likewise */
    HTP_VECTOR(htp_static_frame *) frames;       /* 0: the method; NULL: the callee is unknown */
    HTP_VECTOR(htp_static_running) running;
    htp_map calls;   /* from calling frame and node to frames */
    htp_map forks;   /* from frame of the call and function to frames */
    uint64_t looked; /* nodes visited so far */
    uint64_t walked; /* nodes visited in frames */
    uint32_t depth;  /* of nested blocks */
} htp_static_search;

/* ---- code (static_code.c) ---- */

/** Loads a function. @return NULL if the search has ended */
htp_static_function *htp_static_load(htp_static_search *s, uint32_t number);

/** The callee of a call or fork. @param self  the object of a method call, which gives the class of
 * an interface; or HTP_NONE. @return HTP_NONE if unknown */
uint32_t htp_static_find_callee(htp_static_search *s, const htp_program_function *code,
                                const htp_program_node *node, uint32_t self);

/** The slot of an attribute. @return HTP_NONE if the class has none */
uint32_t htp_static_find_slot(htp_static_search *s, uint32_t class_number, const char *name);

/** Whether a value may be an object: its type is a class or an interface. */
bool htp_static_may_be_object(const htp_static_search *s, const htp_program_function *code,
                              uint32_t value);

/** Ends the search if a function calls itself, or is too large or too deep with all calls inlined.
 */
void htp_static_measure(htp_static_search *s, uint32_t function);

/** Counts a visited node; @p size includes nodes that count with it. */
void htp_static_count(htp_static_search *s, uint64_t size);

/** Enters a level of blocks. @return false if the search has ended; otherwise the caller decrements
 * s->depth when it leaves */
bool htp_static_deepen(htp_static_search *s);

/* ---- frames (static_frames.c) ---- */

/** The frame of the method. @return NULL if the search has ended, or the method has no code */
htp_static_frame *htp_static_begin(htp_static_search *s);

/** The frame of a callee, created on first use. @return NULL if the node is not a call, the callee
 * is unknown, or the search has ended */
htp_static_frame *htp_static_enter(htp_static_search *s, const htp_static_frame *caller,
                                   uint32_t node);

/** The frame of the function of a fork within a call; or NULL. */
htp_static_frame *htp_static_find_fork(const htp_static_search *s, const htp_static_frame *around,
                                       uint32_t function);

#endif
