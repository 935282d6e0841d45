/*
 * Meta kernels (htp/meta.h): sizes and types of outputs, without libtorch.
 */
#ifndef HTP_INTERPRET_META_KERNELS_H
#define HTP_INTERPRET_META_KERNELS_H

#include <htp/meta.h>

/** All of them. */
const htp_meta_kernels *htp_meta_kernels_all(void);

/* A function for each; see kernels.def. Operands are of the kinds that its row asks for, and no
 * tensor has more than HTP_MAX_RANK dims. */
#define HTP_META_RULE(name, overload, operands, function, parameter, form)                         \
    bool function(htp_meta_call *call);
#include "interpret/meta/kernels.def"
#undef HTP_META_RULE

#endif
