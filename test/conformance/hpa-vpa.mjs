// Handlers for the vectors of the Kubernetes autoscalers (hpa-vpa/README.md beside the vectors): from their plain JSON
// to the types of @trimtab/tasks and back.
import { handlers as hpa } from './hpa.mjs'
import { handlers as vpa } from './vpa.mjs'
import { handlers as updater } from './vpa-updater.mjs'

export const handlers = { ...hpa, ...vpa, ...updater }
