// The MultidimPodAutoscaler, declared once: its types, defaults, validation, docs and CustomResourceDefinition are made from this.

/** What its owner asks for. */
export const SPEC_SCHEMA = {
  type: 'object',
  description: 'What to scale, what must hold, and how far it may go. All but the target has a default.',
  required: ['scaleTargetRef'],
  properties: {
    scaleTargetRef: {
      type: 'object',
      description: 'The workload, in the namespace of this object; anything with the subresource scale.',
      required: ['name'],
      properties: {
        apiVersion: { type: 'string', description: 'Its API version.', default: 'apps/v1' },
        kind: { type: 'string', description: 'Its kind.', default: 'Deployment' },
        name: { type: 'string', description: 'Its name.', minLength: 1, maxLength: 253 },
      },
    },
    mode: {
      type: 'string',
      description:
        'recommend: decisions are written into the status and nothing is changed. act: they are carried out.',
      enum: ['recommend', 'act'],
      default: 'recommend',
    },
    controlled: {
      type: 'array',
      description: 'What it steers; the rest stays as it is.',
      'x-kubernetes-list-type': 'set',
      minItems: 1,
      maxItems: 3,
      items: { type: 'string', enum: ['replicas', 'cpu', 'memory'] },
      default: ['replicas', 'cpu', 'memory'],
    },
    slo: {
      type: 'object',
      description: 'What must hold: one of latency, throughput and utilisation.',
      minProperties: 1,
      maxProperties: 1,
      default: { utilisation: { cpuPercent: 70 } },
      properties: {
        latency: {
          type: 'object',
          description: 'The 99th percentile of latency stays below a bound.',
          required: ['query', 'p99Ms'],
          properties: {
            query: { type: 'string', description: 'PromQL that gives the 99th percentile, in seconds.', minLength: 1 },
            p99Ms: { type: 'number', description: 'The bound, in milliseconds.', minimum: 0, exclusiveMinimum: true },
          },
        },
        throughput: {
          type: 'object',
          description: 'What is served stays above a bound.',
          required: ['query', 'perSecond'],
          properties: {
            query: { type: 'string', description: 'PromQL that gives the requests served a second.', minLength: 1 },
            perSecond: {
              type: 'number',
              description: 'The bound, in requests a second.',
              minimum: 0,
              exclusiveMinimum: true,
            },
          },
        },
        utilisation: {
          type: 'object',
          description: 'Pods use a share of the CPU that they request, as with a HorizontalPodAutoscaler.',
          required: ['cpuPercent'],
          properties: {
            cpuPercent: {
              type: 'integer',
              description: 'The share, in percent of the request.',
              minimum: 1,
              maximum: 100,
            },
          },
        },
      },
    },
    load: {
      type: 'object',
      description:
        'What is asked of the workload; without it the rule decides, since a policy learns what a request costs.',
      required: ['query'],
      properties: {
        query: { type: 'string', description: 'PromQL that gives the requests asked for a second.', minLength: 1 },
      },
    },
    errorBudget: {
      type: 'object',
      description: 'How often the SLO may be broken.',
      default: {},
      properties: {
        percent: {
          type: 'number',
          description: 'Of the time, in percent.',
          minimum: 0,
          exclusiveMinimum: true,
          maximum: 100,
          default: 0.5,
        },
        days: { type: 'integer', description: 'Over the last so many days.', minimum: 1, maximum: 90, default: 30 },
      },
    },
    cost: {
      type: 'object',
      description: 'What resources cost, for the saving that is shown and sought.',
      default: {},
      properties: {
        vcpuHour: { type: 'number', description: 'One vCPU for an hour.', minimum: 0, default: 0.0335 },
        gibHour: { type: 'number', description: 'One GiB of memory for an hour.', minimum: 0, default: 0.0045 },
        currency: { type: 'string', description: 'As it is shown.', pattern: '^[A-Z]{3}$', default: 'USD' },
      },
    },
    bounds: {
      type: 'object',
      description: 'Between which it stays, whatever it has learned.',
      default: {},
      properties: {
        replicas: {
          type: 'object',
          description: 'Pods.',
          default: {},
          properties: {
            min: { type: 'integer', description: 'At least.', minimum: 1, default: 2 },
            max: { type: 'integer', description: 'At most.', minimum: 1, default: 10 },
          },
        },
        cpu: {
          type: 'object',
          description: 'Requested CPU of each container that is controlled.',
          default: {},
          properties: {
            min: { description: 'At least.', 'x-kubernetes-int-or-string': true, default: '25m' },
            max: { description: 'At most.', 'x-kubernetes-int-or-string': true, default: '4' },
          },
        },
        memory: {
          type: 'object',
          description: 'Requested memory of each container that is controlled.',
          default: {},
          properties: {
            min: { description: 'At least.', 'x-kubernetes-int-or-string': true, default: '64Mi' },
            max: { description: 'At most.', 'x-kubernetes-int-or-string': true, default: '16Gi' },
          },
        },
      },
    },
    limits: {
      type: 'object',
      description: 'How fast it may go, and when it may disturb pods.',
      default: {},
      properties: {
        replicasPercentPerStep: {
          type: 'integer',
          description: 'Replicas change by at most so much at once, one pod at least.',
          minimum: 1,
          maximum: 900,
          default: 100,
        },
        requestsPercentPerStep: {
          type: 'integer',
          description: 'Requests shrink by at most so much at once; what grows may be needed at once.',
          minimum: 1,
          maximum: 900,
          default: 50,
        },
        changesPerHour: {
          type: 'integer',
          description:
            'Changes of either kind in any hour; sizes that follow the load in place and the replicas that a policy adds do not count.',
          minimum: 1,
          default: 12,
        },
        disruptions: {
          type: 'array',
          description:
            'How many pods may be away for a new size, and when; all that hold count. Disruption budgets (policy/v1) hold besides.',
          'x-kubernetes-list-type': 'atomic',
          maxItems: 50,
          default: [{ maxUnavailable: '25%' }],
          items: {
            type: 'object',
            required: ['maxUnavailable'],
            properties: {
              maxUnavailable: { description: 'Pods, or a share of them; 0: none.', 'x-kubernetes-int-or-string': true },
              schedule: {
                type: 'string',
                description: 'When it begins to hold, as a cron line in UTC; without one it always holds.',
                pattern: '^(\\S+ ){4}\\S+$',
              },
              minutes: { type: 'integer', description: 'How long it holds from then on.', minimum: 1, default: 60 },
            },
          },
        },
      },
    },
    rule: {
      type: 'object',
      description: 'The rule beside which it learns, and to which it falls back.',
      default: {},
      properties: {
        cpuUtilisationPercent: {
          type: 'integer',
          description: 'Of the HorizontalPodAutoscaler: the share of requested CPU that pods use.',
          minimum: 1,
          maximum: 100,
          default: 70,
        },
        scaleDownStabilizationSeconds: {
          type: 'integer',
          description: 'Of the HorizontalPodAutoscaler: fewer pods only when fewer were enough for so long.',
          minimum: 0,
          maximum: 3600,
          default: 300,
        },
        requestPercentile: {
          type: 'integer',
          description: 'Of the VerticalPodAutoscaler: the percentile of usage that is requested.',
          minimum: 50,
          maximum: 100,
          default: 90,
        },
        requestMarginPercent: {
          type: 'integer',
          description: 'Of the VerticalPodAutoscaler: what is requested above it.',
          minimum: 0,
          maximum: 300,
          default: 15,
        },
      },
    },
    policy: {
      type: 'object',
      description: 'The learned policy: bundled, or of your own.',
      default: { bundled: 'autoscaling' },
      minProperties: 1,
      maxProperties: 1,
      properties: {
        bundled: { type: 'string', description: 'The name of one that ships.', enum: ['autoscaling'] },
        configMap: {
          type: 'object',
          description: 'A policy file in a ConfigMap of this namespace (binaryData).',
          required: ['name'],
          properties: {
            name: { type: 'string', description: 'The ConfigMap.', minLength: 1, maxLength: 253 },
            key: { type: 'string', description: 'The key in it.', default: 'policy.safetensors' },
          },
        },
      },
    },
    fallback: {
      type: 'string',
      description: 'What acts where the policy cannot: the rule, or nobody.',
      enum: ['rule', 'hold'],
      default: 'rule',
    },
  },
} as const

