// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// Integer arithmetic throughout, but for the prototypes, which use + - * / of doubles without contraction (a flag on this
// file): so the bytes are the same on every machine and compiler.
#include "harness/data/synthetic.hpp"

#include <algorithm>
#include <array>

namespace ninefold {
namespace {

/// splitmix64 (Steele, Lea, Flood 2014) as a counter-based generator.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  /// Uniform in [low, high].
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(next() % static_cast<uint64_t>(high - low + 1));
  }

 private:
  uint64_t state_;
};

struct Point {
  double x, y;
};
using Stroke = std::vector<Point>;

/// The digits as polylines on a grid of 0 to 10 in x and 0 to 14 in y, y downwards.
const std::array<std::vector<Stroke>, 10>& glyphs() {
  static const std::array<std::vector<Stroke>, 10> all = {{
      {{{5, 1}, {2, 3}, {1, 7}, {2, 11}, {5, 13}, {8, 11}, {9, 7}, {8, 3}, {5, 1}}},
      {{{3, 4}, {6, 1}, {6, 13}}},
      {{{1, 4}, {3, 1}, {7, 1}, {9, 4}, {7, 7}, {1, 13}, {9, 13}}},
      {{{1, 2}, {5, 1}, {9, 3}, {8, 6}, {4, 7}, {8, 8}, {9, 11}, {5, 13}, {1, 12}}},
      {{{6, 1}, {1, 9}, {9, 9}}, {{7, 5}, {7, 13}}},
      {{{9, 1}, {2, 1}, {2, 6}, {6, 6}, {9, 9}, {6, 13}, {1, 12}}},
      {{{8, 1}, {3, 4}, {1, 9}, {3, 13}, {7, 13}, {9, 10}, {6, 7}, {2, 8}}},
      {{{1, 1}, {9, 1}, {4, 13}}, {{3, 7}, {8, 7}}},
      {{{5, 7}, {2, 4}, {5, 1}, {8, 4}, {5, 7}, {1, 10}, {5, 13}, {9, 10}, {5, 7}}},
      {{{8, 5}, {5, 7}, {2, 5}, {3, 2}, {6, 1}, {8, 4}, {7, 9}, {4, 13}}},
  }};
  return all;
}

constexpr int kHands = 16;   // prototypes a digit
constexpr int kCanvas = 44;  // pixels of a prototype's side; the glyph fills 20 x 28 of them in the middle
using Canvas = std::array<uint8_t, kCanvas * kCanvas>;

double squared_distance(Point p, Point a, Point b) {
  const double dx = b.x - a.x, dy = b.y - a.y;
  const double length = dx * dx + dy * dy;
  const double along = length > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0, 1.0) : 0.0;
  const double ex = p.x - (a.x + along * dx), ey = p.y - (a.y + along * dy);
  return ex * ex + ey * ey;
}

/// One hand's version of a digit: its points moved, its pen of a width of its own, soft at the rim.
Canvas draw_prototype(int digit, int hand) {
  Random random(static_cast<uint64_t>(1000 + digit * kHands + hand));
  std::vector<Stroke> strokes = glyphs()[static_cast<size_t>(digit)];
  for (auto& stroke : strokes)
    for (auto& point : stroke) {
      point.x = 12 + 2 * (point.x + static_cast<double>(random.between(-90, 90)) / 100);
      point.y = 8 + 2 * (point.y + static_cast<double>(random.between(-90, 90)) / 100);
    }
  const double inner = static_cast<double>(random.between(80, 300)) / 100, outer = inner + 3.5;  // squared radii
  Canvas canvas{};
  for (int y = 0; y < kCanvas; ++y)
    for (int x = 0; x < kCanvas; ++x) {
      double nearest = 1e9;
      for (const auto& stroke : strokes)
        for (size_t i = 0; i + 1 < stroke.size(); ++i)
          nearest = std::min(nearest, squared_distance({x + 0.5, y + 0.5}, stroke[i], stroke[i + 1]));
      const double ink = std::clamp((outer - nearest) / (outer - inner), 0.0, 1.0);
      canvas[static_cast<size_t>(y * kCanvas + x)] = static_cast<uint8_t>(ink * 255);
    }
  return canvas;
}

