#include "bench/child_answer.h"

#include <poll.h>

namespace nestor {

using nlohmann::json;

void answer_parent(const ParentLink& link, const std::function<json()>& body) {
    json answer;
    try {
        answer = body();
    } catch (const std::runtime_error& error) {
        answer = {{"error", error.what()}};
    }
    link.tell(answer.dump(-1, ' ', false, json::error_handler_t::replace));
}

ChildAnswer await_answer(ForkedChild& child, double seconds) {
    child.start_clock();
    std::vector<std::string> lines;
    bool open = true;
    while (open && lines.empty()) {
        const double left = seconds - child.seconds();
        if (left <= 0) {
            child.kill();
            return {{}, "time limit of " + std::to_string(static_cast<int>(seconds)) + " s"};
        }
        pollfd event{child.messages(), POLLIN, 0};
        poll(&event, 1, static_cast<int>(left * 1000) + 1);
        open = child.receive(lines);
    }
    if (lines.empty()) {
        return {{}, child.wait().text()};
    }
    json answer = json::parse(lines.front(), nullptr, false);
    if (answer.is_object() && answer.contains("error")) {
        return {{}, answer["error"].get<std::string>()};
    }
    return {std::move(answer), ""};
}

ChildAnswer ask_child(const std::function<json()>& body, double seconds, std::int64_t bytes) {
    const Result<std::unique_ptr<ForkedChild>> started =
        ForkedChild::start([&](const ParentLink& link) { answer_parent(link, body); }, bytes);
    if (!started) {
        return {{}, started.error()};
    }
    return await_answer(*started.value(), seconds);
}

}  // namespace nestor
