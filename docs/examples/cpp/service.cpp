#include "service.h"

#include <set>
#include <tuple>

#include "device.h"
#include "driver.h"
#include "execution.h"
#include "reader.h"
#include "validator.h"

namespace {

using Handler = Answer (*)(Session&, const Call&, const Reader&);

std::shared_ptr<Prepared> prepared_target(Session& session, const Call& call) {
    return session.object<Prepared>(call.target);
}

Value performance() {
    return Value::map({{NNVET_FIELD_PERFORMANCE_INFO_EXEC_TIME, Value::real(1)},
                       {NNVET_FIELD_PERFORMANCE_INFO_POWER_USAGE, Value::real(1)}});
}

Answer nothing() { return {Value(), {}}; }

Answer settle(Session& session, const Call& call, const Reader& reader) {
    const std::int64_t callback = reader.reference_or_nil(call.arguments[0]);
    if (!callback) throw invalid("there is no callback");
    session.notify(callback, NNVET_METHOD_SETTLED_CALLBACK_NOTIFY, {Value::integer(NNVET_ERROR_STATUS_NONE)});
    return nothing();
}

Answer open_client(Session&, const Call& call, const Reader& reader) {
    const DescriptorPtr primary = reader.descriptor(call.arguments[0]);
    if (primary->fd() < 0) throw invalid("there is no descriptor", "wire/arguments");
    start_session(primary);
    return nothing();
}

Answer capabilities(Session&, const Call&, const Reader&) {
    std::vector<Value> stated;
    for (const int type : kDeviceTypes) {
        stated.push_back(Value::map({{NNVET_FIELD_OPERAND_PERFORMANCE_TYPE, Value::integer(type)},
                                     {NNVET_FIELD_OPERAND_PERFORMANCE_INFO, performance()}}));
    }
    return {Value::map({{NNVET_FIELD_CAPABILITIES_OPERAND_PERFORMANCE, Value::array(std::move(stated))}}), {}};
}

Answer supported(Session&, const Call& call, const Reader& reader) {
    const Model model = reader.model(call.arguments[0]);
    validate_model(model);
    std::vector<Value> answers;
    for (bool answer : supported_operations(model)) answers.push_back(Value::boolean(answer));
    return {Value::array(std::move(answers)), {}};
}

void notify_preparation(Session& session, std::int64_t callback, nnvet_error_status status, Value prepared = Value()) {
    session.notify(callback, NNVET_METHOD_PREPARED_MODEL_CALLBACK_NOTIFY, {Value::integer(status), std::move(prepared)});
}

void notify_preparation(Session& session, std::int64_t callback, const Failure& failure) {
    session.notify(callback, NNVET_METHOD_PREPARED_MODEL_CALLBACK_NOTIFY, {Value::integer(failure.status), Value()}, &failure);
}

// An error is both notified and returned (docs/contract/hal.md 10.2). This driver prepares within the call.
Answer prepare(Session& session, const Call& call, const Reader& reader) {
    Model model = reader.model(call.arguments[0]);
    const PrepareModelConfig config = reader.prepare_config(call.arguments[1]);
    const std::int64_t callback = reader.reference_or_nil(call.arguments[2]);
    if (!callback) throw invalid("there is no callback");
    try {
        validate_model(model);
        validate_prepare_config(config);
    } catch (const Failure& failure) {
        notify_preparation(session, callback, failure);
        throw;
    }
    try {
        for (bool answer : supported_operations(model)) {
            if (!answer) throw invalid("there is no kernel for it", "driver/operation.supported");
        }
        const auto prepared = std::make_shared<Prepared>(std::move(model), config);
        const Value reference = Value::reference(static_cast<std::uint64_t>(session.keep(prepared)));
        notify_preparation(session, callback, NNVET_ERROR_STATUS_NONE, reference);
    } catch (const Failure& failure) {
        notify_preparation(session, callback, failure);  // the preparation was launched: its failure is only notified
    } catch (const std::bad_alloc&) {
        notify_preparation(session, callback, NNVET_ERROR_STATUS_RESOURCE_EXHAUSTED_TRANSIENT);
    }
    return nothing();
}

// This driver has no cache: docs/contract/hal.md 10.3.
Answer prepare_from_cache(Session& session, const Call& call, const Reader& reader) {
    const std::int64_t deadline_ns = reader.integer(call.arguments[0]);
    for (std::size_t files : {1, 2}) {
        reader.list<Memory>(call.arguments[files], [&reader](const Value& file) { return reader.memory(file, false); });
    }
    reader.binary(call.arguments[3]);
    const std::int64_t callback = reader.reference_or_nil(call.arguments[4]);
    if (!callback) throw invalid("there is no callback");
    try {
        validate_deadline(deadline_ns);
        throw failed("this driver caches nothing", "cache/unsupported");
    } catch (const Failure& failure) {
        notify_preparation(session, callback, failure);
        throw;
    }
}

// Device memory is not supported. Invalid arguments still have to be reported as invalid: docs/contract/hal.md 11.3.
Answer allocate(Session& session, const Call& call, const Reader& reader) {
    if (call.arguments[0].kind != Value::Kind::map) throw invalid("no BufferDesc", "wire/arguments");
    const Value* given = call.arguments[0].field(NNVET_FIELD_BUFFER_DESC_DIMENSIONS);
    const Integers dimensions = given ? reader.integers(*given) : Integers();
    const auto models = reader.list<std::shared_ptr<Prepared>>(call.arguments[1], [&](const Value& item) {
        const std::int64_t id = reader.reference_or_nil(item);
        return id ? session.object<Prepared>(id) : nullptr;
    });
    std::set<std::tuple<const Prepared*, bool, std::int64_t>> roles;
    std::vector<Operand> operands;
    for (bool is_input : {true, false}) {
        const auto read = [&reader](const Value& item) { return reader.role(item); };
        for (const Role& role : reader.list<Role>(call.arguments[is_input ? 2 : 3], read)) {
            if (role.model < 0 || role.model >= static_cast<std::int64_t>(models.size())) {
                throw invalid("a role names no model", "allocate/model_index");
            }
            const Prepared* prepared = models[static_cast<std::size_t>(role.model)].get();
            if (!prepared) throw invalid("a role names a null model", "allocate/model");
            const Subgraph& main = prepared->model.model().main;
            const Integers& list = is_input ? main.inputs : main.outputs;
            if (role.index < 0 || role.index >= static_cast<std::int64_t>(list.size())) {
                throw invalid("a role names no input or output", "allocate/io_index");
            }
            if (!(role.probability > 0 && role.probability <= 1)) throw invalid("a probability", "allocate/probability");
            if (!roles.insert({prepared, is_input, role.index}).second) throw invalid("a role twice", "allocate/role.unique");
            operands.push_back(main.operands[static_cast<std::size_t>(list[static_cast<std::size_t>(role.index)])]);
        }
    }
    if (operands.empty()) throw invalid("there is no role", "allocate/roles");
    for (const std::shared_ptr<Prepared>& model : models) {
        if (!model) throw invalid("a model is null", "allocate/model");
    }
    for (const Operand& operand : operands) {
        const OperandTypeInfo* type = operand_type(operand.type);
        if (type && !type->is_tensor && !dimensions.empty()) throw invalid("a scalar", "allocate/dimensions.scalar");
        if (!compatible_dimensions(operand.dimensions, dimensions)) throw invalid("dimensions", "allocate/dimensions");
        for (const Operand& other : operands) {
            if (!compatible(operand, other)) throw invalid("roles of different operands", "allocate/type");
        }
    }
    throw failed("this driver has no device memory", "allocate/supported");
}

Answer execute(Session& session, const Call& call, const Reader& reader) {
    const auto prepared = prepared_target(session, call);
    const Execution execution{prepared, reader.request(call.arguments[0]), reader.execution_config(call.arguments[1])};
    const std::int64_t deadline_ns = reader.integer(call.arguments[2]);
    const std::int64_t callback = reader.reference_or_nil(call.arguments[3]);
    if (!callback) throw invalid("there is no callback");
    execute_asynchronously(session, execution, deadline_ns, callback);
    return nothing();
}

Answer execute_now(Session& session, const Call& call, const Reader& reader) {
    const auto prepared = prepared_target(session, call);
    const Execution execution{prepared, reader.request(call.arguments[0]), reader.execution_config(call.arguments[1])};
    return {execute_synchronously(execution, reader.integer(call.arguments[2])), {}};
}

Answer execute_with_fences(Session& session, const Call& call, const Reader& reader) {
    const auto prepared = prepared_target(session, call);
    const Execution execution{prepared, reader.request(call.arguments[0]), reader.execution_config(call.arguments[2])};
    return execute_fenced(session, execution, reader.descriptor_list(call.arguments[1]),
                          reader.integer(call.arguments[3]), reader.integer(call.arguments[4]));
}

Answer create_reusable(Session& session, const Call& call, const Reader& reader) {
    const auto prepared = prepared_target(session, call);
    Execution execution{prepared, reader.request(call.arguments[0]), reader.execution_config(call.arguments[1])};
    execution.validate(NNVET_NO_DEADLINE, true);
    const auto reusable = std::make_shared<Reusable>(std::move(execution));
    return {Value::reference(static_cast<std::uint64_t>(session.keep(reusable))), {}};
}

Answer run_reusable(Session& session, const Call& call, const Reader& reader) {
    const auto reusable = session.object<Reusable>(call.target);
    const InFlight in_flight(reusable->busy);
    return {execute_synchronously(reusable->execution, reader.integer(call.arguments[0])), {}};
}

Answer run_reusable_fenced(Session& session, const Call& call, const Reader& reader) {
    const auto reusable = session.object<Reusable>(call.target);
    return execute_fenced(session, reusable->execution, reader.descriptor_list(call.arguments[0]),
                          reader.integer(call.arguments[1]), reader.integer(call.arguments[2]), reusable);
}

Answer configure_burst(Session& session, const Call& call, const Reader&) {
    const auto burst = std::make_shared<Burst>(prepared_target(session, call));
    return {Value::reference(static_cast<std::uint64_t>(session.keep(burst))), {}};
}

// docs/contract/hal.md 13. Memory is mapped for each execution, so this driver caches no mapping for a token.
Answer run_burst(Session& session, const Call& call, const Reader& reader) {
    const auto burst = session.object<Burst>(call.target);
    const Execution execution{burst->prepared, reader.request(call.arguments[0]), reader.execution_config(call.arguments[2])};
    const Integers tokens = reader.integers(call.arguments[1]);
    const std::int64_t deadline_ns = reader.integer(call.arguments[3]);
    const InFlight in_flight(burst->busy);
    if (tokens.size() != execution.request.pools.size()) throw invalid("not one token for each pool", "burst/tokens");
    for (std::int64_t token : tokens) {
        if (token < -1) throw invalid("a token is below -1", "burst/tokens");
    }
    return {execute_synchronously(execution, deadline_ns), {}};
}

Answer release_memory(Session& session, const Call& call, const Reader& reader) {
    session.object<Burst>(call.target);
    if (reader.integer(call.arguments[0]) < -1) throw invalid("the token is below -1", "burst/tokens");
    return nothing();
}

Answer execution_info(Session& session, const Call& call, const Reader&) {
    return {session.object<FencedInfo>(call.target)->get(), {}};
}

struct Method {
    const char* name;
    std::int64_t target;  // kServiceId, kDeviceId, or kObject for an object that the handler looks up
    std::size_t arguments;
    Handler handler;
};

constexpr std::int64_t kObject = -1;

// All methods of this service. Others are refused with rule wire/method: Service.open_burst, and methods of objects that
// this driver never creates.
const Method kMethods[] = {
    {NNVET_METHOD_SERVICE_SETTLE, kServiceId, 1, settle},
    {NNVET_METHOD_SERVICE_OPEN_CLIENT, kServiceId, 1, open_client},
    {NNVET_METHOD_DEVICE_NAME, kDeviceId, 0, [](Session&, const Call&, const Reader&) { return Answer{Value::text(kDeviceName), {}}; }},
    {NNVET_METHOD_DEVICE_GET_FEATURE_LEVEL, kDeviceId, 0, [](Session&, const Call&, const Reader&) { return Answer{Value::integer(kDeviceLevel), {}}; }},
    {NNVET_METHOD_DEVICE_GET_VERSION_STRING, kDeviceId, 0, [](Session&, const Call&, const Reader&) { return Answer{Value::text(kDeviceVersion), {}}; }},
    {NNVET_METHOD_DEVICE_GET_TYPE, kDeviceId, 0, [](Session&, const Call&, const Reader&) { return Answer{Value::integer(kDeviceType), {}}; }},
    {NNVET_METHOD_DEVICE_GET_CAPABILITIES, kDeviceId, 0, capabilities},
    {NNVET_METHOD_DEVICE_GET_SUPPORTED_EXTENSIONS, kDeviceId, 0, [](Session&, const Call&, const Reader&) { return Answer{Value::array({}), {}}; }},
    {NNVET_METHOD_DEVICE_GET_NUMBER_OF_CACHE_FILES_NEEDED, kDeviceId, 0, [](Session&, const Call&, const Reader&) { return Answer{Value::map({}), {}}; }},
    {NNVET_METHOD_DEVICE_GET_SUPPORTED_OPERATIONS, kDeviceId, 1, supported},
    {NNVET_METHOD_DEVICE_PREPARE_MODEL, kDeviceId, 3, prepare},
    {NNVET_METHOD_DEVICE_PREPARE_MODEL_FROM_CACHE, kDeviceId, 5, prepare_from_cache},
    {NNVET_METHOD_DEVICE_ALLOCATE, kDeviceId, 4, allocate},
    {NNVET_METHOD_PREPARED_MODEL_EXECUTE, kObject, 4, execute},
    {NNVET_METHOD_PREPARED_MODEL_EXECUTE_SYNCHRONOUSLY, kObject, 3, execute_now},
    {NNVET_METHOD_PREPARED_MODEL_EXECUTE_FENCED, kObject, 5, execute_with_fences},
    {NNVET_METHOD_PREPARED_MODEL_CREATE_REUSABLE_EXECUTION, kObject, 2, create_reusable},
    {NNVET_METHOD_PREPARED_MODEL_CONFIGURE_EXECUTION_BURST, kObject, 0, configure_burst},
    {NNVET_METHOD_EXECUTION_EXECUTE_SYNCHRONOUSLY, kObject, 1, run_reusable},
    {NNVET_METHOD_EXECUTION_EXECUTE_FENCED, kObject, 3, run_reusable_fenced},
    {NNVET_METHOD_BURST_EXECUTE_SYNCHRONOUSLY, kObject, 4, run_burst},
    {NNVET_METHOD_BURST_RELEASE_MEMORY_RESOURCE, kObject, 1, release_memory},
    {NNVET_METHOD_FENCED_EXECUTION_CALLBACK_GET_EXECUTION_INFO, kObject, 0, execution_info},
};

}  // namespace

Answer serve_call(Session& session, const Call& call) {
    for (const Method& method : kMethods) {
        if (call.method != method.name) continue;
        const bool fixed = call.target == kServiceId || call.target == kDeviceId;
        if (method.target == kObject ? fixed : call.target != method.target) {
            throw invalid("the method is not one of this object", "wire/object");
        }
        if (method.target == kObject) session.object<Object>(call.target);
        if (call.arguments.size() != method.arguments) throw invalid("another number of arguments", "wire/arguments");
        return method.handler(session, call, Reader(call.descriptors));
    }
    throw invalid("there is no such method", "wire/method");
}