const std::vector<Canvas>& prototypes() {
  static const std::vector<Canvas> all = [] {
    std::vector<Canvas> drawn;
    for (int digit = 0; digit < 10; ++digit)
      for (int hand = 0; hand < kHands; ++hand) drawn.push_back(draw_prototype(digit, hand));
    return drawn;
  }();
  return all;
}

constexpr int kOne = 1 << 16;  // fixed point

/// Ink at (u, v), in pixels times kOne, between the four neighbours; 0 outside.
int sample(const Canvas& canvas, int64_t u, int64_t v) {
  const auto x = static_cast<int>(u >> 16), y = static_cast<int>(v >> 16);
  if (x < 0 || y < 0 || x + 1 >= kCanvas || y + 1 >= kCanvas) return 0;
  const auto fx = static_cast<int>((u & (kOne - 1)) >> 8), fy = static_cast<int>((v & (kOne - 1)) >> 8);
  const uint8_t* at = &canvas[static_cast<size_t>(y * kCanvas + x)];
  const int top = at[0] * (256 - fx) + at[1] * fx;
  const int bottom = at[kCanvas] * (256 - fx) + at[kCanvas + 1] * fx;
  return (top * (256 - fy) + bottom * fy) >> 16;
}

void draw_image(const Canvas& canvas, Random& random, uint8_t* pixels) {
  // Prototype pixels an image pixel: 1.1 to 1.7, turned by up to 0.3 rad and slanted by up to 0.3.
  const int64_t scale = random.between(kOne * 11 / 10, kOne * 17 / 10);
  const int64_t turn = random.between(-kOne * 3 / 10, kOne * 3 / 10);
  const int64_t slant = random.between(-kOne * 3 / 10, kOne * 3 / 10);
  const int64_t sin = scale * turn / kOne;
  const int64_t to_u_x = scale, to_u_y = -sin + scale * slant / kOne;
  const int64_t to_v_x = sin, to_v_y = scale + sin * slant / kOne;
  const int64_t shift_x = random.between(-3 * kOne, 3 * kOne), shift_y = random.between(-3 * kOne, 3 * kOne);
  const int64_t ink = random.between(150, 256);
  const int noise = static_cast<int>(random.between(16, 72));
  for (int y = 0; y < 28; ++y)
    for (int x = 0; x < 28; x += 4) {
      uint64_t bits = random.next();
      for (int k = 0; k < 4; ++k, bits >>= 16) {
        const int64_t dx = (2 * (x + k) - 27) * (kOne / 2) - shift_x, dy = (2 * y - 27) * (kOne / 2) - shift_y;
        const int64_t u = (dx * to_u_x + dy * to_u_y) / kOne + kCanvas * (kOne / 2);
        const int64_t v = (dx * to_v_x + dy * to_v_y) / kOne + kCanvas * (kOne / 2);
        const int disturbance = static_cast<int>(bits & 0xFF) * noise / 128 - noise;
        const auto value = static_cast<int>(sample(canvas, u, v) * ink / 256) + disturbance;
        *pixels++ = static_cast<uint8_t>(std::clamp(value, 0, 255));
      }
    }
}

}  // namespace

Digits synthetic_digits(Part part, int64_t count) {
  Digits digits;
  digits.count = count;
  digits.pixels.resize(static_cast<size_t>(count) * 784);
  digits.labels.resize(static_cast<size_t>(count));
  const auto& canvases = prototypes();
  for (int64_t i = 0; i < count; ++i) {
    Random random((static_cast<uint64_t>(part) << 40 | static_cast<uint64_t>(i)) * 0xD1342543DE82EF95u + 1);
    const auto digit = static_cast<size_t>(random.between(0, 9)), hand = static_cast<size_t>(random.between(0, kHands - 1));
    digits.labels[static_cast<size_t>(i)] = static_cast<uint8_t>(digit);
    draw_image(canvases[digit * kHands + hand], random, &digits.pixels[static_cast<size_t>(i) * 784]);
  }
  return digits;
}

}  // namespace ninefold
