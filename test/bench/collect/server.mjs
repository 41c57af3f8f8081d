// The collector of the benchmark, told by its parent when to say what it used.
import { Collector } from '@trimtab/local/collect'

const collector = await Collector.start({
  port: 0,
  folder: process.argv[2],
  keepFiles: 4,
  onError: (error) => console.error(error.message),
})
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send({ cpuSeconds: (user + system) / 1e6 })
})
process.on('disconnect', () => process.exit())
process.on('SIGTERM', () => collector.close().then(() => process.exit()))
process.send({ port: collector.port })
