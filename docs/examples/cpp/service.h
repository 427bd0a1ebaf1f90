// The methods that a client calls: docs/protocol.md "Methods of the service".
#pragma once

#include "session.h"

// Serves one call on a lane (a connection for calls, docs/protocol.md "Overview"). Throws Failure for each answer other
// than NONE.
Answer serve_call(Session& session, const Call& call);
