#include "interpret/objects/attributes.h"

htp_item *htp_attributes_find(const htp_attributes *all, htp_object_attribute attribute, bool *has)
{
    uint32_t place = 0;
    htp_item *value = htp_map_get_bytes(&all->places, &attribute, sizeof(attribute), &place)
                          ? all->all.items[place].value
                          : NULL;
    *has = value != NULL;
    return value;
}

void htp_attributes_set(htp_machine *m, htp_attributes *all, htp_object_attribute attribute,
                        htp_item *value)
{
    uint32_t place = (uint32_t)all->all.count;
    const void **key =
        htp_map_add_bytes(m->arena, &all->places, &attribute, sizeof(attribute), &place);
    if (!key) {
        all->all.items[place].value = value;
        return;
    }
    *key = htp_arena_copy(m->arena, &attribute, sizeof(attribute));
    HTP_PUSH(m->arena, &all->all, (htp_attribute_value){attribute, value});
}

void htp_attribute_set(htp_machine *m, htp_object_attribute attribute, htp_item *value)
{
    if (m->state.journals.count > 0) {
        htp_attributes *journal = m->state.journals.items[m->state.journals.count - 1];
        bool has = false;
        htp_item *before = htp_attributes_find(&m->state.attributes, attribute, &has);
        if (!htp_map_get_bytes(&journal->places, &attribute, sizeof(attribute), NULL)) {
            htp_attributes_set(m, journal, attribute, before);
        }
    }
    htp_attributes_set(m, &m->state.attributes, attribute, value);
}

htp_attributes htp_attributes_end_block(htp_machine *m)
{
    const htp_attributes *before = m->state.journals.items[--m->state.journals.count];
    htp_attributes after = {0};
    for (size_t i = 0; i < before->all.count; i++) {
        const htp_attribute_value *entry = &before->all.items[i];
        bool has = false;
        htp_item *left = htp_attributes_find(&m->state.attributes, entry->attribute, &has);
        if (entry->value) { /* NULL: the object was made in the block */
            htp_attributes_set(m, &after, entry->attribute, left);
        }
        htp_attributes_set(m, &m->state.attributes, entry->attribute, entry->value);
    }
    return after;
}
