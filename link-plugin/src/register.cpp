// Makes the pass known to LLVM's parser of pass pipelines, for which LLVM has no C interface.

#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CBindingWrapping.h"

#include <string>

// src/lib.rs.
extern "C" bool omptarget_accepts(const char *options, size_t length);
extern "C" void omptarget_run(LLVMModuleRef module, const char *options, size_t length);
extern "C" void omptarget_run_on_unit(LLVMModuleRef module);

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

class OmptargetUnit : public llvm::PassInfoMixin<OmptargetUnit> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &) {
    omptarget_run_on_unit(llvm::wrap(&M));
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

} // namespace

extern "C" void omptarget_register(llvm::PassBuilder &Builder) {
  Builder.registerPipelineParsingCallback(parse);
  Builder.registerPipelineStartEPCallback(
      [](llvm::ModulePassManager &Passes, llvm::OptimizationLevel) { Passes.addPass(OmptargetUnit()); });
}
