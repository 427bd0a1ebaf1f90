"""What reads files, of models and of specs: whatever they hold, there is a result or the documented error."""
