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
    uint64_t size;             /* its nodes with all calls inlined; 0: nobody asked yet */
    bool is_measured;          /* or under way */
} htp_static_function;

/** Names of a class. */
typedef struct htp_static_class {
    htp_map slots;
    htp_map methods; /* functions */
} htp_static_class;

/** A function on a path of calls from the method on, or the code of a fork. */
typedef struct htp_static_frame {
    uint32_t number;
    uint32_t call;     /* the frame of the call; of a fork that of the function around it */
    uint32_t function; /* of the program */
    const htp_program_function *code;
    uint32_t running;  /* HTP_NONE where it is not known */
    uint32_t *objects; /* by value; HTP_NONE if it is no object, or unknown */
    bool is_ambiguous; /* forks run one code on different objects */
} htp_static_frame;

/** A search. */
typedef struct htp_static_search {
    htp_arena *arena;
    const htp_program *program;
    const htp_static_watch *watch;
    htp_status failure;                          /* the search is over */
    HTP_VECTOR(htp_static_function *) functions; /* by number; NULL: not loaded */
    HTP_VECTOR(htp_static_class *) classes;      /* the same */
    HTP_VECTOR(htp_static_frame *) frames;       /* 0: the method; NULL where a call has none */
    HTP_VECTOR(htp_static_running) running;
    htp_map calls;   /* frames, by the frame and node that call */
    htp_map forks;   /* frames, by the frame of the call and the function */
    uint64_t looked; /* nodes so far */
    uint64_t walked; /* nodes of frames */
    uint32_t depth;  /* blocks under way */
} htp_static_search;

/* ---- code (static_code.c) ---- */

/** A function, loaded. @return NULL where the search is over */
htp_static_function *htp_static_load(htp_static_search *s, uint32_t number);

/** The callee of a call or fork. @param self  the object of a method call, which gives the class of
 * an interface; or HTP_NONE. @return HTP_NONE if unknown */
uint32_t htp_static_find_callee(htp_static_search *s, const htp_program_function *code,
                                const htp_program_node *node, uint32_t self);

/** The slot of an attribute. @return HTP_NONE where the class has none */
uint32_t htp_static_find_slot(htp_static_search *s, uint32_t class_number, const char *name);

/** Whether a value may be an object, of a class or behind an interface. */
bool htp_static_may_be_object(const htp_static_search *s, const htp_program_function *code,
                              uint32_t value);

/** Ends the search where a function calls itself, or is too large or too deep with all calls
 * inlined. */
void htp_static_measure(htp_static_search *s, uint32_t function);

/** Counts a visited node; @p size includes nodes that count with it. */
void htp_static_count(htp_static_search *s, uint64_t size);

/** One level of blocks more. @return false where the search is over; otherwise the caller lessens
 * the depth again */
bool htp_static_deepen(htp_static_search *s);

/* ---- frames (static_frames.c) ---- */

/** The frame of the method. @return NULL where the search is over, or it has no code */
htp_static_frame *htp_static_begin(htp_static_search *s);

/** The frame of a callee, created on first use. @return NULL if the node is no call, the callee is
 * unknown, or the analysis has ended */
htp_static_frame *htp_static_enter(htp_static_search *s, const htp_static_frame *caller,
                                   uint32_t node);

/** The frame of the function of a fork within a call; or NULL. */
htp_static_frame *htp_static_find_fork(const htp_static_search *s, const htp_static_frame *around,
                                       uint32_t function);

#endif
