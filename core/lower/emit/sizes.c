#include "lower/emit/sizes.h"

htp_sizes htp_sizes_begin(htp_lowering *l)
{
    return (htp_sizes){.l = l, .dtype = HTP_DTYPE_INT64};
}

void htp_sizes_add_number(htp_sizes *sizes, htp_number number)
{
    HTP_PUSH(sizes->l->arena, &sizes->run, number);
}

void htp_sizes_add_int(htp_sizes *sizes, int64_t value)
{
    htp_sizes_add_number(sizes, htp_number_int(value));
}

/** Makes one initializer of the constants at the end. */
static void end_run(htp_sizes *sizes)
{
    if (sizes->run.count) {
        int64_t count = (int64_t)sizes->run.count;
        htp_tensor_id constant =
            htp_emit_numbers(sizes->l, sizes->dtype, 1, &count, sizes->run.items);
        HTP_PUSH(sizes->l->arena, &sizes->parts, constant);
        sizes->run.count = 0;
    }
}

void htp_sizes_add_tensor(htp_sizes *sizes, htp_tensor_id vector)
{
    end_run(sizes);
    HTP_PUSH(sizes->l->arena, &sizes->parts, vector);
}

void htp_sizes_add_dims(htp_sizes *sizes, htp_tensor_id x, const htp_dim *dims, uint32_t begin,
                        uint32_t end)
{
    for (uint32_t i = begin; i < end; i++) {
        if (!dims[i].symbol) {
            htp_sizes_add_int(sizes, dims[i].size);
            continue;
        }
        uint32_t first = i;
        while (i + 1 < end && dims[i + 1].symbol) {
            i++;
        }
        htp_tensor_id shape =
            htp_emit(sizes->l, "Shape", HTP_IN(x),
                     HTP_AT(htp_attribute_int("start", first), htp_attribute_int("end", i + 1)));
        htp_sizes_add_tensor(sizes, shape);
    }
}

htp_tensor_id htp_sizes_end(htp_sizes *sizes)
{
    end_run(sizes);
    if (sizes->parts.count == 0) {
        const int64_t none = 0;
        return htp_emit_numbers(sizes->l, sizes->dtype, 1, &none, NULL);
    }
    if (sizes->parts.count == 1) {
        return sizes->parts.items[0];
    }
    return htp_emit_concat(sizes->l, (htp_emit_inputs){sizes->parts.items, sizes->parts.count}, 0);
}

htp_tensor_id htp_emit_dim_product(htp_lowering *l, htp_tensor_id x, const htp_dim *dims,
                                   uint32_t begin, uint32_t end)
{
    int64_t product = 1;
    bool is_constant = true;
    for (uint32_t i = begin; i < end; i++) {
        is_constant = is_constant && !dims[i].symbol;
        if (is_constant && __builtin_mul_overflow(product, dims[i].size, &product)) {
            htp_lower_fail(l, "its dims are too large");
        }
    }
    if (is_constant) {
        return htp_emit_int(l, product);
    }
    htp_sizes sizes = htp_sizes_begin(l);
    htp_sizes_add_dims(&sizes, x, dims, begin, end);
    htp_tensor_id vector = htp_sizes_end(&sizes);
    return begin + 1 == end
               ? vector
               : htp_emit_reduce(l, "ReduceProd", vector, (const int64_t[]){0}, 1, true);
}

htp_tensor_id htp_emit_count_up(htp_lowering *l, htp_tensor_id count)
{
    return htp_emit(l, "Range",
                    HTP_IN(htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0),
                           htp_emit_squeeze(l, count, (const int64_t[]){0}, 1),
                           htp_emit_scalar_int(l, HTP_DTYPE_INT64, 1)),
                    HTP_NO_AT);
}
