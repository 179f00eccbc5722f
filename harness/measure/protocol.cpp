// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "harness/measure/protocol.hpp"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ninefold::protocol {

NLOHMANN_JSON_SERIALIZE_ENUM(Failure::Kind, {{Failure::Kind::failed, "failed"},
                                             {Failure::Kind::refused, "refused"},
                                             {Failure::Kind::out_of_memory, "out_of_memory"}})

namespace {

using nlohmann::json;

json number(const std::optional<double>& value) { return value && std::isfinite(*value) ? json(*value) : json(); }

std::optional<double> optional_number(const json& message, const char* key) {
  const auto found = message.find(key);
  return found == message.end() || found->is_null() ? std::nullopt : std::optional(found->get<double>());
}

json parse(const std::string& line) {
  try {
    json message = json::parse(line);
    if (message.is_object()) return message;
  } catch (const json::exception&) {
  }
  throw ProtocolError(fmt::format("expected one JSON object a line, found: {:.80}", line));
}

/// The object of an answer of the given name. Wrong types inside surface as ProtocolError too.
template <class Read>
auto read_answer(const std::string& line, const std::string& name, const Read& read) {
  const json message = parse(line);
  try {
    const std::string found = message.at("answer");
    if (found == "error")
      throw ChildFailure(Failure{message.at("kind").get<Failure::Kind>(), message.at("reason")});
    if (found != name) throw ProtocolError(fmt::format("expected the answer \"{}\", found \"{}\"", name, found));
    return read(message);
  } catch (const json::exception& error) {
    throw ProtocolError(fmt::format("the answer \"{}\" is malformed ({}): {:.80}", name, error.what(), line));
  }
}

int64_t count(const json& message, const char* key) {
  const int64_t value = message.at(key);
  if (value < 0) throw ProtocolError(fmt::format("\"{}\" must not be negative, found {}", key, value));
  return value;
}

double seconds(const json& message, const char* key) {
  const double value = message.at(key);
  if (!(value >= 0) || !std::isfinite(value))
    throw ProtocolError(fmt::format("\"{}\" must be a time in seconds, found {}", key, value));
  return value;
}

}  // namespace

std::string ask_hello(const Task& task) {
  return json{{"ninefold", kVersion}, {"ask", "hello"}, {"task", task}}.dump();
}
std::string ask_run(int64_t until) { return json{{"ask", "run"}, {"until", until}}.dump(); }
std::string ask_evaluate() { return json{{"ask", "evaluate"}}.dump(); }
std::string ask_memory() { return json{{"ask", "memory"}}.dump(); }
std::string ask_bye() { return json{{"ask", "bye"}}.dump(); }

Question parse_question(const std::string& line) {
  const json message = parse(line);
  try {
    Question question;
    question.name = message.at("ask");
    if (question.name == "run") question.until = message.at("until");
    if (question.name == "hello") {
      if (message.at("ninefold") != kVersion)
        throw ProtocolError(fmt::format("expected protocol version {}, found {}", kVersion, message.at("ninefold").dump()));
      question.task = message.at("task");
    }
    return question;
  } catch (const json::exception& error) {
    throw ProtocolError(fmt::format("malformed question ({}): {:.80}", error.what(), line));
  }
}

std::string answer(const Ready& ready) {
  return json{{"ninefold", kVersion},
              {"answer", "hello"},
              {"epoch_images", ready.epoch_images},
              {"window_images", ready.window_images},
              {"warm_up_steps", ready.warm_up_steps},
              {"seconds_per_image", ready.seconds_per_image},
              {"start_seconds", ready.start_seconds},
              {"data_digest", ready.data_digest},
              {"software", ready.software}}
      .dump();
}

std::string answer(const Ran& ran) {
  json message = {{"answer", "run"},
                  {"images", ran.images},
                  {"steps", ran.steps},
                  {"seconds", ran.seconds},
                  {"cpu_seconds", ran.cpu_seconds},
                  {"minor_faults", ran.minor_faults},
                  {"involuntary_switches", ran.involuntary_switches},
                  {"phases", ran.phases},
                  {"epoch_end", ran.epoch_end}};
  if (ran.epoch_end) {
    message["mean_loss"] = number(ran.mean_loss);
    message["first_loss"] = number(ran.first_loss);
    message["last_loss"] = number(ran.last_loss);
  }
  return message.dump();
}

