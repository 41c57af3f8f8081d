// Handlers for the neural and statistical vectors (nn-vectors/README.md beside the vectors).

export const handlers = {}
