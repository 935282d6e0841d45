# htp-trace. `make help` lists the targets.
#
# Variables for the command line:
#   LIBTORCH=DIR  libtorch distribution, torch Python package, or prefix such as /usr; none: without
#   BUILD=DIR     build folder; default build/<libtorch version>[-<flavour>], with everything that needs
#                 no libtorch in build/core[-<flavour>], which all versions share
#   PREFIX=DIR    installation folder; default /usr/local
#   CC, CXX, CFLAGS, CXXFLAGS, LDFLAGS  as everywhere
#   V=1           show whole commands

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

PREFIX ?= /usr/local
override PREFIX := $(abspath $(PREFIX))
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man/man1
BASH_COMPLETION ?= $(DATADIR)/bash-completion/completions/htp-trace
ZSH_COMPLETION ?= $(DATADIR)/zsh/site-functions/_htp-trace
FISH_COMPLETION ?= $(DATADIR)/fish/vendor_completions.d/htp-trace.fish

ifneq ($(filter asan fuzz tsan,$(FLAVOUR)),)
# Reports need line tables; heavy optimisation of sanitized code takes too long.
CFLAGS ?= -O1 -g1
CXXFLAGS ?= -O1 -g1
endif
CFLAGS ?= -O2 -g
CXXFLAGS ?= -O2 -g
OBJCOPY ?= objcopy
PKG_CONFIG ?= pkg-config
PROTOC_C ?= protoc-c
CLANG_FORMAT ?= clang-format
CLANG_TIDY ?= clang-tidy
INSTALL ?= install
STRIP ?= strip
JOBS ?= $(shell nproc)

comma := ,
Q := $(if $(V),,@)
say = @$(if $(V),:,printf '  %-5s %s\n' $(1) $(2))
submake = +@$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS))

version_part = $(shell sed -n 's/^.define HTP_VERSION_$(1) //p' include/htp/htp.h)
VERSION := $(call version_part,MAJOR).$(call version_part,MINOR).$(call version_part,PATCH)
SONAME := libhtp.so.$(firstword $(subst ., ,$(VERSION)))

# ---- libtorch and the build folder ---------------------------------------------------------------

# Targets that only run make again after the set-up, or that need no libtorch at all.
OUTER := demo check faults hostile asan tsan valgrind fuzz clean format format-check help setup uninstall dist \
    tarball portable-wheel

# The build folder of code without libtorch's headers; inside BUILD if that is given.
CORE_BUILD := $(if $(BUILD),$(BUILD)/core,build/core$(if $(FLAVOUR),-$(FLAVOUR)))

# Targets that make no shim where there is no libtorch, or LIBTORCH=none.
WITHOUT_TORCH := all install tests unit wheel deb run-tarball run-tsan

GOALS := $(filter-out $(OUTER),$(or $(MAKECMDGOALS),all))
ifneq ($(GOALS),)
TORCH := $(if $(filter none,$(LIBTORCH)),,$(shell CXX='$(CXX)' scripts/find-libtorch $(LIBTORCH)))
ifeq ($(TORCH),)
$(if $(filter-out none,$(LIBTORCH)),$(error no libtorch, see above))
$(if $(filter-out $(WITHOUT_TORCH),$(GOALS)),$(error $(GOALS): needs libtorch))
endif
torch = $(patsubst $(1)=%,%,$(filter $(1)=%,$(TORCH)))
TORCH_VERSION := $(or $(call torch,version),none)
BUILD ?= build/$(TORCH_VERSION)$(if $(FLAVOUR),-$(FLAVOUR))
$(info $(if $(TORCH),libtorch $(TORCH_VERSION) of $(call torch,root) (found by: $(call torch,source)),no libtorch: \
    programs of torch.export (.pt2) and ONNX files will be read$(comma) TorchScript (.pt) will not)$(comma) building in $(BUILD))
endif

# ---- flags ---------------------------------------------------------------------------------------

WARNINGS := -Wall -Wextra -Wpedantic -Werror
# gcc 12 reports overflows in libtorch's reference counts, inlined into the shim, that do not exist.
SHIM_WARNINGS := $(if $(findstring clang,$(CXX)),,-Wno-stringop-overflow)
# HTP_ARENA_MALLOC makes every arena allocation a malloc, for checkers; HTP_WHOLE_EXIT runs destructors at the end, so
# that leaks are found.
ifeq ($(FLAVOUR),asan)
FLAVOUR_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all \
    -fno-omit-frame-pointer -DHTP_ARENA_MALLOC -DHTP_WHOLE_EXIT
else ifeq ($(FLAVOUR),fuzz)
# Only the fuzzers link libFuzzer's main().
FLAVOUR_FLAGS := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all \
    -fno-omit-frame-pointer -DHTP_ARENA_MALLOC
else ifeq ($(FLAVOUR),tsan)
FLAVOUR_FLAGS := -fsanitize=thread -fno-omit-frame-pointer
else ifeq ($(FLAVOUR),valgrind)
FLAVOUR_FLAGS := -DHTP_ARENA_MALLOC
else
FLAVOUR_FLAGS := -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
FLAVOUR_LDFLAGS := -Wl,-z,relro -Wl,-z,now
endif
# clang's sanitizers expect the program to have their symbols.
SHARED_LDFLAGS := $(if $(findstring clang,$(if $(FLAVOUR),$(CC))),,-Wl,-z,defs)

