/*
 * Meta kernels (htp/meta.h): sizes and types of outputs, without libtorch.
 */
#ifndef HTP_INTERPRET_META_KERNELS_H
#define HTP_INTERPRET_META_KERNELS_H

#include <htp/meta.h>

/** The table of meta kernels. */
const htp_meta_kernels *htp_meta_kernels_all(void);

/* A function per row; see kernels.def. Operands have the kinds in the row, and tensors at most
 * HTP_MAX_RANK dims. */
#define HTP_META_RULE(name, overload, operands, function, parameter, form)                         \
    bool function(htp_meta_call *call);
#include "interpret/meta/kernels.def"
#undef HTP_META_RULE

#endif
