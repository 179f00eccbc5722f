// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "harness/measure/protocol.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace ninefold::protocol {
namespace {

using testing::HasSubstr;

template <class Work>
std::string error_of(const Work& work) {
  try {
    work();
  } catch (const ProtocolError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Protocol, ATaskTravelsWhole) {
  Task task;
  task.case_id = "loss_item/item";
  task.model = "lenet";
  task.dataset = "/some/folder";
  task.recipe.images = 10001;
  task.recipe.optimizer = Optimizer::adam;
  task.recipe.weighting = Weighting::one;
  task.recipe.lr = 0.1;
  task.recipe.seed = UINT64_MAX;
  task.memory_pass = true;
  const auto question = parse_question(ask_hello(task));
  EXPECT_EQ(question.name, "hello");
  EXPECT_EQ(question.task.case_id, task.case_id);
  EXPECT_EQ(question.task.model, "lenet");
  EXPECT_EQ(question.task.dataset, "/some/folder");
  EXPECT_EQ(question.task.recipe.images, 10001);
  EXPECT_EQ(question.task.recipe.optimizer, Optimizer::adam);
  EXPECT_EQ(question.task.recipe.weighting, Weighting::one);
  EXPECT_EQ(question.task.recipe.lr, 0.1);
  EXPECT_EQ(question.task.recipe.seed, UINT64_MAX);
  EXPECT_TRUE(question.task.memory_pass);
}

TEST(Protocol, AnswersTravelWhole) {
  Ran ran;
  ran.images = 6400;
  ran.steps = 100;
  ran.seconds = 0.0421;
  ran.phases = {{"data", 0.001}, {"other", 0.002}};
  ran.epoch_end = true;
  ran.mean_loss = NAN;  // becomes null, comes back as nothing
  ran.last_loss = 0.25;
  const auto back = parse_ran(answer(ran));
  EXPECT_EQ(back.images, 6400);
  EXPECT_EQ(back.seconds, 0.0421);
  EXPECT_EQ(back.phases, ran.phases);
  EXPECT_TRUE(back.epoch_end);
  EXPECT_EQ(back.mean_loss, std::nullopt);
  EXPECT_EQ(back.last_loss, 0.25);

  Ready ready;
  ready.epoch_images = 60000;
  ready.window_images = 64;
  ready.software = {{"torch", "2.11.0"}};
  EXPECT_EQ(parse_ready(answer(ready)).software, ready.software);

  MemoryRecord memory;
  memory.tensor_peak = 1 << 30;
  memory.heap_kept_per_step = 6370.5;
  EXPECT_EQ(parse_memory(answer(memory)).tensor_peak, 1 << 30);
  EXPECT_EQ(parse_memory(answer(memory)).heap_kept_per_step, 6370.5);
  EXPECT_EQ(parse_memory(answer(memory)).device_peak, std::nullopt);

  Evaluated evaluated;
  evaluated.accuracy = 0.96;
  evaluated.parameters_changed = true;
  evaluated.numbers = {{"skipped_steps", 2}};
  EXPECT_EQ(parse_evaluated(answer(evaluated)).accuracy, 0.96);
  EXPECT_EQ(parse_evaluated(answer(evaluated)).parameters_changed, true);
  EXPECT_EQ(parse_evaluated(answer(evaluated)).numbers.at("skipped_steps"), 2);
  EXPECT_NO_THROW(parse_bye(answer_bye()));
}

TEST(Protocol, AChildMayLeaveOutWhatItDoesNotKnow) {
  const auto ran = parse_ran(R"({"answer":"run","images":1,"steps":1,"seconds":0.5,"epoch_end":false})");
  EXPECT_EQ(ran.images, 1);
  EXPECT_TRUE(ran.phases.empty());
  EXPECT_EQ(parse_evaluated(R"({"answer":"evaluate"})").parameters_changed, std::nullopt);
}

TEST(Protocol, AFailureSaysItsReason) {
  try {
    parse_ran(R"({"answer":"error","kind":"out_of_memory","reason":"tried to allocate 4 PiB"})");
    FAIL();
  } catch (const ChildFailure& failure) {
    EXPECT_EQ(failure.failure.kind, Failure::Kind::out_of_memory);
    EXPECT_STREQ(failure.what(), "tried to allocate 4 PiB");
    EXPECT_THAT(answer(failure.failure), HasSubstr("out_of_memory"));
  }
}

TEST(Protocol, NonsenseIsRefusedWithWhatWasFound) {
  EXPECT_THAT(error_of([] { parse_ran("hello there"); }), HasSubstr("hello there"));
  EXPECT_THAT(error_of([] { parse_ran("[1]"); }), HasSubstr("expected one JSON object"));
  EXPECT_THAT(error_of([] { parse_ran(answer_bye()); }), HasSubstr("expected the answer \"run\", found \"bye\""));
  EXPECT_THAT(error_of([] { parse_ran(R"({"answer":"run","images":"many"})"); }), HasSubstr("malformed"));
  EXPECT_THAT(error_of([] { parse_ran(R"({"answer":"run","images":-1,"steps":0,"seconds":0,"epoch_end":true})"); }),
              HasSubstr("must not be negative"));
  EXPECT_THAT(error_of([] { parse_ran(R"({"answer":"run","images":1,"steps":0,"seconds":-2,"epoch_end":true})"); }),
              HasSubstr("time in seconds"));
  EXPECT_THAT(error_of([] { parse_ready(R"({"ninefold":2,"answer":"hello"})"); }), HasSubstr("protocol version 1"));
  EXPECT_THAT(error_of([] { parse_question(R"({"ninefold":9,"ask":"hello"})"); }), HasSubstr("protocol version 1"));
}

}  // namespace
}  // namespace ninefold::protocol
