"""Extensions that nnvet ships, each with the meaning of its operations. A package per extension."""
