import { MULTIDIM_POD_AUTOSCALERS } from './autoscaler.js'
import { SPEC_SCHEMA, STATUS_SCHEMA } from './schema.js'

const [GROUP, VERSION] = MULTIDIM_POD_AUTOSCALERS.apiVersion.split('/') as [string, string]

const column = (name: string, type: string, jsonPath: string): object => ({ name, type, jsonPath })

/** The CustomResourceDefinition that makes a cluster know MultidimPodAutoscalers; from Kubernetes 1.16 on. */
export function customResourceDefinition(): object {
  const { kind, plural } = MULTIDIM_POD_AUTOSCALERS
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List`, shortNames: ['mdpa'] },
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [
            column('Mode', 'string', '.spec.mode'),
            column('Replicas', 'integer', '.status.replicas.current'),
            column('Wanted', 'integer', '.status.replicas.wanted'),
            column('SLO', 'string', '.status.summary.slo'),
            column('Budget', 'string', '.status.summary.budget'),
            column('Saving', 'string', '.status.summary.saving'),
            column('Stage', 'string', '.status.stage'),
            column('Age', 'date', '.metadata.creationTimestamp'),
          ],
          schema: {
            openAPIV3Schema: {
              type: 'object',
              description:
                'Scales a workload in two dimensions, replicas and requests, by a learned policy inside a rule.',
              required: ['spec'],
              properties: { spec: SPEC_SCHEMA, status: STATUS_SCHEMA },
            },
          },
        },
      ],
    },
  }
}
