#include "onnx/serialize/encode_nested.h"

#include "base/text.h"

/* Parts of one message, packed consecutively. */
typedef struct packed {
    ProtobufCBuffer base;
    htp_text bytes;
} packed;

static void append(ProtobufCBuffer *buffer, size_t count, const uint8_t *bytes)
{
    htp_text_add_bytes(&((packed *)buffer)->bytes, (const char *)bytes, count);
}

static void add_piece(packed *p, const ProtobufCMessage *message)
{
    (void)protobuf_c_message_pack_to_buffer(message, &p->base);
}

static void *allocate(void *arena, size_t bytes)
{
    return htp_arena_alloc(arena, bytes);
}

static void keep(void *arena, void *memory)
{
    (void)arena;
    (void)memory;
}

/* Nodes and types by nested graph, in the order of the model. */
typedef struct contents {
    HTP_VECTOR(uint32_t) nodes;
    HTP_VECTOR(htp_tensor_id) typed;
} contents;

static contents *list_contents(const htp_builder *model)
{
    contents *lists = HTP_NEW_ARRAY(model->arena, contents, model->graphs.count);
    for (size_t i = 0; i < model->nodes.count; i++) {
        const htp_onnx_node *node = &model->nodes.items[i];
        if (node->graph == 0) {
            continue;
        }
        HTP_PUSH(model->arena, &lists[node->graph - 1].nodes, (uint32_t)i);
        for (uint32_t k = 0; k < node->output_count; k++) {
            if (htp_encode_has_value_info(model, node->outputs[k])) {
                HTP_PUSH(model->arena, &lists[node->graph - 1].typed, node->outputs[k]);
            }
        }
    }
    return lists;
}

/* Adds the parts of a body's GraphProto. Its name is made of the node's and the attribute's, so it
 * is unique and can be derived from the node's (onnx/inliner/inline.h). */
static void add_graph(packed *p, htp_encoder *encoder, const htp_builder *model,
                      const htp_onnx_node *owner, const htp_attribute *attribute,
                      const contents *content)
{
    const htp_nested_graph *graph = &model->graphs.items[attribute->i - 1];
    for (size_t i = 0; i < content->nodes.count; i++) {
        add_piece(p, htp_encode_node(encoder, content->nodes.items[i]));
    }
    Htp__Onnx__GraphProto name = HTP__ONNX__GRAPH_PROTO__INIT;
    name.name = htp_arena_printf(model->arena, "%s/%s", owner->name, attribute->name);
    add_piece(p, &name.base);
    for (size_t i = 0; i < graph->inputs.count; i++) {
        add_piece(p, htp_encode_input(encoder, graph->inputs.items[i]));
    }
    for (size_t i = 0; i < graph->outputs.count; i++) {
        add_piece(p, htp_encode_output(encoder, graph->outputs.items[i]));
    }
    for (size_t i = 0; i < content->typed.count; i++) {
        add_piece(p, htp_encode_value_info(encoder, content->typed.items[i]));
    }
}

static void count(ProtobufCBuffer *buffer, size_t bytes, const uint8_t *unused)
{
    (void)unused;
    ((packed *)buffer)->bytes.length += bytes;
}

static void add_varint(htp_text *text, size_t value)
{
    for (; value >= 0x80; value >>= 7) {
        htp_text_add_bytes(text, &(char){(char)(value | 0x80)}, 1);
    }
    htp_text_add_bytes(text, &(char){(char)value}, 1);
}

/* Packs a body as a field of its attribute: a message would hold copies of all bodies in it. It is
 * measured first, so that its bytes are held once. Unknown fields follow the known ones, so the
 * attribute's type, which stands behind the body, is one of them, too. */
static void pack_graph(htp_encoder *encoder, const htp_builder *model, const htp_onnx_node *owner,
                       const htp_attribute *attribute, const contents *content,
                       ProtobufCMessageUnknownField fields[HTP_GRAPH_FIELDS])
{
    enum { G = 6, TYPE = 20, LONGEST_VARINT = 10 };
    static uint8_t graph_type[] = {HTP__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH};
    packed measured = {.base = {.append = count}};
    add_graph(&measured, encoder, model, owner, attribute, content);
    packed p = {.base = {.append = append}, .bytes = {.arena = model->arena}};
    htp_text_expect(&p.bytes, measured.bytes.length + LONGEST_VARINT);
    add_varint(&p.bytes, measured.bytes.length);
    add_graph(&p, encoder, model, owner, attribute, content);
    fields[0] = (ProtobufCMessageUnknownField){.tag = G,
                                               .wire_type = PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED,
                                               .len = p.bytes.length,
                                               .data = (uint8_t *)p.bytes.bytes};
    fields[1] = (ProtobufCMessageUnknownField){.tag = TYPE,
                                               .wire_type = PROTOBUF_C_WIRE_TYPE_VARINT,
                                               .len = sizeof(graph_type),
                                               .data = graph_type};
}

