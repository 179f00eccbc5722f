// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "bench/plan.hpp"

#include <algorithm>
#include <regex>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ninefold {
namespace {

/// One --filter: a name, or a regular expression over names.
class Filter {
 public:
  Filter(const std::string& text, const std::vector<Technique>& techniques) {
    excludes_ = text.starts_with("-");
    text_ = excludes_ ? text.substr(1) : text;
    for (const auto& technique : techniques) {
      is_name_ = is_name_ || technique.name == text_;
      for (const auto& variant : technique.variants) is_name_ = is_name_ || technique.name + "/" + variant.name == text_;
    }
    if (is_name_) return;
    try {
      pattern_ = std::regex(text_);
    } catch (const std::regex_error& error) {
      throw PlanError(fmt::format("--filter: \"{}\" is neither a name of --list nor a regular expression ({})", text_, error.what()));
    }
  }
  bool excludes() const { return excludes_; }
  bool matches(const std::string& technique, const std::string& id) const {
    return is_name_ ? technique == text_ || id == text_ : std::regex_search(id, pattern_);
  }

 private:
  std::string text_;
  std::regex pattern_;
  bool excludes_ = false, is_name_ = false;
};

bool selected(const std::vector<Filter>& filters, const std::string& technique, const std::string& id) {
  const bool any_positive = std::any_of(filters.begin(), filters.end(), [](const Filter& filter) { return !filter.excludes(); });
  bool chosen = !any_positive;
  for (const auto& filter : filters)
    if (!filter.excludes()) chosen = chosen || filter.matches(technique, id);
  for (const auto& filter : filters)
    if (filter.excludes() && filter.matches(technique, id)) chosen = false;
  return chosen;
}

const Variant* find_variant(const std::vector<Technique>& techniques, const std::string& id) {
  for (const auto& technique : techniques)
    for (const auto& variant : technique.variants)
      if (technique.name + "/" + variant.name == id) return &variant;
  return nullptr;
}

/// The variant joined with those it uses by name; a reason to skip where one is missing or they clash.
Variant join(const std::string& id, const Variant& own, const std::vector<Technique>& techniques, std::optional<std::string>& skip) {
  std::vector<std::pair<std::string, const Variant*>> parts = {{id, &own}};
  for (const auto& name : own.with) {
    const Variant* other = find_variant(techniques, name);
    if (!other) {
      skip = fmt::format("uses {}, which this program was built without", name);
      return own;
    }
    parts.emplace_back(name, other);
  }
  try {
    Variant joined = combine(parts);
    joined.name = own.name;
    joined.summary = own.summary;
    return joined;
  } catch (const std::invalid_argument& clash) {
    skip = clash.what();
    return own;
  }
}

Recipe recipe_of(const Options& options, int64_t train_images, const Values& values) {
  Recipe recipe;
  recipe.set_images = train_images;
  recipe.images = std::min(train_images, options.max_images.value_or(train_images));
  recipe.optimizer = options.optimizer;
  recipe.lr = options.optimizer == Optimizer::adam ? 0.001 : 0.05;
  recipe.seed = options.seed;
  recipe.batch = values.batch.value_or(options.batch);
  recipe.micros = values.micros.value_or(1);
  recipe.lr = values.lr.value_or(recipe.lr);
  recipe.clip_norm = values.clip_norm.value_or(0);
  recipe.weighting = values.weighting.value_or(Weighting::by_images);
  recipe.ranks = values.ranks.value_or(1);
  return recipe;
}

std::string device_of(const Options& options, const Machine& machine) {
  if (options.device == "auto") return machine.gpus > 0 ? "cuda:0" : "cpu";
  return options.device == "cuda" ? "cuda:0" : options.device;
}

std::optional<std::string> reason_to_skip(const Case& item, const Machine& machine) {
  if (item.device.starts_with("cuda:") && std::stoi(item.device.substr(5)) >= machine.gpus)
    return fmt::format("{} was asked for, this machine has {} CUDA devices", item.device, machine.gpus);
  if (item.recipe.batch > item.recipe.images)
    return fmt::format("a batch of {} is more than the {} images of an epoch", item.recipe.batch, item.recipe.images);
  if (item.variant.refuse) return item.variant.refuse(machine, item.recipe, item.model);
  return std::nullopt;
}

void check_names(const std::vector<Technique>& techniques) {
  static const std::regex technique_name("[a-z][a-z0-9_]*"), variant_name("[a-z0-9_]+(/[a-z_]+=[a-z0-9_.]+)*");
  std::set<std::string> seen;
  for (const auto& technique : techniques) {
    if (!std::regex_match(technique.name, technique_name)) throw PlanError("technique: bad name \"" + technique.name + "\"");
    if (technique.variants.empty()) throw PlanError("technique " + technique.name + " has no variants");
    for (const auto& variant : technique.variants) {
      const std::string id = technique.name + "/" + variant.name;
      if (!std::regex_match(variant.name, variant_name)) throw PlanError("bad name \"" + id + "\"");
      if (!seen.insert(id).second) throw PlanError("two variants are called " + id);
    }
  }
}

std::string all_names(const std::vector<Technique>& techniques) {
  std::string names;
  for (const auto& technique : techniques) names += (names.empty() ? "" : ", ") + technique.name;
  return names;
}

}  // namespace

