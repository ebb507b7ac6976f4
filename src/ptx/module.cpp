#include <ptx/module.hpp>

namespace ptx {

struct loaded_module::parts {
  std::vector<variable> variables;
  std::vector<std::string> kernels;
};

loaded_module::loaded_module(std::string) : parts_(std::make_unique<parts>()) {
  throw error("PTX cannot be read yet");
}
loaded_module::~loaded_module() = default;

const std::vector<variable>& loaded_module::variables() const {
  return parts_->variables;
}
const std::vector<std::string>& loaded_module::kernels() const {
  return parts_->kernels;
}
const kernel* loaded_module::find(std::string_view) const {
  return nullptr;
}
void loaded_module::place(std::string_view name, void*) {
  throw error("no variable " + std::string(name));
}
void loaded_module::relocate() {}

}  // namespace ptx
