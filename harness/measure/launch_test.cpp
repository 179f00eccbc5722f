// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// Launches of real processes: a child in Python proves that the protocol needs no C++, and misbehaves on request.
#include "harness/measure/launch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <filesystem>
#include <thread>

#include "harness/measure/interrupt.hpp"

namespace ninefold {
namespace {

using testing::HasSubstr;

Member python_child(const std::string& mode, int64_t images = 1000, const std::string& log_file = "") {
  Member member;
  member.task.recipe.images = images;
  member.task.recipe.batch = 64;
  member.command.argv = {"python3", std::string(NINEFOLD_TEST_DATA) + "/child.py", mode};
  member.log_file = log_file;
  return member;
}

LaunchSettings settings(double timeout = 20) {
  LaunchSettings result;
  result.timeout = std::chrono::duration<double>(timeout);
  result.cores = 2;
  return result;
}

std::vector<LaunchRecord> run(std::vector<Member> members, LaunchSettings how = settings()) {
  Launch launch(std::move(how), std::move(members));
  launch.start();
  launch.train(256);
  launch.finish();
  return launch.records();
}

bool no_child_is_left() { return waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD; }

TEST(Launch, APythonChildIsMeasuredLikeAnyOther) {
  const auto records = run({python_child("good"), python_child("slow")});
  for (const auto& record : records) {
    EXPECT_EQ(record.status, Status::ok) << record.reason;
    ASSERT_EQ(record.epochs.size(), 1u);
    EXPECT_EQ(record.epochs[0].images, 1000);
    EXPECT_EQ(record.epochs[0].steps, 16);
    EXPECT_EQ(record.epochs[0].mean_loss, 0.5);
    ASSERT_EQ(record.slices.size(), 4u);
    EXPECT_EQ(record.slices[0].images, 256);
    EXPECT_EQ(record.slices[3].images, 232);
    EXPECT_EQ(record.test_accuracy, 0.97);
  }
  EXPECT_TRUE(no_child_is_left());
}

TEST(Launch, EpochsFollowEachOther) {
  auto how = settings();
  how.epochs = 3;
  const auto records = run({python_child("good")}, how);
  ASSERT_EQ(records[0].epochs.size(), 3u);
  for (const auto& epoch : records[0].epochs) EXPECT_EQ(epoch.images, 1000);
  EXPECT_EQ(records[0].slices.back().index, 11);
}

TEST(Launch, AShorterMemberStopsEarlier) {
  const auto records = run({python_child("good", 1000), python_child("good", 300)});
  EXPECT_EQ(records[1].epochs[0].images, 300);
  EXPECT_EQ(records[1].slices.size(), 2u);
  EXPECT_EQ(records[0].slices.size(), 4u);
}

TEST(Launch, OneThatFailsNeverStopsTheOthers) {
  const auto log = std::filesystem::temp_directory_path() / "ninefold_launch_test" / "crash.log";
  const auto records = run({python_child("good"), python_child("crashes", 1000, log), python_child("refuses"),
                            python_child("babbles"), Member{{}, {{"/no/such/program"}, {}}, ""}});
  EXPECT_EQ(records[0].status, Status::ok);
  EXPECT_EQ(records[0].epochs[0].images, 1000);
  EXPECT_EQ(records[1].status, Status::failed);
  EXPECT_THAT(records[1].reason, HasSubstr("SIGSEGV"));
  EXPECT_THAT(records[1].reason, HasSubstr("about to crash"));
  EXPECT_EQ(records[1].slices.size(), 1u) << "what it did before stays";
  EXPECT_EQ(records[2].reason, "no such model here");
  EXPECT_THAT(records[3].reason, HasSubstr("hello there"));
  EXPECT_THAT(records[4].reason, HasSubstr("can't start /no/such/program"));
  EXPECT_TRUE(std::filesystem::exists(log));
  std::filesystem::remove_all(log.parent_path());
  EXPECT_TRUE(no_child_is_left());
}

TEST(Launch, AChildThatHangsEndsWithinTheTimeout) {
  const auto begin = std::chrono::steady_clock::now();
  const auto records = run({python_child("hangs")}, settings(0.5));
  EXPECT_THAT(records[0].reason, HasSubstr("no answer within 0.5 s"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
  EXPECT_TRUE(no_child_is_left());
}

TEST(Launch, AChangedDataSetIsNoticed) {
  auto how = settings();
  how.data_digest = "0123456789abcdef";
  const auto records = run({python_child("good")}, how);  // tells no digest: accepted
  EXPECT_EQ(records[0].status, Status::ok);
}

// Last: from here on this process counts as interrupted.
TEST(LaunchInterrupted, CtrlCEndsTheWaitAndEveryChild) {
  watch_interrupts();
  Launch launch(settings(), {python_child("good"), python_child("hangs")});
  launch.start();
  std::thread ctrl_c([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    kill(getpid(), SIGINT);
  });
  EXPECT_THROW(launch.train(256), Interrupted);
  ctrl_c.join();
  EXPECT_EQ(launch.records()[1].status, Status::interrupted);
  EXPECT_EQ(launch.records()[1].slices.size(), 1u);
  EXPECT_TRUE(no_child_is_left());
}

}  // namespace
}  // namespace ninefold
