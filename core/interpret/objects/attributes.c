#include "interpret/objects/attributes.h"

#include "interpret/operators/message.h"

#include <string.h>

/* ---- positions of objects in the archive ---- */

/* Records an object's position. The first one counts; it may be found again under other names. */
static void note_holder(htp_machine *m, uint32_t object, const htp_holder *holder)
{
    uint32_t place = (uint32_t)m->state.holder_list.count + 1;
    if (htp_map_add_bytes(m->arena, &m->state.holders, &object, sizeof(object), &place)) {
        HTP_PUSH(m->arena, &m->state.holder_list, *holder);
    }
}

bool htp_attribute_holder(htp_machine *m, uint32_t object, htp_holder *holder)
{
    uint32_t place = 0;
    if (htp_map_get_bytes(&m->state.holders, &object, sizeof(object), &place)) {
        *holder = m->state.holder_list.items[place - 1];
        return true;
    }
    uint32_t module = htp_instances_module(m->instances, object);
    if (module == HTP_NONE) {
        return false;
    }
    *holder = (htp_holder){module, m->modules[module].path};
    note_holder(m, object, holder);
    return true;
}

static void note_storage(htp_machine *m, uint64_t storage, const char *name)
{
    uint32_t place = (uint32_t)m->state.storage_names.count + 1;
    if (htp_map_add_bytes(m->arena, &m->state.storages, &storage, sizeof(storage), &place)) {
        HTP_PUSH(m->arena, &m->state.storage_names, HTP_NEW(m->arena, struct htp_storage_names));
    }
    struct htp_storage_names *names = m->state.storage_names.items[place - 1];
    uint32_t number = (uint32_t)names->all.count;
    const void **key = htp_map_add_bytes(m->arena, &names->known, name, strlen(name), &number);
    if (key) {
        *key = name;
        HTP_PUSH(m->arena, &names->all, name);
    }
}

/* Records objects within an attribute of the archive, and the owners of its tensors' memory. */
static void note_held(htp_machine *m, uint32_t module, const char *name, uint32_t number)
{
    const htp_program_data data = m->program->data[number];
    const htp_holder holder = {module, name};
    bool is_dict = data.kind == HTP_DATA_DICT;
    switch (data.kind) {
    case HTP_DATA_OBJECT:
        note_holder(m, data.object, &holder);
        break;
    case HTP_DATA_TENSOR:
        note_storage(m, data.tensor->storage, name);
        break;
    case HTP_DATA_LIST:
    case HTP_DATA_TUPLE:
    case HTP_DATA_DICT: /* its values */
        for (uint32_t i = is_dict; i < data.element_count; i += is_dict ? 2 : 1) {
            unsigned at = is_dict ? i / 2 : i;
            note_held(m, module, htp_arena_printf(m->arena, "%s.%u", name, at), data.elements[i]);
        }
        break;
    default:
        break;
    }
}

/* ---- the archive's attributes ---- */

const char *htp_attribute_name(htp_machine *m, const char *holder, htp_object_attribute attribute)
{
    const htp_program_object *object = &m->program->objects[attribute.object];
    const htp_program_class *type = &m->program->classes[object->class_number];
    return htp_arena_join(m->arena, holder, *holder ? "." : "", type->attributes[attribute.slot]);
}

/* The key of a name in a class; @p kind separates attributes from methods. */
static const char *key_of(htp_machine *m, uint32_t class_number, char kind, const char *name)
{
    return htp_arena_printf(m->arena, "%u%c%s", class_number, kind, name);
}

bool htp_class_find(htp_machine *m, uint32_t class_number, htp_class_names names, const char *name,
                    uint32_t *place)
{
    enum { FEW = 24 }; /* for so few a scan is faster than a map */
    if (names.count <= FEW) {
        for (*place = 0; *place < names.count; ++*place) {
            if (strcmp(names.names[*place], name) == 0) {
                return true;
            }
        }
        return false;
    }
    const char *key = key_of(m, class_number, names.kind, name);
    if (htp_map_get(&m->state.class_names, key, place)) {
        return true;
    }
    for (uint32_t i = names.count; i-- > 0;) {
        htp_map_set(m->arena, &m->state.class_names,
                    key_of(m, class_number, names.kind, names.names[i]), i);
    }
    return htp_map_get(&m->state.class_names, key, place);
}

htp_outcome htp_attribute_slot(htp_machine *m, uint32_t object, const char *name, uint32_t *slot)
{
    const uint32_t number = m->program->objects[object].class_number;
    const htp_program_class *type = &m->program->classes[number];
    const htp_class_names attributes = {'.', type->attributes, type->attribute_count};
    return htp_class_find(m, number, attributes, name, slot)
               ? HTP_GOES_ON
               : htp_machine_stop(m, HTP_FAILS, "%s does not have an attribute with name '%s'",
                                  type->name, name);
}

static htp_outcome load_slot(htp_machine *m, htp_object_attribute attribute, uint32_t *data)
{
    htp_error error = {{0}};
    htp_shim_code code =
        m->program->load_slot(m->program, attribute.object, attribute.slot, data, &error);
    if (code == HTP_SHIM_OK) {
        return HTP_GOES_ON;
    }
    htp_outcome outcome = code == HTP_SHIM_INTERNAL ? HTP_BREAKS : HTP_FAILS;
    htp_message_shorten(&error);
    return htp_machine_stop(m, outcome, "%s", error.message);
}

