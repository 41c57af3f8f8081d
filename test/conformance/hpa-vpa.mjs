// Handlers for the vectors of the Kubernetes autoscalers (hpa-vpa/README.md beside the vectors).

export const handlers = {}
