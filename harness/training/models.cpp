// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "harness/training/models.hpp"

#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/flatten.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/relu.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/rnn.h>

#include <stdexcept>

#include "harness/data/dataset.hpp"

namespace ninefold {
namespace {

namespace nn = torch::nn;

Tensor classification_loss(const Outputs& out, const Tensor& y) {
  return at::cross_entropy_loss(out[0].to(at::kFloat), y);
}

/// A model of one stage with logits only.
class Classifier : public Model {
 public:
  Outputs stage(size_t, Outputs in) final { return {logits(in[0])}; }
  Tensor loss(const Outputs& out, const Tensor&, const Tensor& y) final { return classification_loss(out, y); }

 private:
  virtual Tensor logits(const Tensor& x) = 0;
};

class Mlp final : public Classifier {
  nn::Linear first_ = register_module("first", nn::Linear(784, 128));
  nn::Linear second_ = register_module("second", nn::Linear(128, 256));
  nn::Linear last_ = register_module("last", nn::Linear(256, 10));
  Tensor logits(const Tensor& x) override {
    return last_(at::relu(second_(at::relu(first_(at::flatten(x, 1))))));
  }
};

class LeNet final : public Classifier {
  nn::Conv2d conv1_ = register_module("conv1", nn::Conv2d(nn::Conv2dOptions(1, 6, 5).padding(2)));
  nn::Conv2d conv2_ = register_module("conv2", nn::Conv2d(nn::Conv2dOptions(6, 16, 5)));
  nn::Linear fc1_ = register_module("fc1", nn::Linear(400, 120));
  nn::Linear fc2_ = register_module("fc2", nn::Linear(120, 84));
  nn::Linear fc3_ = register_module("fc3", nn::Linear(84, 10));
  Tensor logits(const Tensor& x) override {
    Tensor h = at::max_pool2d(at::relu(conv1_(x)), 2);
    h = at::max_pool2d(at::relu(conv2_(h)), 2);
    return fc3_(at::relu(fc2_(at::relu(fc1_(at::flatten(h, 1))))));
  }
};

class Cnn final : public Classifier {
  nn::Conv2d conv1_ = register_module("conv1", nn::Conv2d(nn::Conv2dOptions(1, 32, 3)));
  nn::Conv2d conv2_ = register_module("conv2", nn::Conv2d(nn::Conv2dOptions(32, 64, 3)));
  nn::Dropout dropout1_ = register_module("dropout1", nn::Dropout(0.25));
  nn::Linear fc1_ = register_module("fc1", nn::Linear(9216, 128));
  nn::Dropout dropout2_ = register_module("dropout2", nn::Dropout(0.5));
  nn::Linear fc2_ = register_module("fc2", nn::Linear(128, 10));
  Tensor logits(const Tensor& x) override {
    Tensor h = at::max_pool2d(at::relu(conv2_(at::relu(conv1_(x)))), 2);
    h = at::relu(fc1_(at::flatten(dropout1_(h), 1)));
    return fc2_(dropout2_(h));
  }
};

/// Test-only: what the four lack, BatchNorm's buffers, beside dropout.
class NormNet final : public Classifier {
  nn::Conv2d conv_ = register_module("conv", nn::Conv2d(nn::Conv2dOptions(1, 4, 5).stride(2)));
  nn::BatchNorm2d norm_ = register_module("norm", nn::BatchNorm2d(4));
  nn::Dropout dropout_ = register_module("dropout", nn::Dropout(0.2));
  nn::Linear fc_ = register_module("fc", nn::Linear(576, 10));
  Tensor logits(const Tensor& x) override {
    return fc_(dropout_(at::flatten(at::relu(norm_(conv_(x))), 1)));
  }
};

/// The image is a sequence of 28 rows; only the encoder's final state travels between the halves.
class Encoder final : public nn::Module {
  nn::GRU gru_ = register_module("gru", nn::GRU(nn::GRUOptions(28, 128).batch_first(true)));

 public:
  Tensor forward(const Tensor& x) { return std::get<1>(gru_(x.reshape({-1, 28, 28})))[0]; }
};

class Decoder final : public nn::Module {
  nn::GRU gru_ = register_module("gru", nn::GRU(nn::GRUOptions(128, 128).batch_first(true)));
  nn::Linear rows_ = register_module("rows", nn::Linear(128, 28));
  nn::Linear head_ = register_module("head", nn::Linear(128, 10));

 public:
  /// The state is the first state and also the input of each of the 28 steps.
  Outputs forward(const Tensor& state) {
    const Tensor inputs = state.unsqueeze(1).expand({-1, 28, -1}).contiguous();
    const Tensor outputs = std::get<0>(gru_(inputs, state.unsqueeze(0).contiguous()));
    return {head_(state), rows_(outputs)};
  }
};

class Seq2Seq final : public Model {
  std::shared_ptr<Encoder> encoder_ = register_module("encoder", std::make_shared<Encoder>());
  std::shared_ptr<Decoder> decoder_ = register_module("decoder", std::make_shared<Decoder>());

 public:
  size_t stages() const override { return 2; }
  Outputs stage(size_t i, Outputs in) override {
    return i == 0 ? Outputs{encoder_->forward(in[0])} : decoder_->forward(in[0]);
  }
  Tensor loss(const Outputs& out, const Tensor& x, const Tensor& y) override {
    const Tensor target = x.reshape({-1, 28, 28}).to(out[1].device());
    return classification_loss(out, y) + at::mse_loss(out[1].to(at::kFloat), target);
  }
};

}  // namespace

std::shared_ptr<Model> make_model(std::string_view name) {
  if (name == "mlp") return std::make_shared<Mlp>();
  if (name == "lenet") return std::make_shared<LeNet>();
  if (name == "cnn") return std::make_shared<Cnn>();
  if (name == "seq2seq") return std::make_shared<Seq2Seq>();
  if (name == "norm_net") return std::make_shared<NormNet>();
  throw std::invalid_argument("unknown model " + std::string(name));
}

TrainingSet training_set(const Digits& digits) {
  const auto view = [&](const std::vector<uint8_t>& bytes, at::IntArrayRef sizes) {
    return at::from_blob(const_cast<uint8_t*>(bytes.data()), sizes, at::kByte);
  };
  return {view(digits.pixels, {digits.count, digits.rows, digits.cols}), view(digits.labels, {digits.count}).to(at::kLong)};
}

Tensor normalised(const Tensor& images) {
  return images.unsqueeze(1).to(at::kFloat).div_(255).sub_(0.1307).div_(0.3081);
}

}  // namespace ninefold
