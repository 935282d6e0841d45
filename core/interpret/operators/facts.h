/*
 * The facts of facts.def, as bits.
 */
#ifndef HTP_INTERPRET_OPERATORS_FACTS_H
#define HTP_INTERPRET_OPERATORS_FACTS_H

#include <stdbool.h>

enum {
#define HTP_FACT(fact) HTP_FACT_NUMBER_##fact,
#define HTP_FACTS(name, facts)
#include "interpret/operators/facts.def"
#undef HTP_FACTS
#undef HTP_FACT
};

typedef enum htp_fact {
#define HTP_FACT(fact) HTP_FACT_##fact = 1 << HTP_FACT_NUMBER_##fact,
#define HTP_FACTS(name, facts)
#include "interpret/operators/facts.def"
#undef HTP_FACTS
#undef HTP_FACT
} htp_fact;

/** Tests a fact of an operator, by its name without overload. */
bool htp_has_fact(const char *name, unsigned facts);

#endif