/* Nodes of bodies precede the body's node, so in this order every graph is ready in time. */
void htp_encode_nested_graphs(htp_encoder *encoder, const htp_builder *model,
                              ProtobufCMessageUnknownField *graphs)
{
    const contents *lists = model->graphs.count ? list_contents(model) : NULL;
    for (size_t i = 0; lists && i < model->nodes.count; i++) {
        const htp_onnx_node *node = &model->nodes.items[i];
        for (uint32_t k = 0; k < node->attribute_count; k++) {
            const htp_attribute *attribute = &node->attributes[k];
            if (attribute->kind == HTP_ATTRIBUTE_GRAPH) {
                uint32_t index = (uint32_t)attribute->i - 1;
                pack_graph(encoder, model, node, attribute, &lists[index],
                           &graphs[(size_t)index * HTP_GRAPH_FIELDS]);
            }
        }
    }
}

/* ---- functions ---- */

static void add_type(packed *p, htp_encoder *encoder, htp_tensor_id id)
{
    const Htp__Onnx__GraphProto *graph =
        (const Htp__Onnx__GraphProto *)htp_encode_value_info(encoder, id);
    Htp__Onnx__FunctionProto piece = HTP__ONNX__FUNCTION_PROTO__INIT;
    piece.n_value_info = graph->n_value_info;
    piece.value_info = graph->value_info;
    add_piece(p, &piece.base);
}

/* Adds types of outputs if there are several: a call may omit some, which then become ordinary
 * values. */
static void add_output_types(packed *p, htp_encoder *encoder, const htp_builder *model,
                             const htp_nested_graph *body)
{
    for (size_t i = 0; body->outputs.count > 1 && i < body->outputs.count; i++) {
        const htp_tensor *output = &model->tensors.items[body->outputs.items[i]];
        if (output->has_type && htp_onnx_data_type(output->dtype) != 0) {
            add_type(p, encoder, body->outputs.items[i]);
        }
    }
}

static void add_body(packed *p, htp_encoder *encoder, const contents *content)
{
    for (size_t i = 0; i < content->nodes.count; i++) {
        const Htp__Onnx__GraphProto *graph =
            (const Htp__Onnx__GraphProto *)htp_encode_node(encoder, content->nodes.items[i]);
        Htp__Onnx__FunctionProto piece = HTP__ONNX__FUNCTION_PROTO__INIT;
        piece.n_node = graph->n_node;
        piece.node = graph->node;
        add_piece(p, &piece.base);
    }
    for (size_t i = 0; i < content->typed.count; i++) {
        add_type(p, encoder, content->typed.items[i]);
    }
}

/* Lists names; const is cast away because protobuf-c's structures have none, and packing only
 * reads. */
static char **list_names(const htp_builder *model, const htp_tensor_id *ids, size_t count)
{
    char **names = HTP_NEW_ARRAY(model->arena, char *, count);
    for (size_t i = 0; i < count; i++) {
        names[i] = (char *)(uintptr_t)model->tensors.items[ids[i]].name;
    }
    return names;
}

static Htp__Onnx__OperatorSetIdProto **list_imports(const htp_builder *model,
                                                    const htp_builder_function *function)
{
    size_t count = function->domains.count + 1;
    Htp__Onnx__OperatorSetIdProto *imports =
        HTP_NEW_ARRAY(model->arena, Htp__Onnx__OperatorSetIdProto, count);
    Htp__Onnx__OperatorSetIdProto **items =
        HTP_NEW_ARRAY(model->arena, Htp__Onnx__OperatorSetIdProto *, count);
    for (size_t i = 0; i < count; i++) {
        const htp_domain own = {.name = "", .version = model->opset};
        const htp_domain *domain = i ? &function->domains.items[i - 1] : &own;
        imports[i] = (Htp__Onnx__OperatorSetIdProto)HTP__ONNX__OPERATOR_SET_ID_PROTO__INIT;
        imports[i].domain = (char *)(uintptr_t)domain->name;
        imports[i].has_version = true;
        imports[i].version = domain->version;
        items[i] = &imports[i];
    }
    return items;
}

static Htp__Onnx__FunctionProto *make_function(htp_encoder *encoder, const htp_builder *model,
                                               const htp_builder_function *function,
                                               const contents *content)
{
    const htp_nested_graph *body = &model->graphs.items[function->graph - 1];
    packed p = {.base = {.append = append}, .bytes = {.arena = model->arena}};
    Htp__Onnx__FunctionProto head = HTP__ONNX__FUNCTION_PROTO__INIT;
    head.name = (char *)(uintptr_t)function->name;
    head.domain = (char *)(uintptr_t)function->domain;
    head.n_input = body->inputs.count;
    head.input = list_names(model, body->inputs.items, body->inputs.count);
    head.n_output = body->outputs.count;
    head.output = list_names(model, body->outputs.items, body->outputs.count);
    head.n_opset_import = function->domains.count + 1;
    head.opset_import = list_imports(model, function);
    add_piece(&p, &head.base);
    add_body(&p, encoder, content);
    add_output_types(&p, encoder, model, body);
    ProtobufCAllocator allocator = {
        .alloc = allocate, .free = keep, .allocator_data = model->arena};
    return htp__onnx__function_proto__unpack(&allocator, p.bytes.length,
                                             (const uint8_t *)htp_text_string(&p.bytes));
}

void htp_encode_functions(htp_encoder *encoder, const htp_builder *model,
                          Htp__Onnx__FunctionProto **functions)
{
    const contents *lists = model->functions.count ? list_contents(model) : NULL;
    for (size_t i = 0; i < model->functions.count; i++) {
        const htp_builder_function *function = &model->functions.items[i];
        functions[i] = make_function(encoder, model, function, &lists[function->graph - 1]);
    }
}