/** What a container requests. Declarations are emitted file by file, and need its type said: `as typeof`. */
const REQUESTS = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', description: 'The container.' },
    cpu: { description: 'Requested CPU.', 'x-kubernetes-int-or-string': true },
    memory: { description: 'Requested memory.', 'x-kubernetes-int-or-string': true },
  },
} as const

/** What the recommender says, decisions and their reasons; and what the updater makes of it. */
export const STATUS_SCHEMA = {
  type: 'object',
  description: 'What was decided, what it would save, and why something happened or did not.',
  properties: {
    observedGeneration: { type: 'integer', description: 'The generation of the spec that this is about.' },
    stage: {
      type: 'string',
      description: 'Of the agent: it learns from the rule, learns online, or serves.',
      enum: ['initialized', 'offline', 'online', 'serving'],
    },
    replicas: {
      type: 'object',
      description: 'Pods of the workload.',
      properties: {
        current: { type: 'integer', description: 'As they are.' },
        wanted: { type: 'integer', description: 'As they should be.' },
      },
    },
    containers: {
      type: 'array',
      description: 'What each container should request.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: REQUESTS as typeof REQUESTS,
    },
    decidedBy: { type: 'string', description: 'Who decided last.', enum: ['policy', 'rule', 'nobody'] },
    lastDecisionTime: { type: 'string', format: 'date-time', description: 'When that was.' },
    lastChangeTime: { type: 'string', format: 'date-time', description: 'When something was last changed.' },
    carriedOut: {
      type: 'object',
      description: 'What the updater makes of it.',
      properties: {
        containers: {
          type: 'array',
          description: 'What new pods request: what they should, as far as limits let it and as it has worked.',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: REQUESTS as typeof REQUESTS,
        },
        working: {
          type: 'array',
          description: 'The last requests with which every pod became ready.',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: REQUESTS as typeof REQUESTS,
        },
        refused: {
          type: 'array',
          description: 'Requests that no pod could have: not tried again until less is wanted.',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: REQUESTS as typeof REQUESTS,
        },
        changes: {
          type: 'array',
          description: 'When something was changed in the last hour.',
          'x-kubernetes-list-type': 'atomic',
          items: { type: 'string', format: 'date-time' },
        },
      },
    },
    summary: {
      type: 'object',
      description: 'In words, for a line of kubectl get.',
      properties: {
        slo: { type: 'string', description: 'What was measured, and the bound.' },
        budget: { type: 'string', description: 'How much of the error budget is left.' },
        saving: { type: 'string', description: 'Against what is requested now, an hour and in percent.' },
      },
    },
    evidence: {
      type: 'object',
      description: 'What was seen over the days of the error budget: what trust may rest on.',
      properties: {
        hours: { type: 'number', description: 'Hours that were measured.' },
        requestedPerHour: { type: 'number', description: 'What was requested cost, an hour in the mean.' },
        recommendedPerHour: { type: 'number', description: 'What was recommended would have cost.' },
        brokenPercent: {
          type: 'number',
          description: 'How often the SLO was broken as it is, in percent of the time.',
        },
        expectedP99Ms: {
          type: 'object',
          description:
            'Between which the policy expects the next p99, with what is wanted in force, in 95 of 100 steps.',
          properties: {
            low: { type: 'number', description: 'At least, in milliseconds.' },
            high: { type: 'number', description: 'At most, in milliseconds.' },
          },
        },
      },
    },
    conditions: {
      type: 'array',
      description: 'What holds, and why.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      items: {
        type: 'object',
        required: ['type', 'status', 'reason', 'lastTransitionTime'],
        properties: {
          type: { type: 'string', description: 'What.', maxLength: 316 },
          status: { type: 'string', description: 'Whether it holds.', enum: ['True', 'False', 'Unknown'] },
          reason: { type: 'string', description: 'Why, in one word.', minLength: 1 },
          message: { type: 'string', description: 'Why, in a sentence.' },
          lastTransitionTime: { type: 'string', format: 'date-time', description: 'Since when.' },
          observedGeneration: { type: 'integer', description: 'The generation of the spec that this is about.' },
        },
      },
    },
  },
} as const
