/*
 * Module instances and weights of a model, from the objects of its program; and the list of
 * weights, to which constants of the code are added.
 */
#ifndef HTP_INTERPRET_MACHINE_INSTANCES_H
#define HTP_INTERPRET_MACHINE_INSTANCES_H

#include "base/map.h"
#include "base/numbers.h"
#include "interpret/trace/instances.h"

#include <htp/program.h>

typedef HTP_VECTOR(htp_weight) htp_weights;

/** Modules and weights in an archive. All zeros: none. */
typedef struct htp_instances {
    HTP_VECTOR(htp_instance) modules;
    htp_numbers objects;   /* by module: its object in the program */
    htp_numbers by_object; /* by object: 1 + the module; 0: none */
    htp_weights weights;
    htp_numbers data;    /* by weight: its data in the program */
    htp_numbers by_data; /* by data: 1 + the weight; 0: none */
    htp_map storages;    /* storage in the program -> storage of weights */
} htp_instances;

/** Adds the module of object @p object. @return its number */
uint32_t htp_instances_add_module(htp_arena *arena, htp_instances *instances,
                                  const htp_instance *module, uint32_t object);

/** Adds a weight: @p named has its name and owner, @p tensor the rest. @param data  its number in
 * the program */
void htp_instances_add_weight(htp_arena *arena, htp_instances *instances, const htp_weight *named,
                              uint32_t data, const htp_tensor_view *tensor);

/** The module of an object; HTP_NONE if it is none. */
uint32_t htp_instances_module(const htp_instances *instances, uint32_t object);

/** The weight of data; HTP_NONE if it is none. */
uint32_t htp_instances_weight(const htp_instances *instances, uint32_t data);

/** The weights of a model, followed by constants of its code. */
typedef struct htp_weight_list {
    const htp_instances *of;
    htp_arena arena; /* owns added ones */
    htp_weights all;
    htp_map storages; /* of constants only */
} htp_weight_list;

/** A list of the model's weights; htp_weight_list_close() frees added ones. */
void htp_weight_list_open(htp_weight_list *list, const htp_instances *of);
void htp_weight_list_close(htp_weight_list *list);

/**
 * Adds a constant. The list may move; its old copy stays valid.
 * @return its number; HTP_NONE without memory
 */
uint32_t htp_weight_list_add(htp_weight_list *list, const htp_tensor_view *tensor);

#endif
