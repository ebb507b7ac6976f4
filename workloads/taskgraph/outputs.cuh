// The outputs of tasks, by how others learn that they are there. One interface:
//
//|  using own = typename Outputs::ref_type::template task<Most>;
//|  own task(ref, record);                      prepares the accesses; nothing is waited for
//|  task.take(round, watchdog, sum)             waits for the inputs; a thread's part of their sum
//|  task.put(round, value)   task.arrive()      the output, and what tells others of it
//
// Each by all threads of the block that runs the task. `Most`: accesses that a thread has for the
// inputs of a task at most, 0: any number. task.in_first_warp(): only its threads have inputs and
// outputs, or there are no inputs. own::waits_for_block: take() is a barrier of the block
// and returns the same to all of its threads.
#pragma once

#include <finesync/device/cell.cuh>
#include <finesync/device/ptx/computed_here.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/events/event_words.cuh>
#include <finesync/events/row_share.cuh>
#include <finesync/host/buffer.cuh>
#include <workloads/taskgraph/device_graph.cuh>
#include <workloads/taskgraph/output_words.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace finesync::taskgraph {

/// What a thread begins the sum of a task's inputs with: what its readers find beside the values.
__device__ inline std::uint32_t correction(std::uint32_t inputs, std::uint32_t excess) {
  return computed_here(threadIdx.x == 0 ? 0u - inputs * excess : 0u);
}

struct alignas(16) output_part {
  std::uint32_t words[4];
};

/// Plain memory. That the inputs are there is the schedule's business.
class plain_outputs {
  using contents = output_words<4>;

 public:
  class ref_type {
   public:
    ref_type(cell<output_part>* parts, unsigned accesses)
        : parts_(parts), accesses_(accesses), excess_(contents::excess(accesses)) {}

    template <unsigned Most>
    class task {
      using share = row_share<Most>;

     public:
      static constexpr bool waits_for_block = true;

      __device__ task(const ref_type& outputs, const task_record& record)
          : parts_(outputs.parts_),
            first_input_(outputs.first_of(record.links.first_input)),
            first_output_(outputs.first_of(record.work.output)),
            in_first_warp_(computed_here(record.links.inputs * outputs.accesses_ <= 32)),
            correction_(correction(record.links.inputs, outputs.excess_)),
            inputs_(outputs.accesses_, 0, record.links.inputs),
            output_(outputs.accesses_, 0, 1) {}

      __device__ bool take(std::uint32_t, const watchdog_ref&, std::uint32_t& sum) const {
        sum = correction_;
        return inputs_.each_batch(
            [&](const typename share::place(&places)[share::batch], unsigned number) {
              output_part found[share::batch];
              for (unsigned k = 0; k < share::batch; ++k) found[k] = at(first_input_, places[k]);
              for (unsigned k = 0; k < share::batch; ++k) {
                // Without a branch, which a load would wait in until the ones before it have come.
                const std::uint32_t value = computed_here(contents::found_in(
                    places[k].index, [&](unsigned word) { return found[k].words[word]; }));
                sum += k < number ? value : 0;
              }
              return true;
            });
      }
      __device__ void put(std::uint32_t, std::uint32_t value) const {
        output_.each_batch(
            [&](const typename share::place(&places)[share::batch], unsigned number) {
              for (unsigned k = 0; k < share::batch && k < number; ++k) {
                output_part part;
                for (unsigned word = 0; word < 4; ++word)
                  part.words[word] = contents::word(value, places[k].index, word);
                at(first_output_, places[k]) = part;
              }
              return true;
            });
      }
      __device__ void arrive() const {}
      __device__ bool in_first_warp() const { return in_first_warp_; }

     private:
      template <class Place>
      __device__ cell<output_part>& at(std::uint32_t first, const Place& place) const {
        return parts_[first + (place.element - threadIdx.x)];
      }

      cell<output_part>* parts_;
      std::uint32_t first_input_;  ///< of the calling thread
      std::uint32_t first_output_;
      bool in_first_warp_;
      std::uint32_t correction_;
      share inputs_;
      share output_;
    };

   private:
    /// Of the rows from this one on the calling thread's first part. A graph with all axes at their
    /// limits has 2^32 parts.
    __device__ std::uint32_t first_of(std::uint32_t row) const {
      return computed_here(row * accesses_ + threadIdx.x);
    }

    cell<output_part>* parts_;
    unsigned accesses_;
    std::uint32_t excess_;
  };

  plain_outputs(const task_graph& graph, unsigned payload_bytes)
      : accesses_(contents::accesses_for(payload_bytes)), parts_(graph.tasks.size() * accesses_) {}

  void reset() { parts_.fill_bytes(0); }
  ref_type ref() const { return ref_type(parts_.device_data(), accesses_); }
  /// Without waiting, for a check of the results.
  ref_type written() const { return ref(); }

