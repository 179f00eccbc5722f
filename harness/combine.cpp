// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include <stdexcept>

#include <fmt/format.h>

#include "harness/technique.hpp"

namespace ninefold {
namespace {

/// Remembers who set what, so that the second one can be refused with both names.
class Owners {
 public:
  void claim(const std::string& what, const std::string& who) {
    const auto [owner, fresh] = owners_.emplace(what, who);
    if (!fresh) throw std::invalid_argument(fmt::format("{} and {} both set {}", owner->second, who, what));
  }

 private:
  std::map<std::string, std::string> owners_;
};

}  // namespace

Variant combine(const std::vector<std::pair<std::string, const Variant*>>& parts) {
  Variant joined;
  Owners owners;
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  for (const auto& [who, part] : parts) {
    const auto put = [&](const char* socket, auto& to, const auto& from) {
      if (from.make) {
        owners.claim(std::string("the socket ") + socket, who);
        to.make = from.make;
      }
      append(to.wraps, from.wraps);
    };
    put("compute", joined.plugs.compute, part->plugs.compute);
    put("precision", joined.plugs.precision, part->plugs.precision);
    put("sync", joined.plugs.sync, part->plugs.sync);
    put("update", joined.plugs.update, part->plugs.update);
    put("assembler", joined.plugs.assembler, part->plugs.assembler);
    put("feed", joined.plugs.feed, part->plugs.feed);
    put("transfer", joined.plugs.transfer, part->plugs.transfer);
    put("loss_log", joined.plugs.loss_log, part->plugs.loss_log);
    put("step", joined.plugs.step, part->plugs.step);

    const auto value = [&](const char* field, auto& to, const auto& from) {
      if (!from) return;
      owners.claim(std::string("the value ") + field, who);
      to = from;
    };
    value("batch", joined.values.batch, part->values.batch);
    value("micros", joined.values.micros, part->values.micros);
    value("lr", joined.values.lr, part->values.lr);
    value("clip_norm", joined.values.clip_norm, part->values.clip_norm);
    value("weighting", joined.values.weighting, part->values.weighting);
    value("ranks", joined.values.ranks, part->values.ranks);

    for (const auto& [name, setting] : part->environment) {
      owners.claim("the environment variable " + name, who);
      joined.environment[name] = setting;
    }
    for (const auto& [other_name, other] : parts)
      for (const auto& need : part->needs)
        for (const auto& broken : other->breaks)
          if (other != part && need == broken)
            throw std::invalid_argument(fmt::format("{} needs {}, which {} breaks", who, need, other_name));
    append(joined.needs, part->needs);
    append(joined.breaks, part->breaks);

    joined.name += (joined.name.empty() ? "" : "+") + who;
    if (!part->changes_maths.empty())
      joined.changes_maths += (joined.changes_maths.empty() ? "" : "; ") + part->changes_maths;
    if (part->process)
      joined.process = [first = joined.process, second = part->process](SetUp& s) {
        if (first) first(s);
        second(s);
      };
    if (part->refuse)
      joined.refuse = [first = joined.refuse, second = part->refuse](const Machine& machine, const Recipe& recipe,
                                                                     std::string_view model) {
        auto reason = first ? first(machine, recipe, model) : std::nullopt;
        return reason ? reason : second(machine, recipe, model);
      };
  }
  return joined;
}

}  // namespace ninefold
