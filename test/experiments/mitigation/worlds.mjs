/** What operators have to do with. headroom: of what is deployed, machines have so much. */
export const WORLDS = {
  probe: { label: 'unlimited machines, telemetry at once', options: {} },
  standard: {
    label: 'machines with 1.2 × what is deployed, telemetry a second late and off by 5 %, orders after 0.1 s',
    headroom: 1.2,
    options: { lagSeconds: 1, noise: 0.05, actuationSeconds: 0.1 },
  },
}
