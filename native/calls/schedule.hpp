// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Steps of one rank in a collective: a lazily generated sequence of point-to-point steps.
#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <utility>

namespace linkworth::replay {

enum class StepKind : std::uint8_t {
    send,        ///< post a send
    recv,        ///< post a receive
    recv_ahead,  ///< post a receive that the wait after the next one waits for
    wait,        ///< wait for all that was posted
    combine,     ///< reduce `bytes` of received data into the own
    pack,        ///< copy `bytes` inside the own memory, in `peer` blocks
    datatype,    ///< make, commit and free a datatype of blocks
    start,       ///< let another schedule go on beside this one: `Schedule::take_started`
    join,        ///< wait until all that were started have ended
    release,     ///< release the lock of a window: of the peer's part, or of all if there is none
};

struct Step {
    StepKind kind = StepKind::wait;
    std::uint8_t lane = 0;   ///< messages of different lanes do not match: parts that go on at once
    std::uint32_t peer = 0;  ///< rank in the communicator; the blocks of a `pack`
    std::uint64_t bytes = 0;
};

/// Returns whether the step has a peer.
inline bool is_addressed(const Step& step) {
    return step.kind == StepKind::send || step.kind == StepKind::recv || step.kind == StepKind::recv_ahead;
}

inline Step send_to(std::uint32_t peer, std::uint64_t bytes) { return {StepKind::send, 0, peer, bytes}; }
inline Step receive_from(std::uint32_t peer, std::uint64_t bytes) { return {StepKind::recv, 0, peer, bytes}; }
inline Step receive_ahead(std::uint32_t peer, std::uint64_t bytes) {
    return {StepKind::recv_ahead, 0, peer, bytes};
}
inline Step wait_all() { return {StepKind::wait, 0, 0, 0}; }
inline Step combine(std::uint64_t bytes) { return {StepKind::combine, 0, 0, bytes}; }
inline Step pack(std::uint32_t blocks, std::uint64_t bytes) { return {StepKind::pack, 0, blocks, bytes}; }
inline Step datatype() { return {StepKind::datatype, 0, 0, 0}; }

inline Step release_lock_of(std::uint32_t peer) { return {StepKind::release, 0, peer, 0}; }
inline Step join_all() { return {StepKind::join, 0, 0, 0}; }

/// Lanes that a schedule may use; they share the tag with the collective's number.
inline constexpr std::uint32_t lanes = 4;

/// A generator of steps. Movable; destroying it ends the collective.
class Schedule {
  public:
    /// Yield this to start `steps`, whose messages get the lane.
    struct Beside;
    /// Yield this to pass on a step that `from` has just given.
    struct Forward;

    struct promise_type {
        Step current;
        std::coroutine_handle<promise_type> started;  ///< steps that a `start` step starts

        Schedule get_return_object() {
            return Schedule(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(const Step& step) noexcept {
            current = step;
            return {};
        }
        std::suspend_always yield_value(Beside beside) noexcept;
        std::suspend_always yield_value(Forward forward) noexcept;
        void return_void() noexcept {}
        [[noreturn]] void unhandled_exception() { std::terminate(); }
    };

    Schedule() = default;
    Schedule(Schedule&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Schedule& operator=(Schedule&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    Schedule(const Schedule&) = delete;
    Schedule& operator=(const Schedule&) = delete;
    ~Schedule() {
        if (handle_) handle_.destroy();
    }

    explicit operator bool() const { return static_cast<bool>(handle_); }
    /// False at the end.
    bool next(Step& step) {
        handle_.resume();
        if (handle_.done()) return false;
        step = handle_.promise().current;
        return true;
    }
    /// The schedule of the `start` step that `next` has just given.
    Schedule take_started() { return Schedule(std::exchange(handle_.promise().started, nullptr)); }
    void clear() {
        if (handle_) handle_.destroy();
        handle_ = nullptr;
    }

  private:
    explicit Schedule(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
    std::coroutine_handle<promise_type> handle_;
};

struct Schedule::Beside {
    Schedule& steps;
    std::uint8_t lane;
};

struct Schedule::Forward {
    Schedule& from;
    const Step& step;
};

inline std::suspend_always Schedule::promise_type::yield_value(Forward forward) noexcept {
    current = forward.step;
    if (current.kind == StepKind::start)
        started = std::exchange(forward.from.handle_.promise().started, nullptr);
    return {};
}

inline std::suspend_always Schedule::promise_type::yield_value(Beside beside) noexcept {
    started = std::exchange(beside.steps.handle_, nullptr);
    current = {StepKind::start, beside.lane, 0, 0};
    return {};
}

}  // namespace linkworth::replay
