// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// What one rank does in a collective: a lazily generated sequence of point-to-point steps.
#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <utility>

namespace linkworth::replay {

enum class StepKind : std::uint8_t {
    send,  ///< post a send
    recv,  ///< post a receive
    wait,  ///< wait for all that was posted
};

struct Step {
    StepKind kind = StepKind::wait;
    std::uint32_t peer = 0;  ///< rank in the communicator
    std::uint64_t bytes = 0;
};

inline Step send_to(std::uint32_t peer, std::uint64_t bytes) { return {StepKind::send, peer, bytes}; }
inline Step receive_from(std::uint32_t peer, std::uint64_t bytes) { return {StepKind::recv, peer, bytes}; }
inline Step wait_all() { return {StepKind::wait, 0, 0}; }

/// A generator of steps. Movable; destroying it ends the collective.
class Schedule {
  public:
    struct promise_type {
        Step current;

        Schedule get_return_object() {
            return Schedule(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(const Step& step) noexcept {
            current = step;
            return {};
        }
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
    void clear() {
        if (handle_) handle_.destroy();
        handle_ = nullptr;
    }

  private:
    explicit Schedule(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
    std::coroutine_handle<promise_type> handle_;
};

}  // namespace linkworth::replay
