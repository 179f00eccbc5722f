#!/usr/bin/env python3
# SPDX-FileCopyrightText: Ninefold contributors
# SPDX-License-Identifier: MIT
"""A child in another language: "trains" by sleeping, and speaks the protocol of ../README.md. MODE makes it misbehave."""
import json, os, signal, sys, time

MODE = sys.argv[1] if len(sys.argv) > 1 else "good"
questions, answers = os.fdopen(3), os.fdopen(4, "w")
SECONDS_PER_IMAGE = 2e-6 if MODE == "slow" else 1e-6


def say(**message):
    print(json.dumps(message), file=answers, flush=True)


for line in questions:
    question = json.loads(line)
    if question["ask"] == "hello":
        recipe = question["task"]["recipe"]
        epoch, window, seen = recipe["images"], recipe["batch"], 0
        if MODE == "refuses":
            say(answer="error", kind="refused", reason="no such model here")
            sys.exit(1)
        say(ninefold=1, answer="hello", epoch_images=epoch, window_images=window, warm_up_steps=0,
            seconds_per_image=SECONDS_PER_IMAGE)
    elif question["ask"] == "run":
        if MODE == "crashes" and seen:
            print("about to crash", file=sys.stderr, flush=True)
            os.kill(os.getpid(), signal.SIGSEGV)
        if MODE == "hangs" and seen:
            time.sleep(1000)
        if MODE == "babbles" and seen:
            print("hello there", file=answers, flush=True)
        images = min(epoch, -(-question["until"] // window) * window) - seen  # whole windows; the last may be short
        seen += images
        begin = time.perf_counter()
        time.sleep(images * SECONDS_PER_IMAGE)
        say(answer="run", images=images, steps=-(-images // window), seconds=time.perf_counter() - begin,
            epoch_end=seen == epoch, mean_loss=0.5)
        seen = 0 if seen == epoch else seen
    elif question["ask"] == "evaluate":
        say(answer="evaluate", accuracy=0.97, images=100)
    elif question["ask"] == "bye":
        say(answer="bye")
        break
