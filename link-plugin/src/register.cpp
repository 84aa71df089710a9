// Makes the pass known to LLVM's parser of pass pipelines, for which LLVM has no C interface.

#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CBindingWrapping.h"

// src/lib.rs.
extern "C" void omptarget_run(LLVMModuleRef module, unsigned level);

namespace {

class Omptarget : public llvm::PassInfoMixin<Omptarget> {
  unsigned Level;

public:
  explicit Omptarget(unsigned Level) : Level(Level) {}

  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &) {
    omptarget_run(llvm::wrap(&M), Level);
    return llvm::PreservedAnalyses::none();
  }

  // Also for functions that are to stay as they are (`optnone`): the runtime's state is the whole module's.
  static bool isRequired() { return true; }
};

// Takes `omptarget<O1>` to `omptarget<O3>`.
bool parse(llvm::StringRef Name, llvm::ModulePassManager &Passes,
           llvm::ArrayRef<llvm::PassBuilder::PipelineElement> Inner) {
  unsigned Level;
  if (!Inner.empty() || !Name.consume_front("omptarget<O") || !Name.consume_back(">") ||
      Name.getAsInteger(10, Level) || Level < 1 || Level > 3)
    return false;
  Passes.addPass(Omptarget(Level));
  return true;
}

} // namespace

extern "C" void omptarget_register(llvm::PassBuilder &Builder) {
  Builder.registerPipelineParsingCallback(parse);
}