  unsigned accesses() const { return accesses_; }
  std::uint32_t weight() const { return contents::weight(accesses_); }

 private:
  unsigned accesses_;
  buffer<output_part> parts_;
};

/// Plain memory, announced by events that count arrivals. Counts go on from replay to replay.
template <class Events>
class announced_outputs : public plain_outputs {
 public:
  class ref_type {
   public:
    ref_type(const plain_outputs::ref_type& outputs, const typename Events::ref_type& events)
        : outputs_(outputs), events_(events) {}

    template <unsigned Most>
    class task {
     public:
      static constexpr bool waits_for_block = true;
      static_assert(Events::waits_for_block);

      __device__ task(const ref_type& all, const task_record& record)
          : arrivals_(record.links.inputs),
            arrives_(record.links.arrives_at != no_event),
            input_(all.events_.at(record.links.waits_for)),
            output_(all.events_.at(arrives_ ? record.links.arrives_at : 0)),
            data_(all.outputs_, record) {}

      __device__ bool take(std::uint32_t round, const watchdog_ref& watchdog,
                           std::uint32_t& sum) const {
        if (arrivals_ != 0 && !input_.wait(round * arrivals_, watchdog)) return false;
        return data_.take(round, watchdog, sum);
      }
      __device__ void put(std::uint32_t round, std::uint32_t value) const {
        data_.put(round, value);
      }
      __device__ void arrive() const {
        if (arrives_) output_.arrive();
      }
      __device__ bool in_first_warp() const { return data_.in_first_warp(); }

     private:
      std::uint32_t arrivals_;
      bool arrives_;
      typename Events::event input_;
      typename Events::event output_;
      plain_outputs::ref_type::task<Most> data_;
    };

   private:
    plain_outputs::ref_type outputs_;
    typename Events::ref_type events_;
  };

  announced_outputs(const task_graph& graph, unsigned payload_bytes)
      : plain_outputs(graph, payload_bytes),
        events_(std::max(1u, static_cast<unsigned>(graph.arrivals.size()))) {}

  void reset() {
    plain_outputs::reset();
    events_.reset();
  }
  ref_type ref() const { return ref_type(plain_outputs::ref(), events_.ref()); }

 private:
  Events events_;
};

/// The words of events: each task has an event of its own, whose words are its output, and its
/// readers poll these. Neither counters nor fences.
template <class Words>
class outputs_in_words {
  using contents = output_words<3>;

 public:
  class ref_type {
   public:
    ref_type(const typename Words::ref_type& words, unsigned accesses)
        : words_(words), accesses_(accesses), excess_(contents::excess(accesses)) {}

    template <unsigned Most>
    class task {
     public:
      static constexpr bool waits_for_block = false;

      __device__ task(const ref_type& all, const task_record& record)
          : in_first_warp_(computed_here(record.links.inputs * all.accesses_ <= 32)),
            correction_(correction(record.links.inputs, all.excess_)),
            inputs_(
                all.words_.template share_of<Most>(record.links.first_input, record.links.inputs)),
            output_(all.words_.template share_of<Most>(record.work.output)) {}

      __device__ bool take(std::uint32_t round, const watchdog_ref& watchdog,
                           std::uint32_t& sum) const {
        sum = correction_;
        return inputs_.take(round, watchdog, [&](unsigned, unsigned index, const event_data& data) {
          sum += contents::found_in(index, [&](unsigned word) {
            return word == 0 ? data.first : word == 1 ? data.second : data.third;
          });
        });
      }
      __device__ void put(std::uint32_t round, std::uint32_t value) const {
        output_.put(round, [&](unsigned, unsigned index) {
          return event_data{contents::word(value, index, 0), contents::word(value, index, 1),
                            contents::word(value, index, 2)};
        });
      }
      __device__ void arrive() const {}
      __device__ bool in_first_warp() const { return in_first_warp_; }

     private:
      using share =
          decltype(std::declval<const typename Words::ref_type&>().template share_of<Most>(0u, 0u));
      bool in_first_warp_;
      std::uint32_t correction_;
      share inputs_;
      share output_;
    };

   private:
    typename Words::ref_type words_;
    unsigned accesses_;
    std::uint32_t excess_;
  };

  outputs_in_words(const task_graph& graph, unsigned payload_bytes)
      : accesses_(contents::accesses_for(payload_bytes)),
        words_(static_cast<unsigned>(graph.tasks.size()), accesses_ * contents::bytes) {}

  void reset() { words_.reset(); }
  ref_type ref() const { return ref_type(words_.ref(), accesses_); }
  /// Its take() ends at once where a run has written all words.
  ref_type written() const { return ref(); }

  unsigned accesses() const { return accesses_; }
  std::uint32_t weight() const { return contents::weight(accesses_); }

 private:
  unsigned accesses_;
  Words words_;
};

}  // namespace finesync::taskgraph