PACKAGES := libprotobuf-c libcjson zlib libxxhash
PACKAGE_CFLAGS := $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags $(PACKAGES) 2>/dev/null))
PACKAGE_LIBS := $(shell $(PKG_CONFIG) --libs $(PACKAGES) 2>/dev/null)
CORE_LIBS := $(PACKAGE_LIBS) -ldl -lm -lpthread
CHECK_LIBS := $(shell $(PKG_CONFIG) --libs check 2>/dev/null)
# libtorch makes millions of small objects: loading takes a fifth less time with mimalloc, which replaces malloc in the
# program if it is installed. No code calls it. Checkers bring their own allocator. MIMALLOC= builds without.
MIMALLOC ?= $(if $(FLAVOUR),,-lmimalloc)
ALLOCATOR_LIBS = $(if $(MIMALLOC),$(shell echo 'int main(void) { return 0; }' | \
    $(CC) -x c -o /dev/null - $(MIMALLOC) 2>/dev/null && \
    echo -Wl,--push-state,--no-as-needed $(MIMALLOC) -Wl,--pop-state))

C_FLAGS := -std=c11 -D_GNU_SOURCE -fPIC -fvisibility=hidden -Iinclude -Icore $(PACKAGE_CFLAGS) \
    $(FLAVOUR_FLAGS)
# The headers of libtorch 2.14 and later ask for C++20.
CXX_STANDARD := $(if $(shell grep -ls 'C++20 or later' \
    $(addsuffix /ATen/ATen.h,$(subst :, ,$(call torch,include))) 2>/dev/null),c++20,c++17)
CXX_FLAGS := -std=$(CXX_STANDARD) -D_GNU_SOURCE -fPIC -fvisibility=hidden -fvisibility-inlines-hidden \
    -Iinclude -Ishim $(FLAVOUR_FLAGS)
TORCH_CFLAGS := $(patsubst %,-isystem %,$(subst :, ,$(call torch,include))) \
    -DHTP_LIBTORCH_VERSION='"$(TORCH_VERSION)"' \
    $(patsubst %,-D_GLIBCXX_USE_CXX11_ABI=%,$(call torch,abi))
# Where a shim that is named by HTP_SHIM finds its libtorch; empty for shims that leave this machine.
TORCH_RPATH ?= $(call torch,rpath)
TORCH_LIBS = -L$(call torch,lib) $(patsubst %,-Wl$(comma)-rpath$(comma)%,$(TORCH_RPATH)) \
    -ltorch_cpu -lc10

# ---- files ---------------------------------------------------------------------------------------

