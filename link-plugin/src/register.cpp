// Makes the passes known to LLVM's pipelines, and leaves out some of LLVM's own: LLVM has no C interface for either.

#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CBindingWrapping.h"

#include <memory>
#include <string>
#include <utility>

// src/lib.rs.
extern "C" bool omptarget_accepts(const char *options, size_t length);
extern "C" void omptarget_run(LLVMModuleRef module, const char *options, size_t length);
extern "C" void omptarget_run_on_unit(LLVMModuleRef module);
extern "C" void omptarget_finish_unit(LLVMModuleRef module);
extern "C" void omptarget_begin_link(LLVMModuleRef module);
extern "C" void omptarget_end_link(LLVMModuleRef module);

namespace {

class Omptarget : public llvm::PassInfoMixin<Omptarget> {
  std::string Options;

public:
  explicit Omptarget(llvm::StringRef Options) : Options(Options) {}

  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &) {
    omptarget_run(llvm::wrap(&M), Options.data(), Options.size());
    return llvm::PreservedAnalyses::none();
  }

  // Also for functions that are to stay as they are (`optnone`): the runtime's state is the whole module's.
  static bool isRequired() { return true; }
};

// One of our steps in a pipeline of LLVM's.
template <void (*Run)(LLVMModuleRef)> class Step : public llvm::PassInfoMixin<Step<Run>> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &) {
    Run(llvm::wrap(&M));
    return llvm::PreservedAnalyses::none();
  }

  // Also at -O0: it makes programs right, not fast.
  static bool isRequired() { return true; }
};

// Takes `omptarget<O1>` to `omptarget<O3>`, with options behind the level (`omptarget<O2;verify-each>`).
bool parse(llvm::StringRef Name, llvm::ModulePassManager &Passes,
           llvm::ArrayRef<llvm::PassBuilder::PipelineElement> Inner) {
  if (!Inner.empty() || !Name.consume_front("omptarget<") || !Name.consume_back(">") ||
      !omptarget_accepts(Name.data(), Name.size()))
    return false;
  Passes.addPass(Omptarget(Name));
  return true;
}

// Of a link, only the first run of LLVM's OpenMP optimiser. It finds what needs the calls of the device runtime
// (SPMD mode, state machines). The runs behind the inliner take time by the square of the number of kernels, and our
// compiler runs it once more on what the link leaves (docs/decisions/0049-one-openmp-opt-per-link.md).
void keepFirstOpenMPOpt(llvm::PassBuilder &Builder) {
  auto *Callbacks = Builder.getPassInstrumentationCallbacks();
  if (!Callbacks)
    return;
  enum State { NoLink, Link, HasRun };
  auto Now = std::make_shared<State>(NoLink);
  Builder.registerFullLinkTimeOptimizationEarlyEPCallback(
      [Now](llvm::ModulePassManager &, llvm::OptimizationLevel) { *Now = Link; });
  Callbacks->registerShouldRunOptionalPassCallback([Now](llvm::StringRef Pass, llvm::Any) {
    if (*Now == NoLink || (Pass != "OpenMPOptPass" && Pass != "OpenMPOptCGSCCPass"))
      return true;
    return std::exchange(*Now, HasRun) == Link;
  });
}

} // namespace

extern "C" void omptarget_register(llvm::PassBuilder &Builder) {
  keepFirstOpenMPOpt(Builder);
  Builder.registerPipelineParsingCallback(parse);
  Builder.registerPipelineStartEPCallback(
      [](llvm::ModulePassManager &Passes, llvm::OptimizationLevel) { Passes.addPass(Step<omptarget_run_on_unit>()); });
  Builder.registerOptimizerLastEPCallback(
      [](llvm::ModulePassManager &Passes, llvm::OptimizationLevel, llvm::ThinOrFullLTOPhase) {
        Passes.addPass(Step<omptarget_finish_unit>());
      });
  Builder.registerFullLinkTimeOptimizationEarlyEPCallback(
      [](llvm::ModulePassManager &Passes, llvm::OptimizationLevel) { Passes.addPass(Step<omptarget_begin_link>()); });
  Builder.registerFullLinkTimeOptimizationLastEPCallback(
      [](llvm::ModulePassManager &Passes, llvm::OptimizationLevel) { Passes.addPass(Step<omptarget_end_link>()); });
}
