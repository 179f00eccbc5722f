// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "bench/options.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/model_names.hpp"

namespace ninefold {

extern const char* const kHelpText;  // help.txt

namespace {

/// A number of the whole text, whatever the locale; nothing if it is none or out of range.
template <class Number>
std::optional<Number> parse_number(const std::string& text, Number least, Number most) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!(value >= least && value <= most)) return std::nullopt;  // also refuses NaN
  return value;
}

/// A flag that takes a number between two bounds; anything else is an error that names them.
template <class Number, class Set>
CLI::Option* number_flag(CLI::App& app, const std::string& flag, Number least, Number most, const Set& set) {
  return app.add_option_function<std::string>(flag, [=](const std::string& text) {
    const auto value = parse_number<Number>(text, least, most);
    if (!value) throw CLI::ValidationError(fmt::format("{}: expected a number from {} to {}, found \"{}\"", flag, least, most, text));
    set(*value);
  });
}

template <class Set>
void word_flag(CLI::App& app, const std::string& flag, const std::vector<std::string>& words, const Set& set) {
  app.add_option_function<std::string>(flag, [=](const std::string& text) {
    if (std::find(words.begin(), words.end(), text) == words.end())
      throw CLI::ValidationError(fmt::format("{}: expected one of {}, found \"{}\"", flag, fmt::join(words, ", "), text));
    set(text);
  });
}

bool is_device(const std::string& text) {
  if (text == "auto" || text == "cpu" || text == "cuda") return true;
  return text.starts_with("cuda:") && parse_number<int>(text.substr(5), 0, 63).has_value();
}

void add_work_flags(CLI::App& app, Options& options) {
  word_flag(app, "--model", {kModelNames.begin(), kModelNames.end()}, [&](const std::string& name) { options.model = name; });
  app.add_option_function<std::string>("--device", [&](const std::string& text) {
    if (!is_device(text))
      throw CLI::ValidationError(fmt::format("--device: expected auto, cpu, cuda or cuda:N, found \"{}\"", text));
    options.device = text;
  });
  word_flag(app, "--dataset", {"auto", "mnist", "fashion", "synthetic"}, [&](const std::string& name) { options.data.dataset = name; });
  app.add_option("--data-dir", options.data.data_dir);
  number_flag<int>(app, "--epochs", 1, 10'000, [&](int n) { options.epochs = n; });
  number_flag<int64_t>(app, "--max-images", 1, 1'000'000'000, [&](int64_t n) { options.max_images = n; });
  number_flag<int64_t>(app, "--batch-size", 1, 1'000'000'000, [&](int64_t n) { options.batch = n; });
  word_flag(app, "--optimizer", {"sgd", "adam"}, [&](const std::string& name) {
    options.optimizer = name == "adam" ? Optimizer::adam : Optimizer::sgd;
  });
  number_flag<int>(app, "--threads", 1, 1024, [&](int n) { options.threads = n; });
  number_flag<uint64_t>(app, "--seed", 0, std::numeric_limits<int64_t>::max(), [&](uint64_t n) { options.seed = n; });
}

/// The flag that was most likely meant; empty if none is near.
std::string nearest_flag(const CLI::App& app, const std::string& flag) {
  const auto distance = [](const std::string& a, const std::string& b) {  // Levenshtein
    std::vector<size_t> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
      size_t diagonal = row[0];
      row[0] = i;
      for (size_t j = 1; j <= b.size(); ++j) {
        const size_t above = row[j];
        row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
        diagonal = above;
      }
    }
    return row[b.size()];
  };
  std::string best;
  size_t least = 4;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames())
      if (const size_t d = distance("--" + name, flag); d < least) {
        least = d;
        best = "--" + name;
      }
  return best;
}

Ending refused(const std::string& what) {
  return {2, "", fmt::format("bench_all: {}; see bench_all --help\n", what)};
}

}  // namespace

std::variant<Options, Ending> parse_options(int argc, const char* const* argv) {
  Options options;
  bool version = false, help = false;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  app.add_option("--filter", options.filters)->take_all()->expected(1);
  app.add_flag("--list", options.list);
  app.add_flag("--dry-run", options.dry_run);
  app.add_flag("--quick", options.quick);
  add_work_flags(app, options);
  number_flag<int>(app, "--launches", 1, 1000, [&](int n) { options.launches = n; });
  number_flag<double>(app, "--budget", 1, 1e6, [&](double s) { options.budget_seconds = s; });
  number_flag<double>(app, "--timeout", 1, 1e6, [&](double s) { options.timeout_seconds = s; });
  app.add_option("--out", options.out);
  app.add_flag("--env", options.env);
  app.add_flag("--version", version);
  app.add_flag("--help,-h", help);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ValidationError& error) {
    return refused(error.what());
  } catch (const CLI::ParseError& error) {
    return refused(error.what());
  }
  if (help) return Ending{0, kHelpText, ""};
  if (version) return Ending{0, fmt::format("bench_all {}\n", NINEFOLD_VERSION), ""};
  if (const auto extras = app.remaining(); !extras.empty()) {
    const std::string flag = extras[0].substr(0, extras[0].find('='));
    if (!flag.starts_with("-")) return refused(fmt::format("expected only flags, found \"{}\"", extras[0]));
    const auto nearest = nearest_flag(app, flag);
    return refused(fmt::format("unknown flag {}{}", flag, nearest.empty() ? "" : fmt::format(", did you mean {}?", nearest)));
  }
  if (options.quick && !options.max_images) options.max_images = 10'000;
  if (options.quick && !options.model) options.model = "mlp";
  return options;
}

}  // namespace ninefold
