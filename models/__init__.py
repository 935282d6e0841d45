"""Sample models: who makes each, with which PyTorch, and how it is fed."""