std::string answer(const Evaluated& evaluated) {
  json numbers = json::object();
  for (const auto& [key, value] : evaluated.numbers) numbers[key] = number(value);
  return json{{"answer", "evaluate"},
              {"accuracy", number(evaluated.accuracy)},
              {"images", evaluated.images},
              {"probe_loss_before", number(evaluated.probe_loss_before)},
              {"probe_loss_after", number(evaluated.probe_loss_after)},
              {"parameters_changed", evaluated.parameters_changed ? json(*evaluated.parameters_changed) : json()},
              {"numbers", numbers}}
      .dump();
}

std::string answer(const MemoryRecord& memory) {
  return json{{"answer", "memory"},
              {"tensor_start", memory.tensor_start},
              {"tensor_peak", memory.tensor_peak},
              {"heap_start", memory.heap_start},
              {"heap_peak", memory.heap_peak},
              {"resident_start", memory.resident_start},
              {"resident_peak", memory.resident_peak},
              {"device_peak", memory.device_peak ? json(*memory.device_peak) : json()},
              {"heap_kept_per_step", number(memory.heap_kept_per_step)}}
      .dump();
}

std::string answer_bye() { return json{{"answer", "bye"}}.dump(); }

std::string answer(const Failure& failure) {
  return json{{"answer", "error"}, {"kind", failure.kind}, {"reason", failure.reason}}.dump(
      -1, ' ', false, json::error_handler_t::replace);
}

Ready parse_ready(const std::string& line) {
  return read_answer(line, "hello", [](const json& m) {
    if (m.at("ninefold") != kVersion)
      throw ProtocolError(fmt::format("expected protocol version {}, found {}", kVersion, m.at("ninefold").dump()));
    Ready ready;
    ready.epoch_images = count(m, "epoch_images");
    ready.window_images = count(m, "window_images");
    ready.warm_up_steps = count(m, "warm_up_steps");
    ready.seconds_per_image = seconds(m, "seconds_per_image");
    ready.start_seconds = m.contains("start_seconds") ? seconds(m, "start_seconds") : 0;
    ready.data_digest = m.value("data_digest", "");
    ready.software = m.value("software", Facts{});
    if (ready.window_images < 1) throw ProtocolError("\"window_images\" must be 1 or more");
    return ready;
  });
}

Ran parse_ran(const std::string& line) {
  return read_answer(line, "run", [](const json& m) {
    Ran ran;
    ran.images = count(m, "images");
    ran.steps = count(m, "steps");
    ran.seconds = seconds(m, "seconds");
    ran.cpu_seconds = m.contains("cpu_seconds") ? seconds(m, "cpu_seconds") : 0;
    ran.minor_faults = m.value("minor_faults", int64_t{0});
    ran.involuntary_switches = m.value("involuntary_switches", int64_t{0});
    ran.phases = m.value("phases", std::map<std::string, double>{});
    ran.epoch_end = m.at("epoch_end");
    ran.mean_loss = optional_number(m, "mean_loss");
    ran.first_loss = optional_number(m, "first_loss");
    ran.last_loss = optional_number(m, "last_loss");
    return ran;
  });
}

Evaluated parse_evaluated(const std::string& line) {
  return read_answer(line, "evaluate", [](const json& m) {
    Evaluated evaluated;
    evaluated.accuracy = optional_number(m, "accuracy");
    evaluated.images = m.contains("images") ? count(m, "images") : 0;
    evaluated.probe_loss_before = optional_number(m, "probe_loss_before");
    evaluated.probe_loss_after = optional_number(m, "probe_loss_after");
    if (const auto changed = m.find("parameters_changed"); changed != m.end() && !changed->is_null())
      evaluated.parameters_changed = changed->get<bool>();
    if (const auto numbers = m.find("numbers"); numbers != m.end())
      for (const auto& [key, value] : numbers->items())
        if (!value.is_null()) evaluated.numbers[key] = value.get<double>();
    return evaluated;
  });
}

MemoryRecord parse_memory(const std::string& line) {
  return read_answer(line, "memory", [](const json& m) {
    MemoryRecord memory;
    memory.tensor_start = count(m, "tensor_start");
    memory.tensor_peak = count(m, "tensor_peak");
    memory.heap_start = count(m, "heap_start");
    memory.heap_peak = count(m, "heap_peak");
    memory.resident_start = count(m, "resident_start");
    memory.resident_peak = count(m, "resident_peak");
    if (const auto device = m.find("device_peak"); device != m.end() && !device->is_null())
      memory.device_peak = device->get<int64_t>();
    memory.heap_kept_per_step = optional_number(m, "heap_kept_per_step");
    return memory;
  });
}

void parse_bye(const std::string& line) {
  read_answer(line, "bye", [](const json&) { return 0; });
}

}  // namespace ninefold::protocol
