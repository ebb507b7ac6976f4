// SPDX-License-Identifier: Apache-2.0
// What may be wrong with an instruction that a kernel reaches.
#pragma once

namespace ptx {

/// The rule is for good: lists of known findings name it. The words may change.
struct failure {
  const char* rule;
  const char* words;
};

inline constexpr failure beyond_labels{"an-index-beyond-the-branch's-labels",
                                       "the index is beyond the branch's labels"};
inline constexpr failure no_function{"no-function-has-this-address",
                                     "no function has this address"};
inline constexpr failure other_parameters{"the-function-takes-other-parameters",
                                          "the function takes other parameters"};
inline constexpr failure trapped{"the-kernel-traps", "the kernel traps"};
inline constexpr failure partial_warp{"a-warp-of-fewer-than-32-threads",
                                      "the warp has fewer than 32 threads"};
inline constexpr failure too_many_arrivals{"more-arrivals-than-the-mbarrier-expects",
                                           "there are more arrivals than the mbarrier expects"};
inline constexpr failure impossible_arrivals{"a-number-of-arrivals-that-no-mbarrier-can-expect",
                                             "no mbarrier can expect this number of arrivals"};
inline constexpr failure unsupported_instruction{"not-supported", "not supported"};
inline constexpr failure outside_of_constants{"an-address-outside-of-all-constants",
                                              "the address is outside of all constants"};
inline constexpr failure no_such_block{"a-block-that-the-cluster-does-not-have",
                                       "the cluster does not have this block"};
inline constexpr failure outside_of_cluster{
    "an-address-outside-of-the-cluster's-shared-memory",
    "the address is outside of the cluster's shared memory"};
inline constexpr failure outside_of_local{"an-address-outside-of-the-thread's-local-memory",
                                          "the address is outside of the thread's local memory"};
inline constexpr failure odd_copy_size{"a-size-that-is-not-a-multiple-of-16-bytes",
                                       "the size is not a multiple of 16 bytes"};
inline constexpr failure copy_too_large{"more-bytes-than-the-block-has-shared-memory",
                                        "the copy is larger than the block's shared memory"};
inline constexpr failure copy_not_awaited{
    "its-thread-ends-while-the-copy-may-still-read-shared-memory;-missing",
    "its thread ends while the copy may still read shared memory; missing: "
    "cp.async.bulk.wait_group.read"};
inline constexpr failure atomic_in_local{"an-atomic-access-to-the-thread's-own-memory",
                                         "an atomic access cannot be to the thread's own memory"};
inline constexpr failure unsupported_part{"a-part-of-a-copy-that-is-not-supported",
                                          "a part of this copy is not supported"};
inline constexpr failure text_outside_of_memory{"text-outside-of-all-memory",
                                                "the text is outside of all memory"};
inline constexpr failure freed_without_malloc{
    "free()-of-what-malloc()-has-not-returned,-or-of-what-has-been-freed",
    "malloc() has not returned this address, or free() has already taken it"};

}  // namespace ptx