htp_outcome htp_attribute_loaded(htp_machine *m, htp_object_attribute attribute, htp_item **item)
{
    uint32_t number = HTP_NONE;
    HTP_DO(load_slot(m, attribute, &number));
    uint32_t weight = htp_instances_weight(m->instances, number);
    return weight != HTP_NONE ? htp_constant_weight(m, weight, item)
                              : htp_constant_of(m, number, item);
}

htp_outcome htp_attribute_note(htp_machine *m, htp_object_attribute attribute,
                               const htp_holder *holder, const char *name)
{
    uint32_t number = HTP_NONE;
    note_holder(m, attribute.object, holder);
    HTP_DO(load_slot(m, attribute, &number));
    note_held(m, holder->module, name, number);
    return HTP_GOES_ON;
}

/* ---- reads and changes by the call ---- */

static void let_change(htp_machine *m, htp_item *item, bool is_late)
{
    item->is_late = item->is_late || is_late;
    htp_storage_let_change(m, item);
    for (size_t i = 0; i < item->elements.count; i++) {
        let_change(m, item->elements.items[i], is_late);
    }
}

/* Loads an attribute, which the call may change from now on. */
static htp_outcome load(htp_machine *m, htp_object_attribute attribute, const htp_holder *holder,
                        htp_item **item)
{
    bool is_late = m->state.journals.count > 0;
    HTP_DO(htp_attribute_loaded(m, attribute, item));
    const char *name = htp_attribute_name(m, holder->path, attribute);
    HTP_DO(htp_attribute_note(m, attribute, holder, name));
    let_change(m, *item, is_late);
    if (is_late) {
        HTP_PUSH(m->arena, &m->state.late, attribute);
    }
    htp_attributes_set(m, &m->state.before, attribute, htp_item_as_given(m, *item));
    htp_attributes_set(m, &m->state.attributes, attribute, *item);
    return HTP_GOES_ON;
}

htp_outcome htp_attributes_load_early(htp_machine *m, const htp_object_attribute *attributes,
                                      const htp_holder *holders, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool has = false;
        htp_item *item = htp_attributes_find(&m->state.attributes, attributes[i], &has);
        if (!has) {
            HTP_DO(load(m, attributes[i], &holders[i], &item));
        }
    }
    return HTP_GOES_ON;
}

/* ---- operators ---- */

/* The attribute that a node names. */
static htp_outcome find_attribute(htp_machine *m, const htp_step *step, const char *what,
                                  htp_object_attribute *attribute)
{
    const htp_item *self = step->inputs.items[0];
    if (self->kind != HTP_ITEM_OBJECT) {
        return htp_machine_stop(m, HTP_UNSUPPORTED,
                                "an attribute is %s something that is no object", what);
    }
    attribute->object = self->object;
    return htp_attribute_slot(m, self->object, step->node->name, &attribute->slot);
}

/* Whether the call created an object: then only the call sets its attributes. */
static bool is_made(const htp_machine *m, uint32_t object)
{
    return htp_map_get_bytes(&m->state.made, &object, sizeof(object), NULL);
}

htp_outcome htp_do_get_attr(htp_machine *m, htp_step *step, htp_items *outputs)
{
    htp_object_attribute attribute = {0};
    htp_holder holder;
    bool has = false;
    HTP_DO(find_attribute(m, step, "read from", &attribute));
    htp_item *item = htp_attributes_find(&m->state.attributes, attribute, &has);
    if (!has && htp_attribute_holder(m, attribute.object, &holder)) {
        HTP_DO(load(m, attribute, &holder, &item));
    } else if (!has && is_made(m, attribute.object)) {
        return htp_machine_refuse(m, &step->place,
                                  "an attribute is read that was set in a branch or loop first");
    } else if (!has) {
        HTP_DO(htp_attribute_loaded(m, attribute, &item));
        htp_attributes_set(m, &m->state.attributes, attribute, item);
    }
    htp_items_push(m, outputs, item);
    return HTP_GOES_ON;
}

htp_outcome htp_do_set_attr(htp_machine *m, htp_step *step, htp_items *outputs)
{
    htp_object_attribute attribute = {0};
    htp_holder holder;
    bool has = false;
    (void)outputs;
    HTP_DO(find_attribute(m, step, "set of", &attribute));
    htp_item *before = htp_attributes_find(&m->state.attributes, attribute, &has);
    if (!has && htp_attribute_holder(m, attribute.object, &holder)) {
        /* The other side of a branch may need it. */
        HTP_DO(load(m, attribute, &holder, &before));
    } else if (!has && !is_made(m, attribute.object)) {
        return htp_machine_refuse(m, &step->place,
                                  "an object that no attribute of a module holds is changed");
    }
    htp_attribute_set(m, attribute, step->inputs.items[1]);
    return HTP_GOES_ON;
}

htp_outcome htp_do_create_object(htp_machine *m, htp_step *step, htp_items *outputs)
{
    const htp_program_function *function = &step->frame->code->function;
    uint32_t number = function->values[step->node->outputs[0]].type;
    const htp_program_type type = m->program->types[number];
    if (type.kind != HTP_TYPE_CLASS) {
        return htp_machine_stop(m, HTP_FAILS, "%s is no class of objects", type.text);
    }
    htp_item *item = htp_item_make(m, HTP_ITEM_OBJECT);
    item->object = m->runner->make_object(m->runner->self, type.class_number);
    if (item->object == HTP_NONE) {
        return htp_machine_stop(m, HTP_BREAKS, "out of memory");
    }
    htp_map_set_bytes(m->arena, &m->state.made, &item->object, sizeof(item->object), true);
    htp_items_push(m, outputs, item);
    return HTP_GOES_ON;
}
