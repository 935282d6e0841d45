/*
 * The facts of facts.def, as bits.
 */
#ifndef HTP_INTERPRET_OPERATORS_FACTS_H
#define HTP_INTERPRET_OPERATORS_FACTS_H

#include <stdbool.h>

/** Buffer size for the name of any operator with known facts. */
enum { HTP_OPERATOR_NAME_ROOM = 128 };

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

/** The facts of an operator, by its name without overload. */
unsigned htp_operator_facts(const char *name);

/** Whether an operator has one of these facts. */
bool htp_has_fact(const char *name, unsigned facts);

/**
 * The functional form of an in-place operator: its name without the trailing underscore.
 * @return @p room; NULL if the name has none, or is longer than all known names
 */
const char *htp_operator_functional_name(const char *name, char room[HTP_OPERATOR_NAME_ROOM]);

#endif
