// Checks rules of phase "model" that docs/native/operations.json states as sentences; the pages of
// docs/contract/operations/ have the same rules. Rules of phase "execution" are checked by the kernels.
#include <algorithm>
#include <functional>
#include <map>

#include "validator.h"

namespace {

struct Site {
    const Model& model;
    const Subgraph& graph;
    const Operation& operation;

    const Operand& input(std::size_t index) const { return operand(operation.inputs[index]); }
    const Operand& output(std::size_t index) const { return operand(operation.outputs[index]); }
    const Operand& operand(std::int64_t index) const { return graph.operands[static_cast<std::size_t>(index)]; }
    const Subgraph& subgraph(std::size_t index) const {
        return model.referenced[static_cast<std::size_t>(input(index).location.offset)];
    }
};

void check(bool holds, const char* rule) {
    if (!holds) throw invalid("a rule of the operation is broken", rule);
}

std::size_t rank(const Operand& operand) { return operand.dimensions.size(); }

bool is_quantized(const Operand& operand) {
    return operand.type == NNVET_OPERAND_TYPE_TENSOR_QUANT8_ASYMM ||
           operand.type == NNVET_OPERAND_TYPE_TENSOR_QUANT8_ASYMM_SIGNED;
}

bool same_quantization(const Operand& one, const Operand& other) {
    return one.scale == other.scale && one.zero_point == other.zero_point;
}

void four_dimensions(const Site& site, const char* rule) {
    if (rank(site.input(0)) && rank(site.input(1))) check(rank(site.input(0)) <= 4 && rank(site.input(1)) <= 4, rule);
}

void channel_dim(const Site& site, std::int64_t wanted, const char* rule) {
    const Operand& filter = site.input(1);
    if (filter.extra == Operand::Extra::channel_quant) check(filter.channel_dim == wanted, rule);
}

void mul(const Site& site) {
    four_dimensions(site, "MUL/ranks");
    if (!is_quantized(site.output(0))) return;
    const float product = site.input(0).scale * site.input(1).scale;
    check(site.output(0).scale > product, "MUL/output.scale");
}

void fully_connected(const Site& site) {
    const Integers &input = site.input(0).dimensions, &weights = site.input(1).dimensions, &bias = site.input(2).dimensions;
    if (input.empty() || weights.empty() || bias.empty()) return;
    check(input.size() >= 2 && input.size() <= 4 && weights.size() == 2 && bias.size() == 1, "FULLY_CONNECTED/ranks");
    if (fully_known(input) && weights[1] != 0) {
        std::int64_t elements = 1;
        for (std::int64_t size : input) elements *= size;
        check(elements % weights[1] == 0, "FULLY_CONNECTED/input.size");
    }
    if (weights[0] != 0 && bias[0] != 0) check(weights[0] == bias[0], "FULLY_CONNECTED/bias.length");
}

void cast(const Site& site) {
    const Integers& output = site.output(0).dimensions;
    // An input of unknown rank may turn out to have these axes.
    if (fully_known(output) && rank(site.input(0))) check(output == site.input(0).dimensions, "CAST/output.dimensions");
}

void pack(const Site& site) {
    const Operand& output = site.output(0);
    std::size_t known = 0;
    for (std::size_t i = 1; i < site.operation.inputs.size(); ++i) {
        const Operand& input = site.input(i);
        if (is_quantized(input)) check(same_quantization(input, output), "PACK/quantization");
        if (!rank(input)) continue;
        check(!known || rank(input) == known, "PACK/output.rank");
        known = rank(input);
    }
    if (known && rank(output) > 1) check(rank(output) == known + 1, "PACK/output.rank");
}

void mirror_pad(const Site& site) {
    const Operand &input = site.input(0), &output = site.output(0);
    const Integers& paddings = site.input(1).dimensions;
    if (!paddings.empty()) {
        check(paddings.size() == 2 && (paddings[1] == 0 || paddings[1] == 2), "MIRROR_PAD/paddings.shape");
        check(!rank(input) || paddings[0] == 0 || paddings[0] == static_cast<std::int64_t>(rank(input)),
              "MIRROR_PAD/paddings.shape");
    }
    if (rank(input) && rank(output)) check(rank(input) == rank(output), "MIRROR_PAD/output.rank");
    if (is_quantized(input)) check(same_quantization(input, output), "MIRROR_PAD/quantization");
}

void reverse(const Site& site) {
    const Operand &input = site.input(0), &output = site.output(0);
    const Integers& axis = site.input(1).dimensions;
    if (!axis.empty()) check(axis.size() == 1 && (axis[0] == 0 || axis[0] == 1), "REVERSE/axis.dimension");
    if (rank(input) && rank(output)) check(rank(input) == rank(output), "REVERSE/output.rank");
    if (is_quantized(input)) check(same_quantization(input, output), "REVERSE/quantization");
}

// Checks that operands of the operation, from `first` on, are compatible one by one with a list of the subgraph.
void agree(const Site& site, const Integers& outer, std::size_t first, const Subgraph& graph, const Integers& inner,
           const char* rule) {
    check(outer.size() - first == inner.size(), rule);
    for (std::size_t i = 0; i < inner.size(); ++i) {
        // A subgraph that comes later has not been validated yet, so its indexes may be wrong.
        check(inner[i] >= 0 && inner[i] < static_cast<std::int64_t>(graph.operands.size()), rule);
        check(compatible(site.operand(outer[first + i]), graph.operands[static_cast<std::size_t>(inner[i])]), rule);
    }
}

// hal.md 7.4.
void conditional(const Site& site) {
    check(site.input(0).dimensions == Integers{1}, "IF/condition.shape");
    for (std::size_t branch : {1, 2}) {
        const Subgraph& graph = site.subgraph(branch);
        agree(site, site.operation.inputs, 3, graph, graph.inputs, "IF/branch.inputs");
        agree(site, site.operation.outputs, 0, graph, graph.outputs, "IF/branch.outputs");
    }
}

void known_sizes(const Subgraph& graph, const Integers& indexes) {
    for (std::int64_t index : indexes) {
        const Operand& operand = graph.operands[static_cast<std::size_t>(index)];
        const OperandTypeInfo* type = operand_type(operand.type);
        if (type && type->is_tensor) check(fully_known(operand.dimensions), "WHILE/known_sizes");
    }
}

void loop(const Site& site) {
    const Integers &inputs = site.operation.inputs, &outputs = site.operation.outputs;
    const Subgraph &condition = site.subgraph(0), &body = site.subgraph(1);
    agree(site, inputs, 2, condition, condition.inputs, "WHILE/condition.inputs");
    agree(site, inputs, 2, body, body.inputs, "WHILE/body.inputs");
    check(condition.outputs.size() == 1 && condition.outputs[0] >= 0 &&
              condition.outputs[0] < static_cast<std::int64_t>(condition.operands.size()),
          "WHILE/condition.output");
    const Operand& flag = condition.operands[static_cast<std::size_t>(condition.outputs[0])];
    check(flag.type == NNVET_OPERAND_TYPE_TENSOR_BOOL8 && flag.dimensions == Integers{1}, "WHILE/condition.output");
    check(body.outputs.size() >= outputs.size() && body.outputs.size() <= inputs.size() - 2, "WHILE/body.outputs");
    const Integers carried(inputs.begin() + 2, inputs.begin() + 2 + static_cast<std::ptrdiff_t>(body.outputs.size()));
    agree(site, carried, 0, body, body.outputs, "WHILE/body.outputs");
    const Integers first(body.outputs.begin(), body.outputs.begin() + static_cast<std::ptrdiff_t>(outputs.size()));
    agree(site, outputs, 0, body, first, "WHILE/outputs");
    known_sizes(site.graph, Integers(inputs.begin() + 2, inputs.end()));
    known_sizes(site.graph, outputs);
    known_sizes(condition, condition.inputs);
    known_sizes(body, body.inputs);
    known_sizes(body, body.outputs);
}

using Rule = std::function<void(const Site&)>;

const std::map<std::int64_t, Rule> kRules = {
    {NNVET_OPERATION_TYPE_ADD, [](const Site& site) { four_dimensions(site, "ADD/ranks"); }},
    {NNVET_OPERATION_TYPE_SUB, [](const Site& site) { four_dimensions(site, "SUB/ranks"); }},
    {NNVET_OPERATION_TYPE_DIV, [](const Site& site) { four_dimensions(site, "DIV/ranks"); }},
    {NNVET_OPERATION_TYPE_MUL, mul},
    {NNVET_OPERATION_TYPE_CONV_2D, [](const Site& site) { channel_dim(site, 0, "CONV_2D/filter.channel_dim"); }},
    {NNVET_OPERATION_TYPE_DEPTHWISE_CONV_2D,
     [](const Site& site) { channel_dim(site, 3, "DEPTHWISE_CONV_2D/filter.channel_dim"); }},
    {NNVET_OPERATION_TYPE_GROUPED_CONV_2D,
     [](const Site& site) { channel_dim(site, 0, "GROUPED_CONV_2D/filter.channel_dim"); }},
    {NNVET_OPERATION_TYPE_TRANSPOSE_CONV_2D,
     [](const Site& site) { channel_dim(site, 0, "TRANSPOSE_CONV_2D/filter.channel_dim"); }},
    {NNVET_OPERATION_TYPE_FULLY_CONNECTED, fully_connected},
    {NNVET_OPERATION_TYPE_CAST, cast},
    {NNVET_OPERATION_TYPE_PACK, pack},
    {NNVET_OPERATION_TYPE_MIRROR_PAD, mirror_pad},
    {NNVET_OPERATION_TYPE_REVERSE, reverse},
    {NNVET_OPERATION_TYPE_IF, conditional},
    {NNVET_OPERATION_TYPE_WHILE, loop},
};

}  // namespace

void validate_operation_rules(const Model& model, const Subgraph& graph, const Operation& operation) {
    const auto rule = kRules.find(operation.type);
    if (rule != kRules.end()) rule->second(Site{model, graph, operation});
}
