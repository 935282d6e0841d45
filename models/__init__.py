"""Sample models: the maker of each, its PyTorch, and its inputs."""