Plan make_plan(const Options& options, const std::vector<Technique>& techniques, const Machine& machine, int64_t train_images) {
  check_names(techniques);
  std::vector<Filter> filters;
  for (const auto& text : options.filters) filters.emplace_back(text, techniques);
  const std::string device = device_of(options, machine);

  Plan plan;
  for (const auto& technique : techniques) {
    Group group{technique.name, technique.tip, {}};
    bool any = false;
    for (const auto& variant : technique.variants) {
      const bool is_baseline = &variant == &technique.variants.front();
      Case item;
      item.id = technique.name + "/" + variant.name;
      const bool chosen = selected(filters, technique.name, item.id);
      any = any || chosen;
      if (!chosen && !is_baseline) continue;
      item.technique = technique.name;
      item.variant_name = variant.name;
      item.variant = join(item.id, variant, techniques, item.skip);
      const std::string usual = device == "cpu" ? "mlp" : "cnn";
      item.model = options.model.value_or(technique.model.empty() ? usual : technique.model);
      item.device = device;
      item.recipe = recipe_of(options, train_images, item.variant.values);
      item.threads = options.threads > 0 ? options.threads : machine.cores;
      if (!item.skip) item.skip = reason_to_skip(item, machine);
      group.cases.push_back(std::move(item));
    }
    if (!any) continue;
    // Without its baseline nothing of a group can be compared.
    if (const auto& reason = group.cases.front().skip)
      for (auto& item : group.cases)
        if (!item.skip) item.skip = fmt::format("its baseline {} can't run: {}", group.cases.front().id, *reason);
    plan.groups.push_back(std::move(group));
  }
  if (plan.groups.empty())
    throw PlanError(fmt::format("no case matches {}; techniques: {} (--list shows all variants)",
                                fmt::join(options.filters, " "), all_names(techniques)));
  return plan;
}

std::string list_text(const Plan& plan) {
  std::string text;
  for (const auto& group : plan.groups) {
    text += fmt::format("{}: {}\n", group.technique, group.tip);
    size_t width = 0;
    for (const auto& item : group.cases) width = std::max(width, item.id.size());
    for (const auto& item : group.cases) {
      text += fmt::format("  {:<{}}  {}{}\n", item.id, width, item.variant.summary, &item == &group.cases.front() ? " (baseline)" : "");
      if (item.skip) text += fmt::format("  {:<{}}  skipped here: {}\n", "", width, *item.skip);
    }
  }
  return text;
}

std::string dry_run_text(const Plan& plan, const Options& options) {
  std::string text;
  size_t cases = 0;
  for (const auto& group : plan.groups)
    for (const auto& item : group.cases) {
      if (item.skip) {
        text += fmt::format("skip {}: {}\n", item.id, *item.skip);
        continue;
      }
      ++cases;
      text += fmt::format("run  {}: {} on {}, {} of {} images an epoch, {} x {} images a step, {} {}\n", item.id, item.model,
                          item.device, item.recipe.images, item.recipe.set_images, item.recipe.micros * item.recipe.ranks,
                          item.recipe.batch, item.threads, item.threads == 1 ? "thread" : "threads");
    }
  const std::string launches = options.launches ? std::to_string(*options.launches) : options.quick ? "3" : "6 to 20";
  text += fmt::format("{} cases, {} launches each with {} {}, one process a case and launch, and one for its memory\n", cases,
                      launches, options.epochs, options.epochs == 1 ? "epoch" : "epochs");
  return text;
}

}  // namespace ninefold