PROTO := $(sort $(shell find core -name '*.proto'))
CORE_C := $(sort $(shell find core -name '*.c' -not -path 'core/cli/*'))
CLI_C := $(sort $(shell find core/cli -name '*.c'))
SHIM_CXX := $(sort $(shell find shim -name '*.cpp'))
UNIT_C := $(sort $(shell find tests/unit -name '*.c'))
UNIT_FLAGS := -Itests/unit/fixtures
FUZZ_TARGETS := $(shell sed -n 's/^TARGET(\(.*\))/\1/p' tests/fuzz/targets.def)
FUZZ_C := $(filter-out %/entry.c %/replay.c,$(sort $(wildcard tests/fuzz/*.c)))
ORACLE_C := $(sort $(wildcard tests/oracle/*.c))
FORMATTED := $(sort $(shell find core include scripts shim tests -name '*.[ch]' -o -name '*.cpp'))

GEN_C := $(PROTO:core/%.proto=$(CORE_BUILD)/gen/%.pb-c.c)
GEN_H := $(GEN_C:.c=.h)
# The page of `quality --html`: browser files that become one C string. Scripts are in the order of loading.
PAGE := core/report/page
PAGE_FILES := $(addprefix $(PAGE)/,page.html page.css dom.js scale.js report.js icicle.js metrics.js errors.js \
    layers.js table.js page.js)
PAGE_C := $(CORE_BUILD)/gen/report/page/page_text.c
GEN_OBJ := $(GEN_C:.c=.o) $(PAGE_C:.c=.o)
CORE_OBJ := $(CORE_C:%.c=$(CORE_BUILD)/%.o)
CLI_OBJ := $(CLI_C:%.c=$(CORE_BUILD)/%.o)
SHIM_OBJ := $(SHIM_CXX:%.cpp=$(BUILD)/%.o)
UNIT_OBJ := $(UNIT_C:%.c=$(CORE_BUILD)/%.o)
UNIT := $(UNIT_C:%.c=$(CORE_BUILD)/%)
FUZZ_OBJ := $(FUZZ_C:%.c=$(CORE_BUILD)/%.o)
FUZZ_MUTATORS := $(patsubst %.c,$(CORE_BUILD)/%.o,$(wildcard tests/fuzz/mutators/*.c))
FUZZ_ENTRIES := $(FUZZ_TARGETS:%=$(CORE_BUILD)/tests/fuzz/entry-%.o)
FUZZERS := $(FUZZ_TARGETS:%=$(CORE_BUILD)/tests/fuzz/fuzz-%)
REPLAY := $(CORE_BUILD)/tests/fuzz/replay
# Threads on the C API, for ThreadSanitizer: tests/threads/threads.c.
THREADS := $(CORE_BUILD)/tests/threads/threads

# All internal names are visible to the program and the unit tests; the installed libraries export the public API alone.
INTERNAL := $(CORE_BUILD)/libhtp-internal.a
# A shim is named after the minor version of libtorch that it was built with.
SHIM := $(BUILD)/libhtp-shim-$(basename $(TORCH_VERSION)).so
# Programs and libraries look for the shim beside them, so a build folder has links to the core's.
STATIC := $(BUILD)/libhtp.a
SHARED := $(BUILD)/libhtp.so.$(VERSION)
PROGRAM := $(BUILD)/htp-trace
# The program with its main() under another name, which tests/support/started.c calls.
STARTED := $(BUILD)/htp-trace-started
STARTED_OBJ := $(CORE_BUILD)/tests/started.o $(CORE_BUILD)/tests/started_main.o
# The same, with calls that fail on order: tests/faults/faulty.c.
FAULTY := $(BUILD)/htp-trace-faulty
FAULTS_OBJ := $(patsubst %.c,$(CORE_BUILD)/%.o,$(wildcard tests/faults/*.c))
FAULTY_OBJ := $(FAULTS_OBJ) $(CORE_BUILD)/tests/started.o $(CORE_BUILD)/tests/faulty_main.o
# The same program, with clocks around the checks of a file: scripts/bench-checks.c.
TIMED := $(BUILD)/htp-trace-timed
TIMED_OBJ := $(CORE_BUILD)/scripts/bench-checks.o
TIMED_PASSES := htp_archive_open htp_archive_list htp_contents_check htp_landlock_begin htp_landlock_allow \
    htp_landlock_end htp_seccomp_give_up_privileges htp_seccomp_enforce
# A shim in front of the real one that compares its answers: tests/oracle/oracle.h.
ORACLE := $(BUILD)/libhtp-oracle.so
ORACLE_OBJ := $(ORACLE_C:%.c=$(CORE_BUILD)/%.o)
BESIDE_SHIM := $(STATIC) $(SHARED) $(PROGRAM) $(TIMED) $(STARTED) $(FAULTY) $(ORACLE)
# The same, for wheel and tarball: they find the small libraries beside them, and the shim has no path of a libtorch.
WHEEL_RUNPATH := -Wl,-rpath,$$ORIGIN:$$ORIGIN/../lib
WHEEL_BUILD := $(CORE_BUILD)/wheel
WHEEL_SHIM := $(if $(TORCH),$(WHEEL_BUILD)/$(notdir $(SHIM)))
WHEEL_FILES := $(WHEEL_BUILD)/$(notdir $(PROGRAM)) $(WHEEL_BUILD)/$(notdir $(SHARED)) $(WHEEL_SHIM)
in_core = $(patsubst $(BUILD)/%,$(CORE_BUILD)/%,$(1))

.PHONY: all
all: $(PROGRAM) $(STATIC) $(SHARED) $(BUILD)/libhtp.so $(if $(TORCH),shim)

# The shim, and beside it the libtorch that it was built with.
.PHONY: shim
shim: $(SHIM)
	$(Q)ln -sfn $(call torch,root) $(BUILD)/libtorch

# ---- what a build depends on besides files: a stamp changes when its text does ---------------------

# For the core, and for the shim.
STAMP_flags := $(CC) $(C_FLAGS) $(CFLAGS) $(LDFLAGS) $(WARNINGS)
STAMP_objects := $(CORE_C) $(PROTO) : $(CLI_C) : $(MIMALLOC) $(WHEEL_RUNPATH)
STAMP_libdir := $(LIBDIR)
STAMP_page := $(PAGE_FILES)
STAMP_shim-flags := $(CXX) $(CXX_FLAGS) $(CXXFLAGS) $(LDFLAGS) $(WARNINGS)
STAMP_shim-objects := $(SHIM_CXX) : $(TORCH_RPATH)
STAMP_libtorch := $(filter-out source=%,$(TORCH))

CORE_STAMPS := $(addprefix $(CORE_BUILD)/stamp/,flags objects libdir page)
SHIM_STAMPS := $(addprefix $(BUILD)/stamp/,shim-flags shim-objects libtorch)
$(CORE_STAMPS) $(SHIM_STAMPS): FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(STAMP_$(@F))' | cmp -s - $@ || printf '%s\n' '$(STAMP_$(@F))' > $@
.PHONY: FORCE
FORCE:

# ---- compiling -----------------------------------------------------------------------------------

$(CORE_BUILD)/gen/%.pb-c.c $(CORE_BUILD)/gen/%.pb-c.h: core/%.proto
	$(call say,PROTO,$<)
	@mkdir -p $(@D)
	$(Q)$(PROTOC_C) --proto_path=core --c_out=$(CORE_BUILD)/gen $<

$(PAGE_C): scripts/embed-page $(PAGE_FILES) $(CORE_BUILD)/stamp/page
	$(call say,PAGE,$(PAGE))
	@mkdir -p $(@D)
	$(Q)scripts/embed-page $(PAGE_FILES) > $@

$(GEN_OBJ): %.o: %.c $(CORE_BUILD)/stamp/flags
	$(call say,CC,$<)
	$(Q)$(CC) $(C_FLAGS) -isystem $(CORE_BUILD)/gen $(CFLAGS) -MD -MP -c -o $@ $<

$(CORE_OBJ) $(CLI_OBJ) $(UNIT_OBJ) $(FUZZ_OBJ) $(FUZZ_MUTATORS) $(ORACLE_OBJ) $(REPLAY).o $(THREADS).o: $(CORE_BUILD)/%.o: %.c $(CORE_BUILD)/stamp/flags | $(GEN_H)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(C_FLAGS) -isystem $(CORE_BUILD)/gen $(OBJECT_FLAGS) $(WARNINGS) $(CFLAGS) $(LAST_FLAGS) \
	    -MD -MP -c -o $@ $<
# Optimising the tests takes longer than running them.
$(UNIT_OBJ): LAST_FLAGS := -O0 -U_FORTIFY_SOURCE
$(UNIT_OBJ) $(FUZZ_OBJ) $(REPLAY).o: OBJECT_FLAGS := $(UNIT_FLAGS)

$(FUZZ_ENTRIES): $(CORE_BUILD)/tests/fuzz/entry-%.o: tests/fuzz/entry.c $(CORE_BUILD)/stamp/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(C_FLAGS) -DFUZZ_TARGET=fuzz_$* $(WARNINGS) $(CFLAGS) -MD -MP -c -o $@ $<

# When the prefix changes, only the objects with the shim's path are rebuilt.
LIBDIR_OBJ := $(patsubst %.c,$(CORE_BUILD)/%.o,$(shell grep -ls HTP_SHIM_FOLDER $(CORE_C)))
$(LIBDIR_OBJ): $(CORE_BUILD)/stamp/libdir
$(LIBDIR_OBJ): OBJECT_FLAGS := -DHTP_SHIM_FOLDER='"$(LIBDIR)/htp"'

# A precompiled header: libtorch's headers take longer to parse than the shim to compile.
PRECOMPILED := $(BUILD)/shim/precompiled.h
SHIM_COMPILE = $(CXX) $(CXX_FLAGS) $(TORCH_CFLAGS) $(WARNINGS) $(SHIM_WARNINGS) $(CXXFLAGS) -MD -MP

$(PRECOMPILED).gch: shim/precompiled.h $(BUILD)/stamp/shim-flags $(BUILD)/stamp/libtorch
	$(call say,CXX,$<)
	@mkdir -p $(@D)
	$(Q)cp $< $(PRECOMPILED)
	$(Q)$(SHIM_COMPILE) -x c++-header -o $@ $(PRECOMPILED)

$(SHIM_OBJ): $(BUILD)/%.o: %.cpp $(PRECOMPILED).gch
	$(call say,CXX,$<)
	@mkdir -p $(@D)
	$(Q)$(SHIM_COMPILE) -include $(PRECOMPILED) -c -o $@ $<

-include $(wildcard $(patsubst %.o,%.d,$(CORE_OBJ) $(CLI_OBJ) $(SHIM_OBJ) $(UNIT_OBJ) $(GEN_OBJ) \
    $(STARTED_OBJ) $(FAULTY_OBJ) $(TIMED_OBJ) $(ORACLE_OBJ) $(FUZZ_OBJ) $(FUZZ_MUTATORS) $(FUZZ_ENTRIES) $(REPLAY).o $(THREADS).o $(PRECOMPILED).o))

# ---- linking -------------------------------------------------------------------------------------

$(INTERNAL): $(CORE_OBJ) $(GEN_OBJ) $(CORE_BUILD)/stamp/objects
	$(call say,AR,$@)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $(filter %.o,$^)

$(call in_core,$(STATIC)): $(CORE_OBJ) $(GEN_OBJ) $(CORE_BUILD)/stamp/objects
	$(call say,AR,$@)
	$(Q)$(LD) -r -o $(CORE_BUILD)/libhtp.o $(filter %.o,$^)
	$(Q)$(OBJCOPY) --localize-hidden $(CORE_BUILD)/libhtp.o
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $(CORE_BUILD)/libhtp.o

# libtorch keeps pointers to the shim's functions, so the shim is never unloaded.
$(call in_core,$(SHARED)) $(WHEEL_BUILD)/$(notdir $(SHARED)): $(CORE_OBJ) $(GEN_OBJ) scripts/libhtp.map $(CORE_BUILD)/stamp/objects
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(RUNPATH) -Wl,-soname,$(SONAME) -Wl,-z,nodelete \
	    -Wl,--version-script=scripts/libhtp.map $(CFLAGS) $(FLAVOUR_FLAGS) $(FLAVOUR_LDFLAGS) \
	    $(SHARED_LDFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(CORE_LIBS)

$(BESIDE_SHIM): $(BUILD)/%: $(CORE_BUILD)/%
	$(Q)mkdir -p $(@D)
	$(Q)ln -f $< $@ 2>/dev/null || cp -pf $< $@

$(BUILD)/libhtp.so: $(SHARED)
	$(Q)ln -sf $(notdir $(SHARED)) $(BUILD)/$(SONAME)
	$(Q)ln -sf $(SONAME) $@

$(call in_core,$(PROGRAM)) $(WHEEL_BUILD)/$(notdir $(PROGRAM)): $(CLI_OBJ) $(INTERNAL) $(CORE_BUILD)/stamp/objects
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(RUNPATH) $(CFLAGS) $(FLAVOUR_FLAGS) $(FLAVOUR_LDFLAGS) $(LDFLAGS) -o $@ \
	    $(filter %.o %.a,$^) $(ALLOCATOR_LIBS) $(CORE_LIBS)

$(WHEEL_FILES): RUNPATH := '$(WHEEL_RUNPATH)'
ifneq ($(WHEEL_SHIM),)
$(WHEEL_SHIM): TORCH_RPATH :=
endif

$(SHIM) $(WHEEL_SHIM): $(SHIM_OBJ) scripts/libhtp-shim.map $(BUILD)/stamp/libtorch $(BUILD)/stamp/shim-objects
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CXX) -shared -Wl,-soname,$(@F) -Wl,--version-script=scripts/libhtp-shim.map \
	    $(CXXFLAGS) $(FLAVOUR_FLAGS) $(FLAVOUR_LDFLAGS) $(SHARED_LDFLAGS) $(LDFLAGS) -o $@ \
	    $(filter %.o,$^) $(TORCH_LIBS) -ldl -lpthread

$(CORE_BUILD)/tests/started.o: tests/support/started.c $(CORE_BUILD)/stamp/flags
$(CORE_BUILD)/tests/started_main.o: core/cli/main.c $(CORE_BUILD)/stamp/flags
$(CORE_BUILD)/tests/started_main.o: OBJECT_FLAGS := -Dmain=htp_trace_main
$(FAULTS_OBJ): $(CORE_BUILD)/%.o: %.c $(CORE_BUILD)/stamp/flags
# An exception passes through its operator new. A sanitizer calls it before it is ready.
$(FAULTS_OBJ): OBJECT_FLAGS := -fexceptions $(if $(filter asan,$(FLAVOUR)),-fno-sanitize=all -DHTP_SANITIZED)
$(CORE_BUILD)/tests/faulty_main.o: core/cli/main.c $(CORE_BUILD)/stamp/flags
$(CORE_BUILD)/tests/faulty_main.o: OBJECT_FLAGS := -Dmain=htp_faulty_main
$(sort $(STARTED_OBJ) $(FAULTY_OBJ)):
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(C_FLAGS) $(OBJECT_FLAGS) $(WARNINGS) $(CFLAGS) -MD -MP -c -o $@ $<

$(TIMED_OBJ): scripts/bench-checks.c $(CORE_BUILD)/stamp/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(C_FLAGS) $(WARNINGS) $(CFLAGS) -MD -MP -c -o $@ $<

$(call in_core,$(TIMED)): $(TIMED_OBJ) $(CLI_OBJ) $(INTERNAL) $(CORE_BUILD)/stamp/objects
	$(call say,LD,$@)
	$(Q)$(CC) $(RUNPATH) $(CFLAGS) $(FLAVOUR_FLAGS) $(FLAVOUR_LDFLAGS) $(LDFLAGS) $(TIMED_PASSES:%=-Wl,--wrap=%) -o $@ \
	    $(filter %.o %.a,$^) $(ALLOCATOR_LIBS) $(CORE_LIBS)

$(call in_core,$(STARTED)): $(STARTED_OBJ) $(filter-out %/main.o,$(CLI_OBJ)) $(INTERNAL) $(CORE_BUILD)/stamp/objects
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(FLAVOUR_FLAGS) $(FLAVOUR_LDFLAGS) $(LDFLAGS) -o $@ \
	    $(filter %.o %.a,$^) $(CORE_LIBS)

# Libraries that are opened later call its functions, too.
$(call in_core,$(FAULTY)): $(FAULTY_OBJ) $(filter-out %/main.o,$(CLI_OBJ)) $(INTERNAL) $(CORE_BUILD)/stamp/objects
	$(call say,LD,$@)
	$(Q)$(CC) -rdynamic $(CFLAGS) $(FLAVOUR_FLAGS) $(FLAVOUR_LDFLAGS) $(LDFLAGS) -o $@ \
	    $(filter %.o %.a,$^) $(CORE_LIBS) -lstdc++

$(call in_core,$(ORACLE)): $(ORACLE_OBJ) $(INTERNAL)
	$(call say,LD,$@)
	$(Q)$(CC) -shared $(CFLAGS) $(FLAVOUR_FLAGS) $(FLAVOUR_LDFLAGS) $(SHARED_LDFLAGS) $(LDFLAGS) \
	    -o $@ $^ $(CORE_LIBS)

$(UNIT): %: %.o $(INTERNAL)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(FLAVOUR_FLAGS) $(LDFLAGS) -o $@ $^ $(CORE_LIBS) $(CHECK_LIBS)

$(REPLAY): $(REPLAY).o $(FUZZ_OBJ) $(INTERNAL)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(FLAVOUR_FLAGS) $(LDFLAGS) -o $@ $^ $(CORE_LIBS) $(CHECK_LIBS)

$(THREADS): $(THREADS).o $(INTERNAL)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(FLAVOUR_FLAGS) $(LDFLAGS) -o $@ $^ $(CORE_LIBS)

$(FUZZERS): $(CORE_BUILD)/tests/fuzz/fuzz-%: $(CORE_BUILD)/tests/fuzz/entry-%.o $(FUZZ_OBJ) $(FUZZ_MUTATORS) $(INTERNAL)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(FLAVOUR_FLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(CORE_LIBS) $(CHECK_LIBS)

# ---- for users -----------------------------------------------------------------------------------

.PHONY: help setup demo run-demo clean install uninstall
help:
	@echo 'make                 builds the program, the library and the shim'
	@echo 'make demo            sets up, builds, exports models/bert-tiny.pt, prints its module tree'
	@echo 'make check           sets up for tests, builds, runs all tests: N passed, N failed, N skipped;'
	@echo '                     CHECK="suite install" runs parts of them'
	@echo 'make oldest-runtime  runs every operator case in the oldest ONNX Runtime with wheels'
	@echo 'make faults          fails allocations and writes at every place in turn, damages and changes inputs, ends runs;'
	@echo '                     FLAVOUR=asan: fails allocations, and looks for leaks; PLACES=N: fewer'
	@echo 'make unit            runs the unit tests only'
	@echo 'make asan            unit tests and some thousand exports under ASan and UBSan; SHARE=1/4: fewer'
	@echo 'make valgrind        unit tests under valgrind; SHARE=1/3: fewer'
	@echo 'make tsan            eight threads on the C API under ThreadSanitizer'
	@echo 'make hostile         every hostile model of the campaign; make check runs a slice'
	@echo 'make fuzz            builds the fuzzers of tests/fuzz; FUZZ_SECONDS=N runs each for N seconds'
	@echo 'make install         installs below PREFIX (default /usr/local), uninstall removes'
	@echo 'make wheel           packs program, library, shims and the Python module: build/wheel/*.whl'
	@echo 'make deb             packs them for Debian: build/deb/*.deb'
	@echo 'make tarball         packs them for any Linux with glibc 2.28: build/tarball/*.tar.xz; needs zig;'
	@echo '                     portable-wheel: the same as a wheel'
	@echo 'make dist            packs the sources: build/dist/*.tar.gz'
	@echo 'make format          formats the sources; format-check only checks'
	@echo 'make tidy            clang-tidy over the sources; tidy-changed: over recent changes, or those since BASE'
	@echo 'make docs            writes man pages, docs/COMMANDS.md and completion from core/cli/arguments and docs/manual;'
	@echo '                     DOCS=--examples first updates the output of examples'
	@echo 'make bench           measures against other exporters; BENCH="--against DIR": starts and layers against a build;'
	@echo '                     BENCH=--document: programs of torch.export, into docs/BENCHMARKS.md; BENCH=--document-checks: the checks of a file'
	@echo 'make op-coverage     every sample of PyTorch'\''s operator database; OP_COVERAGE=--help'
	@echo 'make zoo             architectures of transformers and torchvision; ZOO=--help'
	@echo 'make quality         the quality of tags, beside other exporters'\''; QUALITY=--slice, QUALITY=--help'
	@echo 'make downstream      exports in downstream tools, beside others'\''; DOWNSTREAM=--help'
	@echo 'make real            TorchScript files in packages on PyPI; REAL=--help'
	@echo 'make clean           removes the build folder'
	@echo 'LIBTORCH=DIR picks a libtorch, LIBTORCH=none builds without, BUILD=DIR picks a build folder, V=1 shows commands.'

setup:
	@scripts/setup

demo:
	@scripts/setup --check || scripts/setup
	$(submake) run-demo

run-demo: all
	@$(PROGRAM) models/bert-tiny.pt --out $(BUILD)/bert-tiny.onnx --print-tree
	@echo 'the model is in $(BUILD)/bert-tiny.onnx'

clean:
	rm -rf $(if $(BUILD),$(BUILD),build)

# Packages have the shim of the build, and those that scripts/bands made.
PACKED_SHIMS := $(WHEEL_SHIM) $(filter-out %/$(notdir $(SHIM)),$(wildcard $(BANDS)/libhtp-shim-*.so))
BANDS ?= build/bands
.PHONY: wheel deb dist tarball portable-wheel run-tarball
wheel: $(WHEEL_FILES)
	@scripts/wheel $(WHEEL_BUILD) build/wheel $(PACKED_SHIMS)

# The path of the shims is in the program, so packages are made from a build of their own.
DEB_BUILD ?= build/deb
DEB_OUT ?= build/deb
deb: $(WHEEL_SHIM)
	$(Q)rm -rf $(DEB_BUILD)/root
	+@$(MAKE) --no-print-directory BUILD=$(DEB_BUILD) LIBTORCH=none PREFIX=/usr LIBDIR=/usr/lib/$(MULTIARCH) \
	    DESTDIR=$(abspath $(DEB_BUILD))/root ZSH_COMPLETION=/usr/share/zsh/vendor-completions/_htp-trace install
	@$(DATED) scripts/deb $(VERSION) $(DEB_BUILD)/root $(DEB_OUT) $(PACKED_SHIMS)
MULTIARCH = $(shell $(CC) -print-multiarch)

# Packages for machines with an older glibc than this one's. A static mimalloc that such a compiler made may be named.
PORTABLE_MIMALLOC ?=
PORTABLE := CC=scripts/portable/clang CXX=scripts/portable/clang++ BUILD=build/portable BANDS=build/portable/bands \
    MIMALLOC=$(PORTABLE_MIMALLOC)
tarball:
	$(submake) $(PORTABLE) run-tarball

portable-wheel:
	$(submake) $(PORTABLE) wheel

TARBALL_OUT ?= build/tarball
run-tarball: $(WHEEL_FILES) all
	$(Q)rm -rf $(CORE_BUILD)/root
	+@$(MAKE) --no-print-directory PREFIX=/usr/local DESTDIR=$(abspath $(CORE_BUILD))/root install
	@$(DATED) scripts/tarball htp-trace-$(VERSION) $(CORE_BUILD)/root $(WHEEL_BUILD) $(TARBALL_OUT) $(PACKED_SHIMS)

DIST_OUT ?= build/dist
dist:
	@$(DATED) scripts/dist htp-trace-$(VERSION) $(DIST_OUT)

# The date in what is packed: that of the latest commit, or of the archive.
DATED = SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$([ -e .git ] && git log -1 --format=%ct || stat -c %Y CHANGELOG.md)}

DEST = $(DESTDIR)$(1)
CMAKEDIR := $(LIBDIR)/cmake/htp
INSTALL_STRIPPED := $(INSTALL) -m 755 -s --strip-program=$(STRIP)
IN_PREFIX = sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' -e 's|@SERIES@|$(basename $(VERSION))|'
install: all
	$(INSTALL) -d $(call DEST,$(BINDIR)) $(call DEST,$(LIBDIR))/htp \
	    $(call DEST,$(LIBDIR))/pkgconfig $(call DEST,$(CMAKEDIR)) $(call DEST,$(INCLUDEDIR))/htp $(call DEST,$(DATADIR))/htp \
	    $(call DEST,$(MANDIR)) $(dir $(call DEST,$(BASH_COMPLETION))) \
	    $(dir $(call DEST,$(ZSH_COMPLETION))) $(dir $(call DEST,$(FISH_COMPLETION)))
	$(INSTALL_STRIPPED) $(PROGRAM) $(call DEST,$(BINDIR))/htp-trace
	$(INSTALL) -m 644 $(STATIC) $(call DEST,$(LIBDIR))/libhtp.a
	$(STRIP) --strip-debug $(call DEST,$(LIBDIR))/libhtp.a
	$(INSTALL_STRIPPED) $(SHARED) $(call DEST,$(LIBDIR))/libhtp.so.$(VERSION)
	ln -sf libhtp.so.$(VERSION) $(call DEST,$(LIBDIR))/$(SONAME)
	ln -sf $(SONAME) $(call DEST,$(LIBDIR))/libhtp.so
	$(if $(TORCH),$(INSTALL_STRIPPED) $(SHIM) $(call DEST,$(LIBDIR))/htp)
	$(if $(TORCH),ln -sfn $(call torch,root) $(call DEST,$(LIBDIR))/htp/libtorch)
	$(INSTALL) -m 644 include/htp/* $(call DEST,$(INCLUDEDIR))/htp
	$(INSTALL) -m 644 docs/*.schema.json $(call DEST,$(DATADIR))/htp
	$(INSTALL) -m 644 docs/man/*.1 $(call DEST,$(MANDIR))
	$(INSTALL) -m 644 scripts/completion/htp-trace.bash $(call DEST,$(BASH_COMPLETION))
	$(INSTALL) -m 644 scripts/completion/htp-trace.zsh $(call DEST,$(ZSH_COMPLETION))
	$(INSTALL) -m 644 scripts/completion/htp-trace.fish $(call DEST,$(FISH_COMPLETION))
	$(IN_PREFIX) \
	    -e 's|@LIBDIR@|$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))|' \
	    -e 's|@INCLUDEDIR@|$(patsubst $(PREFIX)/%,$${prefix}/%,$(INCLUDEDIR))|' \
	    scripts/htp.pc.in > $(call DEST,$(LIBDIR))/pkgconfig/htp.pc
	$(IN_PREFIX) -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' \
	    scripts/htp-config.cmake.in > $(call DEST,$(CMAKEDIR))/htp-config.cmake
	$(IN_PREFIX) scripts/htp-config-version.cmake.in > $(call DEST,$(CMAKEDIR))/htp-config-version.cmake
	chmod 644 $(call DEST,$(LIBDIR))/pkgconfig/htp.pc $(call DEST,$(CMAKEDIR))/*.cmake

uninstall:
	rm -f $(call DEST,$(BINDIR))/htp-trace $(call DEST,$(LIBDIR))/libhtp.a \
	    $(call DEST,$(LIBDIR))/libhtp.so* $(call DEST,$(LIBDIR))/htp/libhtp-shim-*.so $(call DEST,$(LIBDIR))/htp/libtorch \
	    $(call DEST,$(LIBDIR))/pkgconfig/htp.pc $(call DEST,$(CMAKEDIR))/htp-config*.cmake \
	    $(patsubst include/%,$(call DEST,$(INCLUDEDIR))/%,$(wildcard include/htp/*)) \
	    $(patsubst docs/%,$(call DEST,$(DATADIR))/htp/%,$(wildcard docs/*.schema.json)) \
	    $(patsubst docs/man/%,$(call DEST,$(MANDIR))/%,$(wildcard docs/man/*.1)) \
	    $(call DEST,$(BASH_COMPLETION)) $(call DEST,$(ZSH_COMPLETION)) $(call DEST,$(FISH_COMPLETION))
	-rmdir $(call DEST,$(CMAKEDIR)) $(call DEST,$(LIBDIR))/htp $(call DEST,$(INCLUDEDIR))/htp $(call DEST,$(DATADIR))/htp

# ---- tests ---------------------------------------------------------------------------------------

.PHONY: check tests run-check faults hostile run-hostile oldest-runtime unit asan run-asan tsan run-tsan fuzz run-fuzz valgrind run-valgrind bench op-coverage zoo quality downstream real docs format format-check tidy tidy-core \
    tidy-shim tidy-changed

TEST_ENV = HTP_BUILD='$(abspath $(BUILD))' HTP_CORE_BUILD='$(abspath $(CORE_BUILD))' HTP_LIBTORCH='$(call torch,root)' \
    HTP_LIBTORCH_VERSION='$(TORCH_VERSION)'

check:
	@scripts/setup --dev --check || scripts/setup --dev
	$(submake) run-check

# The programs that tests run.
tests: $(UNIT) $(STARTED) $(FAULTY) $(ORACLE) $(REPLAY) $(WHEEL_FILES)

# Parts of scripts/run-tests; unit and corpus are the same with each libtorch.
CHECK ?= unit corpus suite install
run-check: all tests
	@$(TEST_ENV) HTP_SHARE='$(SHARE)' scripts/run-tests $(CHECK)

# Faults on purpose, at every place in turn, damaged and changing inputs, and signals. FAULTS picks cases by name;
# PLACES=N takes N places of each command. FLAVOUR=asan: memory that runs out, with AddressSanitizer and its search for
# leaks, in minutes for each hundred places.
FAULTS ?= $(if $(filter asan,$(FLAVOUR)),faults/memory,faults damage changing ending)
PLACES ?= 0
FAULT_ENV = HTP_PLACES='$(PLACES)' $(if $(filter asan,$(FLAVOUR)), \
    ASAN_OPTIONS=allocator_may_return_null=1:alloc_dealloc_mismatch=0:exitcode=99 \
    LSAN_OPTIONS=suppressions='$(abspath tests/faults/leaks.supp)':print_suppressions=0)
faults:
	@scripts/setup --dev --check || scripts/setup --dev
	$(submake) run-faults

.PHONY: run-faults
run-faults: $(PROGRAM) shim $(STARTED) $(FAULTY)
	@$(TEST_ENV) $(FAULT_ENV) tests/run --slow --jobs '$(JOBS)' $(addprefix slow_,$(FAULTS))

# Every row of the table of hostile models; `make check` runs a slice. HOSTILE=WORD picks rows by name.
HOSTILE ?=
hostile:
	@scripts/setup --dev --check || scripts/setup --dev
	$(submake) run-hostile

run-hostile: all tests
	@$(TEST_ENV) HTP_HOSTILE='$(HOSTILE)' tests/run --slow --jobs '$(JOBS)' slow_hostile_models

# Every operator case at its lowest opset, in the oldest ONNX Runtime; `make check` runs a slice.
oldest-runtime:
	@scripts/setup --dev --check || scripts/setup --dev
	$(submake) run-oldest-runtime

.PHONY: run-oldest-runtime
run-oldest-runtime: all tests
	@$(TEST_ENV) tests/run --slow oldest_runtime

unit: $(UNIT)
	@$(TEST_ENV) scripts/run-tests unit

asan:
	$(submake) FLAVOUR=asan run-asan

# SHARE=1/4 is the first of four shares: of the exports of `make asan`, of the programs of `make valgrind`, of the
# suite of `make check`.
SHARE ?= 1/1
run-asan: $(PROGRAM) shim $(UNIT) $(REPLAY)
	@$(TEST_ENV) HTP_SHARE='$(SHARE)' scripts/run-tests asan unit corpus exports programs

# Eight threads on the C API under ThreadSanitizer, without libtorch.
tsan:
	$(submake) FLAVOUR=tsan run-tsan

THREAD_ROUNDS ?= 100
run-tsan: $(THREADS)
	@tests/threads/run $(THREADS) $(THREAD_ROUNDS)

# Builds the fuzzers; FUZZ_SECONDS=N also runs each of them for that time.
fuzz:
	$(submake) FLAVOUR=fuzz CC=clang run-fuzz

FUZZ_SECONDS ?= 0
run-fuzz: $(FUZZERS)
	@$(TEST_ENV) tests/fuzz/run $(FUZZ_SECONDS) $(FUZZERS)

valgrind:
	$(submake) FLAVOUR=valgrind run-valgrind

run-valgrind: $(UNIT)
	@$(TEST_ENV) HTP_SHARE='$(SHARE)' scripts/run-tests valgrind unit

bench: all $(TIMED)
	@$(TEST_ENV) scripts/bench $(BENCH)

op-coverage: all $(ORACLE)
	@$(TEST_ENV) $(or $(HTP_PYTHON),.venv/bin/python) -B scripts/op_coverage.py $(OP_COVERAGE)

zoo: all
	@$(TEST_ENV) $(or $(HTP_PYTHON),.venv/bin/python) -B scripts/zoo.py $(ZOO)

quality: all
	@$(TEST_ENV) $(or $(HTP_PYTHON),.venv/bin/python) -B scripts/quality.py $(QUALITY)

# The whole table sets up an environment with other tools; DOWNSTREAM=--slice needs none.
downstream: all
	@$(TEST_ENV) $(or $(HTP_PYTHON),.venv/bin/python) -B scripts/downstream.py $(DOWNSTREAM)

# Needs downloads, so it is not part of `make check`.
real: all
	@$(TEST_ENV) $(or $(HTP_PYTHON),.venv/bin/python) -B scripts/real.py $(REAL)

# Man pages, docs/COMMANDS.md and completion, from core/cli/arguments and docs/manual. DOCS=--examples first writes the
# current output of examples.
docs: all
	@python3 -B scripts/manual.py $(PROGRAM) $(DOCS)

format:
	$(CLANG_FORMAT) -i $(FORMATTED)

format-check:
	$(CLANG_FORMAT) --dry-run -Werror $(FORMATTED)

TIDY := xargs -r -P $(JOBS) -I{} $(CLANG_TIDY) --quiet {} --
TIDIED_C ?= $(CORE_C) $(CLI_C) $(UNIT_C) $(FUZZ_C) $(ORACLE_C)
TIDIED_CXX ?= $(SHIM_CXX)
tidy: tidy-core tidy-shim

tidy-core: $(GEN_H)
	$(Q)printf '%s\n' $(TIDIED_C) | $(TIDY) $(C_FLAGS) $(UNIT_FLAGS) -isystem $(CORE_BUILD)/gen \
	    -DHTP_SHIM_FOLDER='"$(LIBDIR)/htp"'

tidy-shim:
	$(Q)printf '%s\n' $(TIDIED_CXX) | $(TIDY) $(CXX_FLAGS) $(TORCH_CFLAGS)

# Files changed recently, or whose header was, since BASE or by scripts/changed-files: latest first, as many as
# continuous integration has time for. `make tidy` checks all.
MOST_C ?= 12
MOST_CXX ?= 3
tidy-changed: CHANGED = $(shell scripts/changed-files $(BASE) | sed 's/\.h$$/.c/; p; s/\.c$$/.cpp/' | \
    awk '!seen[$$0]++')
tidy-changed: LATE_C = $(wordlist 1,$(MOST_C),$(filter $(TIDIED_C),$(CHANGED)))
tidy-changed: LATE_CXX = $(wordlist 1,$(MOST_CXX),$(filter $(TIDIED_CXX),$(CHANGED)))
tidy-changed:
	@scripts/changed-files $(BASE) >/dev/null
	@printf '  %-5s %s\n' TIDY '$(LATE_C) $(LATE_CXX)'
	+@$(MAKE) --no-print-directory tidy-core TIDIED_C='$(LATE_C)'
	+@$(MAKE) --no-print-directory tidy-shim TIDIED_CXX='$(LATE_CXX)'
