/*
 * Multiply-adds of convolutions.
 */
#include "query/cost/multiply_adds.h"

/* Each element of the output sums up a kernel: its dims behind the output channels, [C / group,
 * window...]. */
htp_polynomial_id htp_count_convolution(const htp_counting *counting)
{
    const htp_tensor *kernel = htp_counting_input(counting, counting->b);
    const htp_tensor *made = htp_counting_output(counting, 0);
    return htp_counting_times(counting, htp_counting_elements(counting, made),
                              htp_counting_product(counting, kernel, 1, kernel ? kernel->rank : 0));
}

/* Each element of the input is spread over a kernel, [C, M / group, window...]. */
htp_polynomial_id htp_count_transposed_convolution(const htp_counting *counting)
{
    const htp_tensor *image = htp_counting_input(counting, counting->a);
    const htp_tensor *kernel = htp_counting_input(counting, counting->b);
    return htp_counting_times(counting, htp_counting_elements(counting, image),
                              htp_counting_product(counting, kernel, 1, kernel ? kernel->rank : 0));
}
