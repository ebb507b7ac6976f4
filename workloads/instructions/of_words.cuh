// The forms of an instruction on words: by width, order, scope, space, and use of the result.
#pragma once

#include "accesses.cuh"
#include "instruction_experiment.cuh"

#include <cstdint>
#include <memory>
#include <type_traits>

namespace finesync::instructions {

template <order... Each>
struct orders {};

/// Every order and scope, for those that synchronize.
using any_order = orders<order::relaxed, order::acquire, order::release, order::acq_rel>;
/// Relaxed, at device scope: there the kind and not the order decides.
using no_order = orders<order::relaxed>;

/// A declaration has `all`, the orders of a form of 32 bits with a result; `of`, the form; and
/// `without_result`, if there is one. Other forms are relaxed and of device scope.
template <modification Kind, class Orders = no_order>
struct modification_forms {
  using all = Orders;
  template <class Word, state_space Space, scope Scope, order Order>
  using of = modifies<Kind, Word, Space, Scope, Order>;
  template <class Word, state_space Space, scope Scope, order Order>
  using without_result = modifies<Kind, Word, Space, Scope, Order, false>;
};
struct exchange_forms {
  using all = any_order;
  template <class Word, state_space Space, scope Scope, order Order>
  using of = modifies<modification::exchange, Word, Space, Scope, Order>;
};
template <bool Succeeds, class Orders>
struct compare_forms {
  using all = Orders;
  template <class Word, state_space Space, scope Scope, order Order>
  using of = compares<Succeeds, Word, Space, Scope, Order>;
};
struct add_by_warp_forms {
  using all = no_order;
  template <class Word, state_space Space, scope Scope, order Order>
  using of = adds_by_warp<Word, Space, Scope, Order>;
  template <class Word, state_space Space, scope Scope, order Order>
  using without_result = adds_by_warp<Word, Space, Scope, Order, false>;
};
struct load_forms {
  using all = orders<order::relaxed, order::plain, order::acquire>;
  template <class Word, state_space Space, scope Scope, order Order>
  using of = loads<Word, Space, Scope, Order>;
};
struct poll_forms {
  using all = orders<order::relaxed, order::acquire>;
  template <class Word, state_space Space, scope Scope, order Order>
  using of = polls<Word, Space, Scope, Order>;
};
struct store_forms {
  using all = orders<order::relaxed, order::plain, order::release>;
  template <class Word, state_space Space, scope Scope, order Order>
  using of = stores<Word, Space, Scope, Order>;
};

namespace detail {

using made = std::unique_ptr<bench::experiment>;

template <class Forms, class Word, state_space Space, scope Scope, order Order>
made with_result(const run_config& config) {
  return experiment_with<typename Forms::template of<Word, Space, Scope, Order>>(config);
}

template <class Forms, class Word, state_space Space, scope Scope, order Order>
made without_result(const run_config& config) {
  if constexpr (requires { typename Forms::template without_result<Word, Space, Scope, Order>; })
    return experiment_with<typename Forms::template without_result<Word, Space, Scope, Order>>(
        config);
  else
    throw bench::infeasible("it has no form without a result");
}

template <class Forms, class Word, state_space Space, scope Scope, order Order>
made with_or_without_result(const run_config& config) {
  if (!config.result_unused) return with_result<Forms, Word, Space, Scope, Order>(config);
  if constexpr (Order == order::relaxed)
    return without_result<Forms, Word, Space, Scope, Order>(config);
  else
    throw bench::infeasible("without a result it is relaxed");
}

/// \tparam Every whether scopes in device memory matter: not to what is not ordered.
template <class Forms, class Word, order Order, bool Every>
made at_place(const run_config& config) {
  const auto only = [&](reach scope, const char* why) {
    if (config.scope != scope) throw bench::infeasible(why);
  };
  if (config.where == space::shared) {
    only(reach::block, "shared memory is accessed at --scope block");
    return with_or_without_result<Forms, Word, state_space::shared, scope::block, Order>(config);
  }
  if (config.where == space::other_block) {
    only(reach::cluster, "another block's shared memory is accessed at --scope cluster");
    if constexpr (sizeof(Word) == 4)
      return with_or_without_result<Forms, Word, state_space::other_block, scope::cluster, Order>(
          config);
    throw bench::infeasible("words of another block's shared memory have 32 bits");
  }
  if (config.scope == reach::device)
    return with_or_without_result<Forms, Word, state_space::global, scope::device, Order>(config);
  if constexpr (Every) {
    if (!config.result_unused && config.scope == reach::block)
      return with_result<Forms, Word, state_space::global, scope::block, Order>(config);
    if (!config.result_unused && config.scope == reach::cluster)
      return with_result<Forms, Word, state_space::global, scope::cluster, Order>(config);
    if (!config.result_unused)
      return with_result<Forms, Word, state_space::global, scope::system, Order>(config);
  }
  throw bench::infeasible("this form is of --scope device");
}

template <class Forms, order... Each>
made in_order(const run_config& config, orders<Each...> /*all*/) {
  made found;
  const auto make = [&]<order Order>() {
    if (config.ordered != Order) return;
    constexpr bool every = sizeof...(Each) > 1 && Order != order::plain;
    if (config.bits == 32) {
      found = at_place<Forms, std::uint32_t, Order, every>(config);
    } else if constexpr (Order == order::relaxed) {
      found = at_place<Forms, std::uint64_t, Order, false>(config);
    } else {
      throw bench::infeasible("with 64 bits it is relaxed");
    }
  };
  (make.template operator()<Each>(), ...);
  if (!found) throw bench::infeasible("it has no form of this --order");
  return found;
}

}  // namespace detail

/// The experiment of an instruction: of the form that a configuration asks for, if it has forms.
template <class Declared>
std::unique_ptr<bench::experiment> experiment_of(const run_config& config) {
  if (config.bits != 32 && config.bits != 64) throw bench::infeasible("a word has 32 or 64 bits");
  const bool one_word = config.stride == 0 && config.where == space::global;
  if (one_word && (config.scope == reach::block || config.scope == reach::cluster))
    throw bench::infeasible("one word of all blocks: --scope device or system, else it is a race");
  if constexpr (std::is_same_v<Declared, store_forms>)
    if (config.ordered == order::plain && config.stride == 0)
      throw bench::infeasible("plain stores of several threads to one word are a race");
  if constexpr (requires { typename Declared::all; })
    return detail::in_order<Declared>(config, typename Declared::all{});
  else
    return experiment_with<Declared>(config);
}

}  // namespace finesync::instructions
