// The shop: what each service does for a request of size 1, and whom it asks, stage after stage, the calls of a stage at once.
//   cpuRounds   of integer arithmetic; a million take about 2 ms of a core
//   memoryKib   read in random order from a table that is larger than a core's own caches
//   diskKib     appended to the service's log and forced to the disk
//   replyKib    of the answer
//   calls       'service/operation'
//   later       the same, but only handed over: a worker takes it from its queue
// A request of another size does so many times the CPU, memory and disk work, in every service.

export const SERVICES = {
  gateway: {
    browse: { cpuRounds: 1e5, replyKib: 32, calls: [['catalogue/list', 'recommendations/suggest', 'price/quote']] },
    buy: { cpuRounds: 1e5, calls: [['checkout/order']] },
  },
  catalogue: { list: { cpuRounds: 3e5, replyKib: 64, calls: [['cache/read']] } },
  recommendations: { suggest: { cpuRounds: 8e5, memoryKib: 512, replyKib: 8 } },
  price: { quote: { cpuRounds: 2e5, replyKib: 4, calls: [['cache/read']] } },
  cache: { read: { memoryKib: 256, replyKib: 16 } },
  checkout: {
    order: { cpuRounds: 2e5, calls: [['payment/charge'], ['stock/reserve']], later: ['dispatch/pack'] },
  },
  payment: { charge: { cpuRounds: 4e5, calls: [['ledger/append']] } },
  stock: { reserve: { cpuRounds: 2e5, calls: [['cache/read']] } },
  dispatch: { pack: { cpuRounds: 6e5, isQueued: true, calls: [['ledger/append']] } },
  ledger: { append: { cpuRounds: 5e4, diskKib: 16 } },
}

/** What requests ask the gateway for. */
export const REQUESTS = Object.keys(SERVICES.gateway)

/** Who calls whom, each pair once. */
export const EDGES = Object.entries(SERVICES).flatMap(([caller, operations]) => {
  const callees = Object.values(operations).flatMap(({ calls = [], later = [] }) => [...calls.flat(), ...later])
  return [...new Set(callees.map((call) => call.split('/')[0]))].map((callee) => ({ caller, callee }))
})
