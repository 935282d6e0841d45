/*
 * The module instances of a program. Private to core/exported.
 */
#ifndef HTP_EXPORTED_MODULES_H
#define HTP_EXPORTED_MODULES_H

#include "base/map.h"
#include "base/status.h"
#include "exported/archive/archive.h"
#include "exported/document/document.h"
#include "exported/modules/stacks.h"

/** All modules. */
typedef struct htp_exported_modules {
    HTP_VECTOR(htp_instance) all; /**< the root first, parents before their children */
    htp_map by_path;
} htp_exported_modules;

/**
 * Finds the modules: those that the program lists, and those in the stacks of nodes, which name
 * classes. An unknown class counts as torch.nn.Module, so it is in no tag.
 * @param classes  {"path": "class"} of all modules; its text is NULL if there is none
 */
HTP_MUST_USE htp_status htp_exported_modules_find(htp_arena *arena,
                                                  const htp_exported_program *program,
                                                  const htp_exported_text *classes,
                                                  htp_exported_modules *modules);

/** The module at a path, or HTP_NONE. */
uint32_t htp_exported_modules_at(const htp_exported_modules *modules, const char *path,
                                 size_t bytes);

/** Sets the owners of tensors, by their dotted paths. */
void htp_exported_modules_own(const htp_exported_modules *modules, htp_exported_weights *weights);

#endif
