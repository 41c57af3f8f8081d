import type { KubernetesObject } from '@trimtab/kubernetes'
import { stringify } from 'yaml'

/** Objects as `kubectl apply -f -` reads them, a document each. */
export const toYaml = (objects: readonly KubernetesObject[]): string =>
  objects.map((object) => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false })).join('---\n')
