// The methods: docs/protocol.md "Methods of the service".
#pragma once

#include "session.h"

// Serves one call on a lane. Throws Failure for every answer that is not NONE.
Answer serve_call(Session& session, const Call& call);
