#include "arguments_fixture.h"
#include "source/tracing/tracing.h"
#include "unit.h"

/* A model that takes sizes within these limits. */
typedef struct fake {
    int64_t smallest;
    int64_t largest;
    int64_t multiple;
    htp_code refusal;
    bool ticks;
    unsigned traces;
    uint32_t lane_count; /* of the last trace */
    int64_t sizes[HTP_MAX_LANES];
} fake;

static const int64_t dims[] = {1};
static const htp_trace_value fake_value = {
    .kind = HTP_TRACE_TENSOR,
    .name = "x",
    .producer = HTP_NONE,
    .dtype = HTP_DTYPE_FLOAT32,
    .rank = 1,
    .dims = {dims, dims, dims, dims},
    .weight = HTP_NONE,
};
static const uint32_t fake_ids[] = {0};
static const htp_trace_scope fake_scope = {.parent = HTP_NONE};
static const htp_instance fake_module = {
    .name = "", .path = "", .qualified_class = "Net", .parent = HTP_NONE};
static const htp_argument fake_argument = {.name = "x", .kind = HTP_TRACE_TENSOR, .type = "Tensor"};
static const htp_trace fake_trace = {
    .values = &fake_value,
    .value_count = 1,
    .scopes = &fake_scope,
    .scope_count = 1,
    .inputs = fake_ids,
    .input_count = 1,
    .outputs = fake_ids,
    .output_count = 1,
};

static htp_status trace_fake(htp_source *source, const htp_trace_request *request,
                             htp_trace_result *result)
{
    fake *model = source->self;
    *result = (htp_trace_result){.trace = NULL};
    ck_assert_uint_eq(request->carried_count, 0);
    model->traces++;
    model->lane_count = request->lane_count;
    ck_assert_uint_eq(request->input_count, 1);
    if (model->ticks && !request->tick(request->user, 1, 2)) {
        return htp_status_make(HTP_CODE_INTERNAL, "stopped");
    }
    for (uint32_t lane = 0; lane < request->lane_count; lane++) {
        int64_t size = request->inputs[0].dims[lane][0];
        model->sizes[lane] = size;
        if (size < model->smallest || size > model->largest || size % model->multiple != 0) {
            return htp_status_make(model->refusal, "size %lld", (long long)size);
        }
    }
    result->trace = &fake_trace;
    return HTP_OK;
}

static htp_status trace_with(htp_arena *arena, fake *model, const char *input,
                             htp_progress_fn progress, htp_graph **graph)
{
    htp_inputs inputs;
    expect_ok(htp_inputs_parse(arena, &input, 1, &fake_argument, 1, &inputs));
    static const htp_reader reader = {.name = "fake", .trace = trace_fake};
    htp_source source = {.path = "m.pt",
                         .reader = &reader,
                         .self = model,
                         .modules = &fake_module,
                         .module_count = 1,
                         .arguments = &fake_argument,
                         .argument_count = 1};
    return htp_graph_trace(&source, &inputs, false, NULL, progress, NULL, arena, graph);
}

static fake model_of(int64_t smallest, int64_t largest, int64_t multiple)
{
    return (fake){
        .smallest = smallest, .largest = largest, .multiple = multiple, .refusal = HTP_CODE_USAGE};
}

UNIT_TEST(a_graph_comes_of_the_first_trace)
{
    fake model = model_of(1, 1000, 1);
    htp_graph *graph = NULL;
    expect_ok(trace_with(arena, &model, "x:float32[n=8]", NULL, &graph));
    ck_assert_uint_eq(model.traces, 1);
    ck_assert_uint_eq(model.lane_count, 4);
    ck_assert_uint_eq(graph->value_count, 1);
    ck_assert_uint_eq(graph->module_count, 1);
    ck_assert_uint_eq(graph->argument_count, 1);
}

UNIT_TEST(other_sizes_are_tried)
{
    static const struct {
        const char *input;
        int64_t smallest, largest, multiple;
    } limits[] = {
        {"x:float32[n=8]", 1, 8, 1},             /* a maximum sequence length */
        {"x:float32[n=64]", 64, 1000, 1},        /* a minimum image size */
        {"x:float32[n=64]", 32, 1000, 32},       /* patches */
        {"x:float32[n=224]", 16, 1000, 16},      /* patches */
        {"x:float32[n=512]", 256, 512, 256 / 8}, /* patches, and a maximum image size */
    };
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        fake model = model_of(limits[i].smallest, limits[i].largest, limits[i].multiple);
        htp_graph *graph = NULL;
        expect_ok(trace_with(arena, &model, limits[i].input, NULL, &graph));
        ck_assert_uint_gt(model.traces, 1);
        ck_assert_uint_eq(model.lane_count, 3);
        ck_assert_int_ne(model.sizes[1], model.sizes[0]);
        ck_assert_int_ne(model.sizes[2], model.sizes[0]);
    }
}

UNIT_TEST(a_size_that_cannot_move_is_told_from_a_wrong_one)
{
    htp_graph *graph = NULL;
    fake fixed = model_of(8, 8, 1);
    expect_failure(trace_with(arena, &fixed, "x:float32[n=8]", NULL, &graph), HTP_CODE_USAGE,
                   "m.pt: forward() takes the sizes given, but refuses others");
    fake wrong = model_of(100, 100, 1);
    expect_failure(trace_with(arena, &wrong, "x:float32[n=8]", NULL, &graph), HTP_CODE_USAGE,
                   "m.pt: size 8");
    fake no_axis = model_of(100, 100, 1);
    expect_failure(trace_with(arena, &no_axis, "x:float32[8]", NULL, &graph), HTP_CODE_USAGE,
                   "m.pt: size 8");
    ck_assert_uint_eq(no_axis.traces, 1);
}

UNIT_TEST(other_failures_are_final)
{
    static const struct {
        htp_code code;
        uint32_t traces;
    } codes[] = {
        {HTP_CODE_INTERNAL, 1},
        {HTP_CODE_BAD_INPUT, 1},
        /* Tiny sizes may be to blame. */
        {HTP_CODE_UNSUPPORTED, 2},
    };
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        fake model = model_of(100, 100, 1);
        htp_graph *graph = NULL;
        model.refusal = codes[i].code;
        expect_failure(trace_with(arena, &model, "x:float32[n=8]", NULL, &graph), codes[i].code,
                       "m.pt: size 8");
        ck_assert_uint_eq(model.traces, codes[i].traces);
    }
}

static bool refuse(void *user, const htp_progress *progress)
{
    (void)user;
    ck_assert_int_eq(progress->stage, HTP_STAGE_TRACED);
    ck_assert_uint_eq(progress->done, 1);
    return false;
}

static bool accept(void *user, const htp_progress *progress)
{
    (void)user;
    (void)progress;
    return true;
}

UNIT_TEST(progress_may_stop_it)
{
    fake model = model_of(1, 1000, 1);
    htp_graph *graph = NULL;
    model.ticks = true;
    expect_failure(trace_with(arena, &model, "x:float32[n=8]", refuse, &graph),
                   HTP_CODE_INTERRUPTED, "interrupted");
    expect_ok(trace_with(arena, &model, "x:float32[n=8]", accept, &graph));
    expect_ok(trace_with(arena, &model, "x:float32[n=8]", NULL, &graph));
}

UNIT_MAIN("trace", a_graph_comes_of_the_first_trace, other_sizes_are_tried,
          a_size_that_cannot_move_is_told_from_a_wrong_one, other_failures_are_final,
          progress_may_stop_it)
